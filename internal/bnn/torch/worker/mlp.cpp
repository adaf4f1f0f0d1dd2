// Linear maps with activations between them; without hidden layers, one linear map.
#include "layers.h"

namespace r2sgld {

namespace {

class MLP : public Model {
 public:
  MLP(const Spec& spec, Plan& plan, Norm::Kind norm, Activation activation) {
    int64_t in = spec.channels * spec.height * spec.width;
    for (const int64_t width : spec.hidden) {
      const std::string number = std::to_string(linear_.size() + 1);
      linear_.emplace_back(plan, "fc" + number, in, width);
      norms_.emplace_back(plan, "bn" + number, norm, activation, width);
      in = width;
    }
    linear_.emplace_back(plan, "fc" + std::to_string(linear_.size() + 1), in, spec.outputs);
  }

  torch::Tensor forward(const torch::Tensor& input, const Pass& pass) const override {
    torch::Tensor x = input.flatten(1);
    for (size_t i = 0; i < norms_.size(); i++) x = norms_[i](linear_[i](x, pass), pass);
    return linear_.back()(x, pass);
  }

 private:
  std::vector<Linear> linear_;
  std::vector<Norm> norms_;
};

}  // namespace

std::unique_ptr<Model> make_mlp(const Spec& spec, Plan& plan) {
  Norm::Kind norm = Norm::kind_named(spec.norm.empty() ? "none" : spec.norm);
  Activation activation = activation_named(spec.activation);
  if (norm == Norm::Kind::frn) {
    // A hidden layer has no height and width to take means over: frn is swish alone.
    norm = Norm::Kind::none;
    activation = Activation::swish;
  }
  return std::make_unique<MLP>(spec, plan, norm, activation);
}

}  // namespace r2sgld
