#include "replica.h"

#include <algorithm>

#include "norm.h"
#include "protocol.h"

namespace r2sgld {

namespace {

std::vector<Segment> segments_of(const Network& network, const Kind& kind) {
  std::vector<Segment> segments;
  for (const Entry& e : network.parameters()) {
    const int64_t size = e.size();
    const bool walled = kind.all_walled || std::find(kind.walled.begin(), kind.walled.end(),
                                                     e.role) != kind.walled.end();
    if (!segments.empty() && segments.back().walled == walled) {
      segments.back().end += size;
    } else if (size > 0) {
      segments.push_back({e.offset, e.offset + size, walled});
    }
  }
  return segments;
}

std::vector<double> to_vector(const torch::Tensor& t) {
  const torch::Tensor x = t.detach().to(torch::kCPU, torch::kFloat64).contiguous();
  return std::vector<double>(x.data_ptr<double>(), x.data_ptr<double>() + x.numel());
}

void copy_into(torch::Tensor to, const std::vector<double>& from, const char* what) {
  if (static_cast<int64_t>(from.size()) != to.numel()) {
    throw Failure(Reason::request, std::string("a state has ") + std::to_string(from.size()) + " " +
                                       what + ": the network has " + std::to_string(to.numel()));
  }
  torch::NoGradGuard no_gradient;
  to.copy_(torch::tensor(from, torch::kFloat64));
}

}  // namespace

Replica::Replica(const Kind& kind, uint64_t index)
    : kind_(kind),
      lane_(kind.device),
      network_(kind.spec, kind.precision.parameters, kind.device),
      segments_(segments_of(network_, kind)),
      key_(replica_key(kind.seed, index)) {
  torch::NoGradGuard no_gradient;
  const torch::Tensor theta = network_.theta();
  momenta_ = torch::zeros_like(theta);
  // The numbers are the CPU's on every device: runs start alike.
  torch::Tensor first = torch::empty({theta.numel()}, theta.scalar_type());
  const Stream stream{key_, counter_high(Purpose::weights, 0)};
  if (theta.scalar_type() == torch::kFloat64) {
    normals(stream, 0, first.numel(), first.data_ptr<double>());
  } else {
    normals(stream, 0, first.numel(), first.data_ptr<float>());
  }
  network_.initialise(first.to(kind.device));
  if (!kind.device.is_cpu()) move_.emplace(key_, kind.device);
}

torch::Tensor Replica::mean_loss(const torch::Tensor& outputs, const torch::Tensor& targets) const {
  const torch::Tensor out = outputs.to(kind_.precision.parameters);
  if (kind_.loss == Loss::cross_entropy) {
    return torch::nll_loss(torch::log_softmax(out, 1), targets);
  }
  return (out - targets).square().sum(1).mean().mul(0.5);
}

torch::Tensor Replica::evaluate(const Batch& batch, Mode mode) {
  torch::Tensor loss;
  {
    Autocast half(kind_.device, kind_.precision.half);
    loss = mean_loss(network_.forward(batch.inputs, mode), batch.targets);
  }
  network_.gradient().zero_();
  loss.backward();
  return loss.detach();
}

Outcome Replica::start(const Batch& batch) {
  c10::OptionalStreamGuard guard;
  lane_.enter(guard);
  Outcome outcome;
  outcome.loss = evaluate(batch, Mode::train).item<double>();
  outcome.tally.square = sum_of_squares(network_.theta());
  return outcome;
}

Outcome Replica::advance(const Move& move, const Batch& batch) {
  c10::OptionalStreamGuard guard;
  lane_.enter(guard);
  const uint64_t high = counter_high(Purpose::noise, step_++);
  if (move_) {
    move_->set(move, high);
    return advance_on_device(batch);
  }
  Outcome outcome;
  outcome.tally = r2sgld::advance({network_.theta(), momenta_, network_.gradient()}, segments_,
                                  {key_, high}, move);
  outcome.loss = evaluate(batch, Mode::train).item<double>();
  return outcome;
}

Outcome Replica::advance_on_device(const Batch& batch) {
  constexpr size_t kKept = 4;  // minibatches of an epoch are of two sizes
  const auto shape = std::make_tuple(batch.inputs.size(0), move_->shape());
  if (steps_.size() == kKept && steps_.count(shape) == 0) steps_.clear();
  Step& step = steps_[shape];
  if (!step.outcome.defined()) {
    step.batch = {torch::empty_like(batch.inputs), torch::empty_like(batch.targets)};
    step.outcome = torch::empty({4}, torch::dtype(torch::kFloat64).device(kind_.device));
  }
  step.batch.inputs.copy_(batch.inputs);
  step.batch.targets.copy_(batch.targets);
  step.recording.run([&] {
    torch::Tensor& to = step.outcome;
    to.slice(0, 1).copy_(move_->advance({network_.theta(), momenta_, network_.gradient()},
                                        segments_));
    to[0].copy_(evaluate(step.batch, Mode::train));
  });
  const torch::Tensor told = step.outcome.to(torch::kCPU);  // waits
  const double* numbers = told.data_ptr<double>();
  return {numbers[0], DeviceMove::tally(numbers + 1)};
}

double Replica::loss(const Batch& batch) {
  c10::OptionalStreamGuard guard;
  lane_.enter(guard);
  torch::NoGradGuard no_gradient;
  Autocast half(kind_.device, kind_.precision.half);
  const torch::Tensor outputs = network_.forward(batch.inputs, Mode::peek);
  return mean_loss(outputs, batch.targets).item<double>();
}

double Replica::gradient(const Batch& batch, std::vector<double>& gradient) {
  c10::OptionalStreamGuard guard;
  lane_.enter(guard);
  const torch::Tensor kept = network_.gradient().clone();
  const double loss = evaluate(batch, Mode::peek).item<double>();
  gradient = to_vector(network_.gradient());
  network_.gradient().copy_(kept);
  synchronize(kind_.device);  // state() reads it outside of the lane
  return loss;
}

torch::Tensor Replica::predict(const torch::Tensor& inputs) {
  c10::OptionalStreamGuard guard;
  lane_.enter(guard);
  torch::NoGradGuard no_gradient;
  Autocast half(kind_.device, kind_.precision.half);
  return network_.forward(inputs, Mode::evaluate).to(torch::kCPU, torch::kFloat32).contiguous();
}

void Replica::recompute(int64_t count, const std::function<Batch(int64_t)>& batch) {
  torch::NoGradGuard no_gradient;
  torch::Tensor buffers = network_.state();
  if (count == 0 || buffers.numel() == 0) return;
  torch::Tensor sum = torch::zeros_like(buffers, torch::kFloat64);
  for (int64_t i = 0; i < count; i++) {
    const Batch now = batch(i);
    synchronize(kind_.device);
    c10::OptionalStreamGuard guard;
    lane_.enter(guard);
    Autocast half(kind_.device, kind_.precision.half);
    buffers.zero_();  // then they move to this batch's times the momentum
    network_.forward(now.inputs, Mode::train);
    sum.add_(buffers.to(torch::kFloat64));
    synchronize(kind_.device);
  }
  buffers.copy_(sum.div_(kBatchMomentum * static_cast<double>(count)));
}

State Replica::state() {
  synchronize(kind_.device);
  State s;
  s.theta = to_vector(network_.theta());
  s.momenta = to_vector(momenta_);
  s.gradient = to_vector(network_.gradient());
  s.buffers = to_vector(network_.state());
  s.step = step_;
  return s;
}

void Replica::set_state(const State& state) {
  copy_into(network_.theta(), state.theta, "parameters");
  copy_into(momenta_, state.momenta, "momenta");
  copy_into(network_.gradient(), state.gradient, "numbers of a gradient");
  copy_into(network_.state(), state.buffers, "buffers");
  step_ = state.step;
}

}  // namespace r2sgld
