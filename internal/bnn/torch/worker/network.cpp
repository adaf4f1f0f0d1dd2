#include "network.h"

#include <cmath>
#include <stdexcept>

#include "layers.h"

namespace r2sgld {

namespace {

void check(const Spec& spec) {
  if (spec.channels < 1 || spec.height < 1 || spec.width < 1) {
    throw std::invalid_argument("channels, height and width of the input must be 1 or more");
  }
  if (spec.outputs < 1) throw std::invalid_argument("outputs must be 1 or more");
  for (const int64_t width : spec.hidden) {
    if (width < 1) throw std::invalid_argument("hidden layers must be 1 wide or more");
  }
}

std::unique_ptr<Model> make_model(const Spec& spec, Plan& plan) {
  check(spec);
  if (spec.kind == "lenet") return make_lenet(spec, plan);
  if (spec.kind == "mlp") return make_mlp(spec, plan);
  return make_resnet(spec, plan);
}

torch::Tensor view_of(const torch::Tensor& flat, const Entry& entry) {
  return flat.narrow(0, entry.offset, entry.size()).view(entry.shape).detach();
}

// An image of one channel is as much channels first as last; strides decide which way
// convolutions take it.
torch::Tensor channels_last(const torch::Tensor& x) {
  const torch::Tensor dense = x.contiguous(torch::MemoryFormat::ChannelsLast);
  const int64_t c = x.size(1), h = x.size(2), w = x.size(3);
  return dense.as_strided(x.sizes(), {h * w * c, 1, w * c, c});
}

}  // namespace

int64_t Entry::size() const {
  int64_t size = 1;
  for (const int64_t n : shape) size *= n;
  return size;
}

struct Network::Parts {
  Plan plan;
  std::unique_ptr<Model> model;
  torch::Tensor theta, gradient, state;
  std::vector<torch::Tensor> weights;  // leaves: views of theta whose gradients are views too
  std::vector<torch::Tensor> buffers;
};

Network::Network(const Spec& spec, torch::Dtype dtype, torch::Device device)
    : parts_(std::make_unique<Parts>()) {
  Parts& p = *parts_;
  p.model = make_model(spec, p.plan);
  const auto options = torch::TensorOptions().dtype(dtype).device(device);
  p.theta = torch::zeros({p.plan.parameter_count}, options);
  p.gradient = torch::zeros({p.plan.parameter_count}, options);
  p.state = torch::zeros({p.plan.buffer_count}, options);
  for (const Entry& entry : p.plan.parameters) {
    torch::Tensor weight = view_of(p.theta, entry).requires_grad_();
    // Backward adds to a gradient that is there in place.
    weight.mutable_grad() = view_of(p.gradient, entry);
    p.weights.push_back(weight);
  }
  for (const Entry& entry : p.plan.buffers) {
    p.buffers.push_back(view_of(p.state, entry));
    if (entry.role == "variance") p.buffers.back().fill_(1);
  }
}

Network::~Network() = default;

const std::vector<Entry>& Network::parameters() const { return parts_->plan.parameters; }
const std::vector<Entry>& Network::buffers() const { return parts_->plan.buffers; }
torch::Tensor Network::theta() { return parts_->theta; }
torch::Tensor Network::gradient() { return parts_->gradient; }
torch::Tensor Network::state() { return parts_->state; }

torch::Tensor Network::forward(const torch::Tensor& input, Mode mode) {
  const Pass pass{parts_->weights, parts_->buffers, mode};
  return parts_->model->forward(channels_last(input), pass);
}

void Network::initialise(const torch::Tensor& normals) {
  const torch::NoGradGuard guard;
  for (const Entry& entry : parts_->plan.parameters) {
    const int64_t size = entry.size();
    torch::Tensor part = parts_->theta.narrow(0, entry.offset, size);
    if (entry.role == "weight") {
      const double fan_in = static_cast<double>(size) / static_cast<double>(entry.shape[0]);
      part.copy_(normals.narrow(0, entry.offset, size)).mul_(std::sqrt(2 / fan_in));
    } else {
      part.fill_(entry.role == "scale" ? 1 : 0);
    }
  }
  parts_->gradient.zero_();
  for (size_t i = 0; i < parts_->buffers.size(); i++) {
    parts_->buffers[i].fill_(parts_->plan.buffers[i].role == "variance" ? 1 : 0);
  }
}

}  // namespace r2sgld
