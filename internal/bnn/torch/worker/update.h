// One move of a replica's parameters: momentum, noise, reflection.
#pragma once

#include <torch/types.h>

#include <tuple>
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

// Moves vectors on the CPU in place. Segments cover them in order; the stream holds ξ.
Tally advance(const Vectors& x, const std::vector<Segment>& segments, const Stream& stream,
              const Move& move);

// A DeviceMove is the same by ATen's functions, which every device has. What differs from
// move to move lies on the device, so that what was asked of it once can be repeated.
class DeviceMove {
 public:
  DeviceMove(uint64_t key, torch::Device device);

  // The next moves are this one, with noise from this half of the counter.
  void set(const Move& move, uint64_t high);
  // What a repetition must have in common with what is repeated.
  std::tuple<bool, double, bool> shape() const;
  // Moves; three doubles, read by tally once they are on the CPU.
  torch::Tensor advance(const Vectors& x, const std::vector<Segment>& segments) const;

  static Tally tally(const double* counted);

 private:
  uint64_t key_;
  Move move_;
  torch::Tensor numbers_;  // the four coefficients, the halves of high
};

// Σ θ², in double.
double sum_of_squares(const torch::Tensor& theta);

}  // namespace r2sgld
