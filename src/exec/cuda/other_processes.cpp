// SPDX-License-Identifier: Apache-2.0

#include "exec/cuda/other_processes.hpp"

#include <cuda_runtime.h>

#include <algorithm>
#include <string>

#include "graphrun/core/log.hpp"

namespace graphrun::cuda {
namespace {

/// A process's message to the others, with which they open its memory.
struct Invitation {
  void* place;
  cudaIpcMemHandle_t handle;
};

bool all_succeed(Exchange& exchange, cudaError_t mine) {
  if (mine != cudaSuccess) {
    cudaGetLastError();
    log::info(std::string("a GPU does not reach the memory of another process: ") + cudaGetErrorString(mine));
  }
  return std::ranges::all_of(gather_values(exchange, mine), [](cudaError_t theirs) { return theirs == cudaSuccess; });
}

void close(std::vector<void*>& opened) noexcept {
  for (void* const place : opened) cudaIpcCloseMemHandle(place);
  opened.clear();
}

}  // namespace

OtherProcesses::OtherProcesses(CudaExecutor& exec, std::byte* room, std::byte* other_room)
    : exec_(exec), exchange_(*exec.part().exchange) {
  if (exchange_.place().one_host) {
    const std::vector<Opened> first = open(room, opened_rooms_);
    const std::vector<Opened> second = first.empty() ? first : open(other_room, opened_rooms_);
    for (std::size_t rank = 0; rank < second.size(); ++rank) rooms_.push_back({first[rank], second[rank]});
    if (second.empty()) close(opened_rooms_);
  }
  brought_.resize(opens() ? 0 : static_cast<std::size_t>(exchange_.size()));
  if (exchange_.rank() != 0) return;
  log::info(opens() ? "GPUs of several processes reach each other's memory (CUDA IPC)"
                    : "GPUs of several processes send what they hand out through host memory and MPI");
}

OtherProcesses::~OtherProcesses() {
  leave();
  close(opened_rooms_);
}

std::vector<OtherProcesses::Opened> OtherProcesses::open(void* mine, std::vector<void*>& opened) {
  Invitation invitation{mine, {}};
  if (!all_succeed(exchange_, cudaIpcGetMemHandle(&invitation.handle, mine))) return {};
  std::vector<Opened> all;
  cudaError_t status = cudaSuccess;
  for (const Invitation& theirs : gather_values(exchange_, invitation)) {
    all.push_back({theirs.place, nullptr});
    if (static_cast<int>(all.size()) == exchange_.rank() + 1 || status != cudaSuccess) continue;
    status = cudaIpcOpenMemHandle(&all.back().here, theirs.handle, cudaIpcMemLazyEnablePeerAccess);
    if (status == cudaSuccess) opened.push_back(all.back().here);
  }
  return all_succeed(exchange_, status) ? all : std::vector<Opened>{};
}

std::vector<void*> OtherProcesses::enter(void* mine) {
  std::vector<void*> places;
  if (!opens()) return places;
  for (const Opened& each : open(mine, entered_)) {
    if (each.here != nullptr) places.push_back(each.here);
  }
  return places;
}

void OtherProcesses::leave() noexcept { close(entered_); }

std::vector<const std::byte*> OtherProcesses::reach(const std::vector<CudaExecutor::PublishedRoom>& all) {
  if (!opens()) return bring(all);
  std::vector<const std::byte*> where;
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    const auto& rooms = rooms_[rank];
    where.push_back(static_cast<const std::byte*>(rooms[all[rank].room == rooms[0].there ? 0 : 1].here));
  }
  return where;
}

std::vector<const std::byte*> OtherProcesses::bring(const std::vector<CudaExecutor::PublishedRoom>& all) {
  const auto me = static_cast<std::size_t>(exchange_.rank());
  sent_.resize(all[me].bytes);
  exec_.copy_to_host(sent_.data(), all[me].room, sent_.size());
  const auto received = exchange_.all_gather(sent_);
  std::vector<const std::byte*> where(all.size(), nullptr);
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    const auto bytes = received[rank];
    check_published(bytes, all[rank].bytes);
    if (rank == me || bytes.empty()) continue;
    DeviceArray<std::byte>& here = brought_[rank];
    if (here.size() < bytes.size()) here = DeviceArray<std::byte>(bytes.size());
    exec_.copy_to_device(here.data(), bytes.data(), bytes.size());
    where[rank] = here.data();
  }
  return where;
}

}  // namespace graphrun::cuda
