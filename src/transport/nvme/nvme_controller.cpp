// SPDX-License-Identifier: Apache-2.0

#include "transport/nvme/nvme_controller.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <exception>
#include <string_view>
#include <thread>
#include <utility>

#include "core/raise.hpp"
#include "graphrun/core/log.hpp"

namespace graphrun::nvme {
namespace {

using std::chrono::milliseconds;

constexpr std::uint32_t kAdminDepth = 16;
constexpr std::size_t kCompletionsAt = kPageBytes;
constexpr std::size_t kIdentifyAt = 2 * kPageBytes;
constexpr milliseconds kAdminLimit{10'000};
constexpr std::chrono::microseconds kBetweenStateLooks{20};
constexpr milliseconds kShutdownLimit{10'000};

template <class T>
T value_at(const std::byte* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof(value));
  return value;
}

}  // namespace

NvmeController::NvmeController(VfioDevice& device, std::string address)
    : device_(device),
      address_(std::move(address)),
      capabilities_{get<std::uint64_t>(reg::kCapabilities)},
      memory_(device, kIdentifyAt + kPageBytes),
      slots_(kAdminDepth) {
  check_capabilities();
  disable();
  try {
    start();
    identify_controller();
  } catch (...) {
    disable_or_warn();
    throw;
  }
}

NvmeController::~NvmeController() {
  try {
    for (std::uint32_t number = created_; number > 0; --number) {
      run({.opcode = AdminOpcode::delete_submission_queue, .dword10 = number}, "deleting a submission queue");
      delete_completion_queue(number);
    }
    shut_down();
  } catch (const Error& error) {
    log::warn(error.what());
  }
  disable_or_warn();
}

template <class T>
T NvmeController::get(std::size_t at) const {
  return *reinterpret_cast<const volatile T*>(device_.registers().data() + at);
}

template <class T>
void NvmeController::set(std::size_t at, T value) const {
  *reinterpret_cast<volatile T*>(device_.registers().data() + at) = value;
}

std::uint32_t* NvmeController::doorbell(std::size_t index) const {
  const std::size_t at = reg::kDoorbells + index * capabilities_.doorbell_stride();
  if (at + sizeof(std::uint32_t) > device_.registers().size())
    raise<UnavailableError>("NVMe device {} has no register for doorbell {}", address_, index);
  return const_cast<std::uint32_t*>(reinterpret_cast<volatile std::uint32_t*>(device_.registers().data() + at));
}

void NvmeController::check_capabilities() const {
  const auto require = [&](bool holds, const std::string& what) {
    if (!holds) raise<UnavailableError>("NVMe device {} cannot be driven from here: {}", address_, what);
  };
  require(capabilities_.word != ~std::uint64_t{0}, "its registers do not answer");
  require(capabilities_.has_nvm_commands(), "it does not have the NVM command set");
  require(capabilities_.least_page_bytes() <= kPageBytes, "its pages are larger than 4 KiB");
  require(capabilities_.most_queue_entries() >= 2 * kAdminDepth,
          fmt::format("its queues have at most {} entries", capabilities_.most_queue_entries()));
}

void NvmeController::wait_for(const std::string& what, milliseconds limit, const std::function<bool()>& is_done) const {
  const auto start = std::chrono::steady_clock::now();
  while (!is_done()) {
    if (std::chrono::steady_clock::now() - start > limit)
      raise<RunError>("NVMe device {}: {} was not over within {} ms; {}", address_, what, limit.count(), state());
    std::this_thread::sleep_for(kBetweenStateLooks);
  }
}

void NvmeController::disable() {
  set(reg::kConfiguration, get<std::uint32_t>(reg::kConfiguration) & ~kEnable);
  wait_for("disabling the controller", capabilities_.timeout(), [&] {
    const auto status = get<std::uint32_t>(reg::kStatus);
    return status == kGone || (status & kReady) == 0;
  });
}

void NvmeController::disable_or_warn() noexcept {
  try {
    disable();
  } catch (const std::exception& error) {
    log::warn(error.what());
  }
}

void NvmeController::start() {
  constexpr std::uint32_t kEntries = 2 * kAdminDepth;
  static_assert(kEntries * sizeof(AdminCommand) <= kCompletionsAt);
  admin_ = {.commands = reinterpret_cast<Command*>(memory_.data()),
            .completions = reinterpret_cast<Completion*>(memory_.data() + kCompletionsAt),
            .slots = slots_.data(),
            .control = &control_,
            .tail_doorbell = doorbell(0),
            .head_doorbell = doorbell(1),
            .depth = kAdminDepth,
            .entries_shift = 1};
  set(reg::kInterruptMask, ~std::uint32_t{0});
  set(reg::kAdminSizes, (kEntries - 1) << 16 | (kEntries - 1));
  set(reg::kAdminCommands, memory_.bus_address(0));
  set(reg::kAdminOutcomes, memory_.bus_address(kCompletionsAt));
  set(reg::kConfiguration, kEntriesAndPages | kEnable);
  wait_for("enabling the controller", capabilities_.timeout(), [&] {
    const auto status = get<std::uint32_t>(reg::kStatus);
    if (status == kGone || (status & kFatal) != 0) raise<RunError>("NVMe device {} did not start: {}", address_, state());
    return (status & kReady) != 0;
  });
}

void NvmeController::shut_down() {
  set(reg::kConfiguration, (get<std::uint32_t>(reg::kConfiguration) & ~kShutdownMask) | kShutdownNormal);
  wait_for("shutting the controller down", kShutdownLimit,
           [&] { return (get<std::uint32_t>(reg::kStatus) & kShutdownStatusMask) == kShutdownComplete; });
}

std::uint32_t NvmeController::run(AdminCommand command, const std::string& what) {
  const QueuePair::Ticket ticket = admin_.draw_ticket();
  admin_.write(ticket, std::bit_cast<Command>(command));
  admin_.ring(ticket);
  // One command is out at a time, so its completion has the same place as the command.
  const Completion& completion = admin_.completions[ticket & (admin_.entries() - 1)];
  wait_for(what, kAdminLimit, [&] {
    admin_.reap([](std::uint32_t, std::uint32_t) {});
    return admin_.outcome(ticket) != QueuePair::kPending;
  });
  const std::uint32_t status = admin_.outcome(ticket) - QueuePair::kDone;
  const std::uint32_t result = completion.result;
  admin_.finish(admin_.slot_of(ticket));
  if (status != 0) raise<RunError>("NVMe device {}: {} failed ({})", address_, what, status_text(status));
  return result;
}

const std::byte* NvmeController::identify(std::uint32_t kind, std::uint32_t namespace_id, const std::string& what) {
  run({.opcode = AdminOpcode::identify, .namespace_id = namespace_id, .prp1 = memory_.bus_address(kIdentifyAt), .dword10 = kind},
      what);
  return memory_.data() + kIdentifyAt;
}

void NvmeController::identify_controller() {
  const std::byte* identity = identify(kIdentifyController, 0, "identifying the controller");
  model_.assign(reinterpret_cast<const char*>(identity + kModelAt), kModelBytes);
  model_.erase(model_.find_last_not_of(std::string_view(" \0", 2)) + 1);  // texts of Identify are padded with blanks
  constexpr std::uint8_t kNoLimitWorthNaming = 32;
  const auto shift = value_at<std::uint8_t>(identity + kTransferShiftAt);
  most_transfer_bytes_ = shift == 0 || shift > kNoLimitWorthNaming ? 0 : std::uint64_t{capabilities_.least_page_bytes()} << shift;
}

NamespaceFacts NvmeController::identify_namespace() {
  const auto id = value_at<std::uint32_t>(identify(kIdentifyActive, 0, "listing the namespaces"));
  if (id == 0) raise<UnavailableError>("NVMe device {} has no namespace", address_);
  const std::byte* identity = identify(kIdentifyNamespace, id, "identifying a namespace");
  const auto in_use = value_at<std::uint8_t>(identity + kFormatInUseAt);
  const std::byte* format = identity + kFormatsAt + ((in_use & 0xfu) | (in_use >> 5 & 3u) << 4) * kFormatBytes;
  const auto metadata_bytes = value_at<std::uint16_t>(format);
  const auto block_shift = value_at<std::uint8_t>(format + sizeof(metadata_bytes));
  constexpr unsigned kLeastShift = 9;
  constexpr unsigned kMostShift = 12;  // sections of a container begin at multiples of 4096
  if (metadata_bytes != 0 || block_shift < kLeastShift || block_shift > kMostShift)
    raise<UnavailableError>(
        "namespace {} of NVMe device {} has blocks of 2^{} bytes and {} of metadata: blocks of 512 to "
        "4096 bytes without metadata can be read",
        id, address_, block_shift, metadata_bytes);
  return {id, block_shift, value_at<std::uint64_t>(identity + kBlocksAt)};
}

std::size_t NvmeController::request_queues(std::size_t wanted) {
  constexpr std::size_t kMost = 0xfffe;
  const auto asked = static_cast<std::uint32_t>(std::clamp<std::size_t>(wanted, 1, kMost) - 1);
  const std::uint32_t granted =
      run({.opcode = AdminOpcode::set_features, .dword10 = kNumberOfQueues, .dword11 = asked << 16 | asked}, "asking for queues");
  return std::min<std::size_t>(asked, std::min(granted & 0xffff, granted >> 16)) + 1;
}

void NvmeController::create_queue_pair(QueuePair& pair, std::uint64_t commands_address, std::uint64_t completions_address) {
  const std::uint32_t number = created_ + 1;
  pair.tail_doorbell = doorbell(2 * number);
  pair.head_doorbell = doorbell(2 * number + 1);
  AdminCommand command{.opcode = AdminOpcode::create_completion_queue,
                       .prp1 = completions_address,
                       .dword10 = (pair.entries() - 1) << 16 | number,
                       .dword11 = kContiguous};
  run(command, "creating a completion queue");
  command.opcode = AdminOpcode::create_submission_queue;
  command.prp1 = commands_address;
  command.dword11 = number << 16 | kContiguous;
  try {
    run(command, "creating a submission queue");
  } catch (...) {
    delete_completion_queue(number);
    throw;
  }
  created_ = number;
}

std::string NvmeController::state() const {
  const auto status = get<std::uint32_t>(reg::kStatus);
  if (status == kGone) return "its registers do not answer: it is gone";
  if ((status & kFatal) != 0) return "its controller reports a fatal error";
  return fmt::format("its controller is {}", (status & kReady) != 0 ? "ready" : "not ready");
}

}  // namespace graphrun::nvme
