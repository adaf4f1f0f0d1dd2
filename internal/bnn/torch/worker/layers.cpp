#include "layers.h"

#include <stdexcept>

namespace r2sgld {

namespace {

int64_t place(std::vector<Entry>& list, int64_t& count, Entry entry) {
  entry.offset = count;
  count += entry.size();
  list.push_back(std::move(entry));
  return static_cast<int64_t>(list.size()) - 1;
}

}  // namespace

size_t Plan::parameter(const std::string& name, const char* role, std::vector<int64_t> shape) {
  return place(parameters, parameter_count, {name, role, std::move(shape), 0});
}

size_t Plan::buffer(const std::string& name, const char* role, int64_t size) {
  return place(buffers, buffer_count, {name, role, {size}, 0});
}

Activation activation_named(const std::string& name) {
  if (name.empty() || name == "relu") return Activation::relu;
  if (name == "tanh") return Activation::tanh;
  if (name == "swish") return Activation::swish;
  throw std::invalid_argument("activation is \"" + name + "\": use relu, tanh or swish");
}

Convolution::Convolution(Plan& plan, const std::string& name, const Shape& shape)
    : shape_(shape),
      weight_(plan.parameter(name + ".weight", "weight",
                             {shape.out, shape.in, shape.kernel, shape.kernel})) {
  if (shape.bias) bias_ = plan.parameter(name + ".bias", "bias", {shape.out});
}

torch::Tensor Convolution::operator()(const torch::Tensor& x, const Pass& pass) const {
  return torch::conv2d(x, pass.weights[weight_],
                       shape_.bias ? pass.weights[bias_] : torch::Tensor(), shape_.stride,
                       shape_.padding);
}

Linear::Linear(Plan& plan, const std::string& name, int64_t in, int64_t out)
    : weight_(plan.parameter(name + ".weight", "weight", {out, in})),
      bias_(plan.parameter(name + ".bias", "bias", {out})) {}

torch::Tensor Linear::operator()(const torch::Tensor& x, const Pass& pass) const {
  return torch::linear(x, pass.weights[weight_], pass.weights[bias_]);
}

Norm::Kind Norm::kind_named(const std::string& name) {
  if (name == "none") return Kind::none;
  if (name == "batch") return Kind::batch;
  if (name == "frn") return Kind::frn;
  throw std::invalid_argument("norm is \"" + name + "\": use batch, frn or none");
}

Norm::Norm(Plan& plan, const std::string& name, Kind kind, Activation activation,
           int64_t channels)
    : kind_(kind), activation_(activation) {
  if (kind == Kind::none) return;
  scale_ = plan.parameter(name + ".weight", "scale", {channels});
  shift_ = plan.parameter(name + ".bias", "shift", {channels});
  if (kind != Kind::batch) return;
  mean_ = plan.buffer(name + ".running_mean", "mean", channels);
  variance_ = plan.buffer(name + ".running_var", "variance", channels);
}

torch::Tensor Norm::operator()(const torch::Tensor& x, const Pass& pass) const {
  return (*this)(x, torch::Tensor(), pass);
}

torch::Tensor Norm::operator()(const torch::Tensor& x, const torch::Tensor& residual,
                               const Pass& pass) const {
  switch (kind_) {
    case Kind::batch:
      return batch_norm(x, residual,
                        {pass.weights[scale_], pass.weights[shift_], pass.buffers[mean_],
                         pass.buffers[variance_]},
                        pass.mode, activation_);
    case Kind::frn:
      return filter_response_norm(x, residual, pass.weights[scale_], pass.weights[shift_],
                                  activation_);
    case Kind::none:
      break;
  }
  return activate(residual.defined() ? x + residual : x, activation_);
}

}  // namespace r2sgld
