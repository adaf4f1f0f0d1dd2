// Normalisations with what follows them (sum with a residual, activation) in one
// function: own loops on the CPU, ATen's functions elsewhere.
#pragma once

#include <torch/autograd.h>
#include <torch/types.h>

#include "network.h"

namespace r2sgld {

// By which batch norm moves its running statistics in Mode::train: PyTorch's.
constexpr double kBatchMomentum = 0.1;

enum class Activation { none, relu, tanh, swish };

torch::Tensor activate(const torch::Tensor& x, Activation activation);

// The tensors of a batch norm: one number a channel, all of one floating type.
struct BatchNormTensors {
  torch::Tensor scale, shift;     // parameters
  torch::Tensor mean, variance;   // running; they move by kBatchMomentum in Mode::train
};

// activation(batchnorm(x) + residual), ε = 1e-5, over all but the second dimension of x
// (batch × channels, or batch × channels × height × width). An undefined residual is
// none. Result in the type of scale, four dimensions channels last.
torch::Tensor batch_norm(const torch::Tensor& x, const torch::Tensor& residual,
                         const BatchNormTensors& tensors, Mode mode, Activation activation);

// activation(scale · x / sqrt(mean over height and width of x² + 1e-6) + shift +
// residual), for each image by itself: filter response normalisation (Singh and
// Krishnan 2020). Type and layout as above.
torch::Tensor filter_response_norm(const torch::Tensor& x, const torch::Tensor& residual,
                                   const torch::Tensor& scale, const torch::Tensor& shift,
                                   Activation activation);

}  // namespace r2sgld
