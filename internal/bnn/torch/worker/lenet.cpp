// LeNet (LeCun et al. 1998) as it is usually written today: two 5×5 convolutions, each
// with normalisation, activation and maximum over 2×2, then three linear maps. Only the
// convolutions are normalised.
#include <stdexcept>

#include "layers.h"

namespace r2sgld {

namespace {

int64_t extent(int64_t side) { return ((side - 4) / 2 - 4) / 2; }

class LeNet : public Model {
 public:
  LeNet(const Spec& spec, Plan& plan, Norm::Kind norm, Activation activation)
      : activation_(activation),
        conv1_(plan, "conv1", {spec.channels, 6, 5, 1, 0, true}),
        norm1_(plan, "bn1", norm, activation, 6),
        conv2_(plan, "conv2", {6, 16, 5, 1, 0, true}),
        norm2_(plan, "bn2", norm, activation, 16),
        fc1_(plan, "fc1", 16 * extent(spec.height) * extent(spec.width), 120),
        fc2_(plan, "fc2", 120, 84),
        fc3_(plan, "fc3", 84, spec.outputs) {}

  torch::Tensor forward(const torch::Tensor& input, const Pass& pass) const override {
    torch::Tensor x = torch::max_pool2d(norm1_(conv1_(input, pass), pass), 2);
    x = torch::max_pool2d(norm2_(conv2_(x, pass), pass), 2);
    x = activate(fc1_(x.flatten(1), pass), activation_);
    return fc3_(activate(fc2_(x, pass), activation_), pass);
  }

 private:
  Activation activation_;
  Convolution conv1_;
  Norm norm1_;
  Convolution conv2_;
  Norm norm2_;
  Linear fc1_, fc2_, fc3_;
};

}  // namespace

std::unique_ptr<Model> make_lenet(const Spec& spec, Plan& plan) {
  if (spec.height < 16 || spec.width < 16) {
    throw std::invalid_argument("lenet needs images of 16×16 or more");
  }
  const Norm::Kind norm = Norm::kind_named(spec.norm.empty() ? "none" : spec.norm);
  const Activation activation =
      norm == Norm::Kind::frn ? Activation::swish : activation_named(spec.activation);
  return std::make_unique<LeNet>(spec, plan, norm, activation);
}

}  // namespace r2sgld
