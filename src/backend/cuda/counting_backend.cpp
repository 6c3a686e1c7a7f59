// SPDX-License-Identifier: Apache-2.0
// emogi with kernels that count their link requests.
#include <utility>

#include "backend/cuda/cuda_backends.hpp"
#include "graphrun/view/counted_view.hpp"

namespace graphrun::inline GR_IDS {
namespace {

/// Wraps a backend and adds counters to its views. The wrapped one still counts by scanned lists, so that the two counts can be
/// compared.
class CountingBackend final : public BackendOf<CountedView> {
 public:
  CountingBackend(std::unique_ptr<BackendOf<DirectView>> counted, CudaExecutor& exec)
      : counted_(std::move(counted)), exec_(exec), requests_(1) {}

  GraphView<CountedView> view() const override {
    const GraphView<DirectView> plain = counted_->view();
    return {.out = plain.out,
            .out_edges = {plain.out_edges, requests_.data()},
            .in = plain.in,
            .in_edges = {plain.in_edges, requests_.data()},
            .has_in = plain.has_in,
            .symmetric = plain.symmetric,
            .num_edges = plain.num_edges,
            .weight_table = plain.weight_table};
  }
  std::string description() const override { return counted_->description() + ", requests counted"; }
  std::uint64_t fast_tier_bytes() const override { return counted_->fast_tier_bytes(); }
  void make_cold() override { counted_->make_cold(); }
  void preload() override { counted_->preload(); }
  void begin_run() override { counted_->begin_run(); }
  void reset_counters() override {
    exec_.fill_words(requests_.data(), 0, sizeof(LinkRequests) / 4);
    counted_->reset_counters();
  }
  Moved moved() override {
    Moved moved = counted_->moved();
    moved.link_requests = exec_.fetch(requests_, 0);
    return moved;
  }
  std::vector<Phase> phases() const override { return counted_->phases(); }
  void throw_if_failed() override { counted_->throw_if_failed(); }
  std::optional<WeightStats> weight_stats() const override { return counted_->weight_stats(); }
  bool emulated() const override { return counted_->emulated(); }

 private:
  std::unique_ptr<BackendOf<DirectView>> counted_;
  CudaExecutor& exec_;
  DeviceArray<LinkRequests> requests_;
};

}  // namespace

std::unique_ptr<BackendOf<CountedView>> make_counting_backend(std::unique_ptr<BackendOf<DirectView>> counted,
                                                              CudaExecutor& exec) {
  return std::make_unique<CountingBackend>(std::move(counted), exec);
}

}  // namespace graphrun::inline GR_IDS
