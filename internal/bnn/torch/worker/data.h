// Sets of examples, and minibatches of them.
#pragma once

#include <torch/types.h>

#include <vector>

#include "augment.h"

namespace r2sgld {

// A Set is examples on a device.
struct Set {
  torch::Tensor inputs;        // N × C × H × W: bytes (pixels), or floats taken as they are
  torch::Tensor mean, spread;  // 1 × C × 1 × 1, of pixels: (p/255 − mean)/spread
  torch::Tensor targets;       // N labels (int64), or N × outputs (floats); undefined: none

  int64_t size() const { return inputs.size(0); }
};

// A Batch is what a network is shown, and what it should have said.
struct Batch {
  torch::Tensor inputs, targets;
};

// The examples of the indices, each changed in its own way, as numbers of a type.
Batch gather(const Set& set, const std::vector<int32_t>& indices, const Augmentation& augmentation,
             torch::Dtype dtype);

// Examples from … to, as they are; no targets.
torch::Tensor inputs_between(const Set& set, int64_t from, int64_t to, torch::Dtype dtype);

}  // namespace r2sgld
