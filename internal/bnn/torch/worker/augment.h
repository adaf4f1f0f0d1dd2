// Random changes of the images of a minibatch, the same for every replica.
#pragma once

#include <torch/types.h>

namespace r2sgld {

// An Augmentation is bnn.Augmentation.
struct Augmentation {
  int64_t crop = 0;
  bool flip = false;
  double erase = 0;
  uint64_t seed = 0;
};

// Changes are drawn for each place of a minibatch from (seed, place), whatever image
// stands there.
class Changes {
 public:
  Changes(const Augmentation& augmentation, int64_t count, int64_t height, int64_t width);

  // Windows of zero-padded images (count × channels × height × width), some turned.
  torch::Tensor cut(const torch::Tensor& images) const;

  // Images with their rectangles set to zero, the mean of normalised pixels.
  torch::Tensor erased(const torch::Tensor& images) const;

 private:
  Augmentation augmentation_;
  torch::Tensor rows_, columns_;           // count × height, count × width: where pixels come from
  torch::Tensor erased_rows_, erased_columns_;  // likewise: whether the rectangle is there
};

}  // namespace r2sgld
