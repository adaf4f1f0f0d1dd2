// One replica: a network where it stands, its momentum and its noise.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "data.h"
#include "device.h"
#include "network.h"
#include "record.h"
#include "update.h"

namespace r2sgld {

enum class Loss { cross_entropy, squared };  // mean over examples; squared is ½ Σ (out − target)²

// What all replicas of a worker have in common.
struct Kind {
  Spec spec;
  Loss loss = Loss::cross_entropy;
  uint64_t seed = 0;
  bool all_walled = true;           // else only
  std::vector<std::string> walled;  // these roles
  Precision precision;
  torch::Device device = torch::kCPU;
};

// An Outcome is bnn.Outcome.
struct Outcome {
  double loss = 0;
  Tally tally;
};

// A State is bnn.State.
struct State {
  std::vector<double> theta, momenta, gradient, buffers;
  uint64_t step = 0;
};

// A Replica is used by one thread at a time.
class Replica {
 public:
  // index is among all replicas of a run, whichever worker has them.
  Replica(const Kind& kind, uint64_t index);

  Network& network() { return network_; }

  Outcome start(const Batch& batch);
  Outcome advance(const Move& move, const Batch& batch);
  double loss(const Batch& batch);  // in training mode; changes nothing
  double gradient(const Batch& batch, std::vector<double>& gradient);  // likewise
  torch::Tensor predict(const torch::Tensor& inputs);  // float on the CPU, examples × outputs
  // Sets the buffers to their means over the minibatches.
  void recompute(int64_t count, const std::function<Batch(int64_t)>& batch);

  State state();
  void set_state(const State& state);

 private:
  torch::Tensor mean_loss(const torch::Tensor& outputs, const torch::Tensor& targets) const;
  // The loss and, in the network, its gradient.
  torch::Tensor evaluate(const Batch& batch, Mode mode);
  Outcome advance_on_device(const Batch& batch);  // the move that move_ was set to

  // A Step of an accelerator with minibatches of one size, and where it reads and writes.
  struct Step {
    Batch batch;
    torch::Tensor outcome;
    Recording recording;
  };

  Kind kind_;
  Lane lane_;
  Network network_;
  torch::Tensor momenta_;
  std::vector<Segment> segments_;
  uint64_t key_ = 0, step_ = 0;
  std::optional<DeviceMove> move_;  // on an accelerator
  std::map<std::tuple<int64_t, std::tuple<bool, double, bool>>, Step> steps_;
};

}  // namespace r2sgld
