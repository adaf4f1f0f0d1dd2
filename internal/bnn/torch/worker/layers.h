// The layers that networks are built from. A layer is a few indices and numbers; its
// tensors are views into the network's vectors, handed to it at each pass.
#pragma once

#include <string>
#include <vector>

#include "network.h"
#include "norm.h"

namespace r2sgld {

// A Plan collects the tensors of a network in the order of PyTorch's state_dict.
class Plan {
 public:
  // Each returns the place of the new tensor in its list.
  size_t parameter(const std::string& name, const char* role, std::vector<int64_t> shape);
  size_t buffer(const std::string& name, const char* role, int64_t size);

  std::vector<Entry> parameters, buffers;
  int64_t parameter_count = 0, buffer_count = 0;
};

// A Pass is what layers need to compute: views of the vectors, by place in the plan.
struct Pass {
  const std::vector<torch::Tensor>& weights;
  const std::vector<torch::Tensor>& buffers;
  Mode mode;
};

// The function after a layer. Throws std::invalid_argument for other names.
Activation activation_named(const std::string& name);

// A Convolution of square windows.
class Convolution {
 public:
  struct Shape {
    int64_t in, out, kernel;
    int64_t stride = 1, padding = 0;
    bool bias = false;
  };
  Convolution(Plan& plan, const std::string& name, const Shape& shape);
  torch::Tensor operator()(const torch::Tensor& x, const Pass& pass) const;

 private:
  Shape shape_;
  size_t weight_, bias_ = 0;
};

// A Linear map with bias.
class Linear {
 public:
  Linear(Plan& plan, const std::string& name, int64_t in, int64_t out);
  torch::Tensor operator()(const torch::Tensor& x, const Pass& pass) const;

 private:
  size_t weight_, bias_;
};

// A Norm is a normalisation and the activation after it.
class Norm {
 public:
  enum class Kind { none, batch, frn };
  static Kind kind_named(const std::string& name);  // throws std::invalid_argument

  Norm(Plan& plan, const std::string& name, Kind kind, Activation activation, int64_t channels);
  torch::Tensor operator()(const torch::Tensor& x, const Pass& pass) const;
  // The same with something added before the activation.
  torch::Tensor operator()(const torch::Tensor& x, const torch::Tensor& residual,
                           const Pass& pass) const;

 private:
  Kind kind_;
  Activation activation_;
  size_t scale_ = 0, shift_ = 0, mean_ = 0, variance_ = 0;
};

// A Model is a family of networks: resnet.cpp, lenet.cpp, mlp.cpp.
class Model {
 public:
  virtual ~Model() = default;
  virtual torch::Tensor forward(const torch::Tensor& input, const Pass& pass) const = 0;
};

// Each throws std::invalid_argument where the spec makes no sense.
std::unique_ptr<Model> make_resnet(const Spec& spec, Plan& plan);
std::unique_ptr<Model> make_lenet(const Spec& spec, Plan& plan);
std::unique_ptr<Model> make_mlp(const Spec& spec, Plan& plan);

}  // namespace r2sgld
