// Residual networks for small images (He et al. 2016, §4.2): three stages of 16, 32 and
// 64 channels, strides 1, 2, 2; where shapes change, the shortcut is a 1×1 convolution
// with normalisation, as in the code of Deng et al. and of the paper.
#include <optional>
#include <stdexcept>

#include "layers.h"

namespace r2sgld {

namespace {

struct Style {
  bool bottleneck;
  Norm::Kind norm;
  Activation activation;
};

// A Block is two 3×3 convolutions, or 1×1, 3×3, 1×1 with four times as many channels at
// its end.
class Block {
 public:
  static int64_t expansion(const Style& style) { return style.bottleneck ? 4 : 1; }

  Block(Plan& plan, const std::string& name, const Style& style, int64_t in, int64_t channels,
        int64_t stride) {
    const int64_t out = channels * expansion(style);
    if (style.bottleneck) {
      add(plan, name, style, {in, channels, 1}, style.activation);
      add(plan, name, style, {channels, channels, 3, stride, 1}, style.activation);
      add(plan, name, style, {channels, out, 1}, style.activation);
    } else {
      add(plan, name, style, {in, channels, 3, stride, 1}, style.activation);
      add(plan, name, style, {channels, out, 3, 1, 1}, style.activation);
    }
    if (stride != 1 || in != out) {
      const Convolution::Shape point{in, out, 1, stride};
      shortcut_ = Step{Convolution(plan, name + ".downsample.0", point),
                       Norm(plan, name + ".downsample.1", style.norm, Activation::none, out)};
    }
  }

  torch::Tensor operator()(const torch::Tensor& x, const Pass& pass) const {
    torch::Tensor y = x;
    for (size_t i = 0; i + 1 < steps_.size(); i++) {
      y = steps_[i].norm(steps_[i].convolution(y, pass), pass);
    }
    const torch::Tensor residual =
        shortcut_ ? shortcut_->norm(shortcut_->convolution(x, pass), pass) : x;
    const Step& last = steps_.back();
    return last.norm(last.convolution(y, pass), residual, pass);
  }

 private:
  struct Step {
    Convolution convolution;
    Norm norm;
  };

  void add(Plan& plan, const std::string& name, const Style& style,
           const Convolution::Shape& shape, Activation activation) {
    const std::string number = std::to_string(steps_.size() + 1);
    Convolution convolution(plan, name + ".conv" + number, shape);
    Norm norm(plan, name + ".bn" + number, style.norm, activation, shape.out);
    steps_.push_back({convolution, norm});
  }

  std::vector<Step> steps_;
  std::optional<Step> shortcut_;
};

class ResNet : public Model {
 public:
  ResNet(const Spec& spec, Plan& plan, const Style& style, int64_t blocks)
      : first_(plan, "conv1", {spec.channels, 16, 3, 1, 1}),
        norm_(plan, "bn1", style.norm, style.activation, 16) {
    int64_t in = 16;
    for (int64_t stage = 0; stage < 3; stage++) {
      const int64_t channels = int64_t{16} << stage;
      for (int64_t i = 0; i < blocks; i++) {
        const std::string name = "layer" + std::to_string(stage + 1) + "." + std::to_string(i);
        blocks_.emplace_back(plan, name, style, in, channels, stage > 0 && i == 0 ? 2 : 1);
        in = channels * Block::expansion(style);
      }
    }
    last_.emplace(plan, "fc", in, spec.outputs);
  }

  torch::Tensor forward(const torch::Tensor& input, const Pass& pass) const override {
    torch::Tensor x = norm_(first_(input, pass), pass);
    for (const Block& block : blocks_) x = block(x, pass);
    return (*last_)(x.mean({2, 3}), pass);
  }

 private:
  Convolution first_;
  Norm norm_;
  std::vector<Block> blocks_;
  std::optional<Linear> last_;
};

// Blocks of a stage; 0 for other kinds. The bottleneck net has as many blocks as basic
// blocks would give 56 layers, as the paper's code counts.
int64_t blocks_of(const std::string& kind) {
  if (kind == "bottleneck56") return 9;
  for (const int64_t depth : {8, 20, 32, 44, 56, 110}) {
    if (kind == "resnet" + std::to_string(depth)) return (depth - 2) / 6;
  }
  return 0;
}

}  // namespace

std::unique_ptr<Model> make_resnet(const Spec& spec, Plan& plan) {
  const int64_t blocks = blocks_of(spec.kind);
  if (blocks == 0) {
    throw std::invalid_argument("no network is called \"" + spec.kind +
                                "\": use resnet8, resnet20, resnet32, resnet44, resnet56, "
                                "resnet110, bottleneck56, lenet or mlp");
  }
  const Norm::Kind norm = Norm::kind_named(spec.norm.empty() ? "batch" : spec.norm);
  if (norm == Norm::Kind::none) {
    throw std::invalid_argument("norm none is for lenet and mlp: use batch or frn for " +
                                spec.kind);
  }
  const Activation activation =
      norm == Norm::Kind::frn ? Activation::swish : Activation::relu;
  return std::make_unique<ResNet>(spec, plan, Style{spec.kind == "bottleneck56", norm, activation},
                                  blocks);
}

}  // namespace r2sgld
