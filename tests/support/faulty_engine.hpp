// SPDX-License-Identifier: Apache-2.0
// Another engine with faults: for tests of everything above it.
#pragma once

#include <cstring>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "graphrun/core/random.hpp"
#include "graphrun/transport/controller.hpp"

namespace graphrun {

/// How often what goes wrong, out of 1000 requests each.
struct FaultPlan {
  std::uint64_t seed = 1;
  int delayed = 0;      ///< outcomes that come many polls later, and so in another order
  int dropped = 0;      ///< outcomes that never come
  int duplicated = 0;   ///< outcomes that come twice, the second time much later
  int failing = 0;      ///< requests that end with an error
  int short_reads = 0;  ///< requests that fill in half of what was asked for, and say so
};

class FaultyEngine final : public BlockEngine {
 public:
  FaultyEngine(std::unique_ptr<BlockEngine> inner, const FaultPlan& plan) : inner_(std::move(inner)), plan_(plan) {}

  std::string description() const override { return inner_->description() + ", with faults put in"; }
  bool emulated() const override { return true; }
  std::uint32_t sector_bytes() const override { return inner_->sector_bytes(); }
  void use_memory(std::span<std::byte> memory) override { inner_->use_memory(memory); }
  std::string last_error() const override { return last_error_.empty() ? inner_->last_error() : last_error_; }

  bool start(const BlockRequest& request) override {
    if (!inner_->start(request)) return false;
    requests_[request.tag] = request;
    return true;
  }

  std::size_t poll(Done* outcomes, std::size_t most) override {
    ++polls_;
    std::vector<Done> fresh(most);
    fresh.resize(inner_->poll(fresh.data(), most));
    for (const Done& done : fresh) pass_on(done);
    std::size_t count = 0;
    for (std::size_t i = 0; i < late_.size() && count < most;) {
      if (late_[i].due > polls_) {
        ++i;
        continue;
      }
      outcomes[count++] = late_[i].done;
      late_[i] = late_.back();
      late_.pop_back();
    }
    return count;
  }

 private:
  struct Late {
    std::uint64_t due;  ///< poll in which it comes
    Done done;
  };

  bool happens(int of_a_thousand) {
    constexpr std::uint64_t kThousand = 1000;
    return splitmix64(plan_.seed, ++draws_, 0) % kThousand < static_cast<std::uint64_t>(of_a_thousand);
  }
  std::uint64_t some_polls() { return 1 + splitmix64(plan_.seed, ++draws_, 1) % 200; }

  void pass_on(Done done) {
    const auto found = requests_.find(done.tag);
    const BlockRequest request = found->second;
    requests_.erase(found);
    if (happens(plan_.dropped)) return;
    if (happens(plan_.failing)) {
      last_error_ = "a read that was made to fail";
      done.status = nvme::Status::unrecovered_read_error;
    }
    if (happens(plan_.short_reads)) {
      last_error_ = "a read that was made to end early";
      std::memset(static_cast<char*>(request.data) + request.bytes / 2, 0, request.bytes / 2);
      done.status = nvme::Status::unrecovered_read_error;
    }
    late_.push_back({polls_ + (happens(plan_.delayed) ? some_polls() : 0), done});
    if (happens(plan_.duplicated)) late_.push_back({polls_ + some_polls(), done});
  }

  std::unique_ptr<BlockEngine> inner_;
  FaultPlan plan_;
  std::uint64_t draws_ = 0;
  std::uint64_t polls_ = 0;
  std::unordered_map<std::uint64_t, BlockRequest> requests_;
  std::vector<Late> late_;
};

inline std::unique_ptr<BlockEngine> make_faulty_engine(std::unique_ptr<BlockEngine> inner, const FaultPlan& plan) {
  return std::make_unique<FaultyEngine>(std::move(inner), plan);
}

}  // namespace graphrun
