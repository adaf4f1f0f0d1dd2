#include "record.h"

#include "version.h"

#if R2SGLD_CUDA_HEADERS
#include <ATen/cuda/CUDAGraph.h>
#include <c10/cuda/CUDACachingAllocator.h>

#include <mutex>
#endif

namespace r2sgld {

#if R2SGLD_CUDA_HEADERS

namespace {
std::mutex one_at_a_time;  // records
}

struct Recording::Graph {
  at::cuda::CUDAGraph graph;
};

// The first time is not recorded: libraries set themselves up in it.
void Recording::run(const std::function<void()>& work) {
  if (warm_ && !refused_ && !graph_) {
    const std::lock_guard<std::mutex> alone(one_at_a_time);
    c10::cuda::CUDACachingAllocator::emptyCache();  // a recording has memory of its own
    auto made = std::make_unique<Graph>();
    // Other lanes go on meanwhile, and backward is in a thread of its own.
    made->graph.capture_begin({0, 0}, cudaStreamCaptureModeRelaxed);
    try {
      work();
      made->graph.capture_end();
      graph_ = std::move(made);
    } catch (const std::exception&) {  // what is wrong with the work itself shows below
      refused_ = true;
      try {
        made->graph.capture_end();
      } catch (const std::exception&) {  // that the recording is broken is known
      }
    }
  }
  if (graph_) return graph_->graph.replay();
  warm_ = true;
  work();
}

#else

struct Recording::Graph {};

void Recording::run(const std::function<void()>& work) { work(); }

#endif

Recording::Recording() = default;
Recording::~Recording() = default;

}  // namespace r2sgld
