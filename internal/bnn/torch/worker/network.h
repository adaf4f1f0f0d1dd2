// A network whose parameters are one vector: what it is made of, and outputs from
// inputs.
#pragma once

#include <torch/types.h>

#include <memory>
#include <string>
#include <vector>

namespace r2sgld {

// A Spec names an architecture (see the Go type bnn.Network).
struct Spec {
  std::string kind;        // resnet8 … resnet110, bottleneck56, lenet, mlp
  std::string norm;        // batch, frn, none
  std::string activation;  // relu, tanh, swish
  std::vector<int64_t> hidden;
  int64_t channels = 0, height = 0, width = 0;
  int64_t outputs = 0;
};

// An Entry is a named piece of the vector of parameters or of buffers.
struct Entry {
  std::string name;  // as in PyTorch's state_dict
  std::string role;  // weight, bias, scale, shift; of buffers mean, variance
  std::vector<int64_t> shape;
  int64_t offset = 0;

  int64_t size() const;  // how many numbers
};

// What becomes of the statistics of batch norm.
enum class Mode {
  train,     // those of the batch; running means move
  peek,      // those of the batch; nothing moves
  evaluate,  // the running ones
};

// A Network owns flat vectors of parameters, gradient and buffers; its layers are
// views of them. One thread uses it at a time.
class Network {
 public:
  // Throws std::invalid_argument, with what to do, where the spec makes no sense.
  Network(const Spec& spec, torch::Dtype dtype, torch::Device device);
  ~Network();

  const std::vector<Entry>& parameters() const;
  const std::vector<Entry>& buffers() const;

  // Flat, in the order of parameters(), contiguous: PyTorch's order of each tensor.
  torch::Tensor theta();     // without gradient tracking
  torch::Tensor gradient();  // where backward() adds to; same length
  torch::Tensor state();     // running means and variances; same order as buffers()

  // Logits (batch × outputs) of inputs (batch × channels × height × width), channels
  // last. The graph leads to gradient().
  torch::Tensor forward(const torch::Tensor& input, Mode mode);

  // Fresh weights from standard normal numbers, flat as theta(): times sqrt(2/fan in) for
  // convolutions and linear maps; zero biases and shifts, scales one, buffers as new.
  void initialise(const torch::Tensor& normals);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

// Memory for tensors that is kept and given out again, by size. Call once, before the
// first tensor.
void keep_memory();

}  // namespace r2sgld
