// Standard normal numbers for whole vectors: element j of a vector takes word j mod 4
// of the counter j/4.
#pragma once

#include <torch/types.h>

#include "philox.h"

namespace r2sgld {

// A Stream is a vector of random numbers as long as one likes.
struct Stream {
  uint64_t key = 0;
  uint64_t high = 0;  // half of the counter, see counter_high
};

// Writes elements begin … begin + n of a stream; begin is a multiple of 4.
void normals(const Stream& stream, int64_t begin, int64_t n, float* out);
void normals(const Stream& stream, int64_t begin, int64_t n, double* out);

// The same on the device where high is, by whole tensors: int64 words, and numbers of a
// type. high has the 32 lower and the 32 upper bits of Stream's, as int64.
torch::Tensor device_words(uint64_t key, const torch::Tensor& high, int64_t n);
torch::Tensor device_normals(uint64_t key, const torch::Tensor& high, int64_t n,
                             torch::Dtype dtype);

}  // namespace r2sgld
