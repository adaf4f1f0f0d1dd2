// One move of a replica's parameters: momentum, noise, reflection.
#pragma once

#include <torch/types.h>

#include <vector>

#include "noise.h"

namespace r2sgld {

// A Move is bnn.Move: with g = weight·∇ + decay·θ,
//
//   v ← scale·v + lean·g,  v ← momentum·v − step·g + noise·ξ,  θ ← θ + v folded.
struct Move {
  double scale = 1, lean = 0;
  double weight = 0, decay = 0;
  double step = 0, noise = 0, momentum = 0;
  double bound = 0;
  bool as_released = false;
};

// A Segment of the vector, held back by walls or not.
struct Segment {
  int64_t begin, end;
  bool walled;
};

// A Tally is what is counted in a move.
struct Tally {
  double square = 0;       // Σ θ²; NaN where a coordinate went too far to be folded
  uint64_t reflected = 0;  // coordinates
};

// The vectors of a replica: flat, of one type, on one device.
struct Vectors {
  torch::Tensor theta, momenta, gradient;
};

// Moves in place. Segments cover the vectors in order; the stream holds ξ.
Tally advance(const Vectors& x, const std::vector<Segment>& segments, const Stream& stream,
              const Move& move);

// The same by ATen's functions, which every device has.
Tally advance_by_tensors(const Vectors& x, const std::vector<Segment>& segments,
                         const Stream& stream, const Move& move);

// Σ θ², in double.
double sum_of_squares(const torch::Tensor& theta);

}  // namespace r2sgld
