#include "norm.h"

#include <cmath>
#include <vector>

#include "loops.h"

namespace r2sgld {

namespace {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr double kBatchEpsilon = 1e-5, kResponseEpsilon = 1e-6;

// Dense, channels fastest, of the given type.
Tensor dense(const Tensor& x, torch::Dtype dtype) {
  return x.to(dtype).contiguous(x.dim() == 4 ? torch::MemoryFormat::ChannelsLast
                                             : torch::MemoryFormat::Contiguous);
}

Tensor like(const Tensor& x) {
  return torch::empty(x.sizes(), x.options(),
                      x.dim() == 4 ? torch::MemoryFormat::ChannelsLast
                                   : torch::MemoryFormat::Contiguous);
}

std::vector<double> numbers(const Tensor& x) {
  const Tensor d = x.detach().to(torch::kFloat64).contiguous();
  return std::vector<double>(d.data_ptr<double>(), d.data_ptr<double>() + d.numel());
}

Tensor vector_of(const std::vector<double>& v, const Tensor& like) {
  return torch::tensor(v, torch::kFloat64).to(like.scalar_type());
}

// Mean and 1/sqrt(variance + ε) of each channel.
struct Statistics {
  std::vector<double> mean, scale;
};

template <class T>
Statistics of_batch(const Rows& rows, const T* x, const Tensor& running_mean,
                    const Tensor& running_variance, bool move) {
  const Rows head(std::min<int64_t>(rows.count, 64), rows.channels);
  const std::vector<double> zero(rows.channels, 0.0);
  // Deviations from about the mean lose no digits when squared.
  std::vector<double> pivot = moments(head, x, zero).first;
  for (double& p : pivot) p = static_cast<T>(p / static_cast<double>(head.count));
  const Sums sums = moments(rows, x, pivot);
  const double n = static_cast<double>(rows.count);
  Statistics s{std::vector<double>(rows.channels), std::vector<double>(rows.channels)};
  T* const mean = running_mean.data_ptr<T>();
  T* const variance = running_variance.data_ptr<T>();
  for (int64_t c = 0; c < rows.channels; c++) {
    const double d = sums.first[c] / n;
    const double v = std::max(0.0, sums.second[c] / n - d * d);
    s.mean[c] = pivot[c] + d;
    s.scale[c] = 1 / std::sqrt(v + kBatchEpsilon);
    if (!move) continue;
    const double unbiased = v * n / std::max(1.0, n - 1);
    mean[c] = static_cast<T>((1 - kBatchMomentum) * mean[c] + kBatchMomentum * s.mean[c]);
    variance[c] = static_cast<T>((1 - kBatchMomentum) * variance[c] +
                                 kBatchMomentum * unbiased);
  }
  return s;
}

Statistics of_running(const Tensor& running_mean, const Tensor& running_variance) {
  Statistics s{numbers(running_mean), numbers(running_variance)};
  for (double& v : s.scale) v = 1 / std::sqrt(v + kBatchEpsilon);
  return s;
}

std::vector<double> product(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> p(a.size());
  for (size_t i = 0; i < a.size(); i++) p[i] = a[i] * b[i];
  return p;
}

// Batch norm, sum with a residual (an empty tensor is none: an undefined one may not be
// an argument) and ReLU in one.
class BatchNorm : public torch::autograd::Function<BatchNorm> {
 public:
  static Tensor forward(AutogradContext* context, Tensor x, Tensor residual, Tensor scale,
                        Tensor shift, Tensor mean, Tensor variance, int64_t mode, bool relu) {
    const torch::Dtype dtype = scale.scalar_type();
    const Tensor in = dense(x, dtype);
    const bool add = residual.numel() > 0;
    const Tensor other = add ? dense(residual, dtype) : residual;
    const Tensor out = like(in);
    Statistics s;
    AT_DISPATCH_FLOATING_TYPES(dtype, "batch_norm", [&] {
      s = run<scalar_t>(in, other, scale, shift, mean, variance, static_cast<Mode>(mode), relu,
                        out);
    });
    context->save_for_backward({in, relu ? out : scale, scale,
                                torch::tensor(s.mean, torch::kFloat64),
                                torch::tensor(s.scale, torch::kFloat64)});
    context->saved_data["relu"] = relu;
    context->saved_data["residual"] = add;
    context->saved_data["fixed"] = static_cast<Mode>(mode) == Mode::evaluate;
    return out;
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const variable_list saved = context->get_saved_variables();
    const torch::Dtype dtype = saved[2].scalar_type();
    variable_list result(8);
    AT_DISPATCH_FLOATING_TYPES(dtype, "batch_norm", [&] {
      back<scalar_t>(context, saved, dense(gradients[0], dtype), result);
    });
    return result;
  }

 private:
  template <class T>
  static Statistics run(const Tensor& x, const Tensor& residual, const Tensor& scale,
                        const Tensor& shift, const Tensor& mean, const Tensor& variance, Mode mode,
                        bool relu, const Tensor& y) {
    const Rows rows(x.numel() / x.size(1), x.size(1));
    const T* in = x.data_ptr<T>();
    const Statistics s = mode == Mode::evaluate
                             ? of_running(mean, variance)
                             : of_batch<T>(rows, in, mean, variance, mode == Mode::train);
    const Affine<T> affine(rows, s.mean, product(numbers(scale), s.scale), numbers(shift));
    affine_map(rows, affine, in, residual.numel() > 0 ? residual.data_ptr<T>() : nullptr, relu,
          y.data_ptr<T>());
    return s;
  }

  template <class T>
  static void back(AutogradContext* context, const variable_list& saved, const Tensor& dy,
                   variable_list& result) {
    const Tensor& x = saved[0];
    const bool relu = context->saved_data["relu"].toBool();
    const bool add = context->saved_data["residual"].toBool();
    const Rows rows(x.numel() / x.size(1), x.size(1));
    const std::vector<double> mean = numbers(saved[3]), inverse = numbers(saved[4]);
    const T* in = x.data_ptr<T>();
    const T* out = relu ? saved[1].data_ptr<T>() : nullptr;
    const T* up = dy.data_ptr<T>();
    const bool keep = relu && add;
    const Tensor g = keep ? like(x) : dy;
    const Sums sums = gradient_sums(rows, mean, in, out, up, keep ? g.data_ptr<T>() : nullptr);
    const double n = static_cast<double>(rows.count);
    std::vector<double> offset(rows.channels, 0.0), slope(rows.channels, 0.0);
    if (!context->saved_data["fixed"].toBool()) {
      for (int64_t c = 0; c < rows.channels; c++) {
        offset[c] = sums.first[c] / n;
        slope[c] = sums.second[c] / n * inverse[c] * inverse[c];
      }
    }
    const Tensor dx = like(x);
    const Affine<T> affine(rows, mean, product(numbers(saved[2]), inverse), offset);
    if (keep) {
      input_gradient<T>(rows, affine, slope, in, nullptr, g.data_ptr<T>(), dx.data_ptr<T>());
    } else {
      input_gradient<T>(rows, affine, slope, in, out, up, dx.data_ptr<T>());
    }
    result[0] = dx;
    if (add) result[1] = g;
    result[2] = vector_of(product(sums.second, inverse), x);
    result[3] = vector_of(sums.first, x);
  }
};

// s·x / sqrt(mean of x² over rows of an image + ε), per image and channel.
class ResponseNorm : public torch::autograd::Function<ResponseNorm> {
 public:
  static Tensor forward(AutogradContext* context, Tensor x, Tensor residual, Tensor scale,
                        Tensor shift) {
    const torch::Dtype dtype = scale.scalar_type();
    const Tensor in = dense(x, dtype);
    const bool add = residual.numel() > 0;
    const Tensor other = add ? dense(residual, dtype) : residual;
    const Tensor out = like(in);
    const Tensor inverse = torch::empty({x.size(0), x.size(1)}, torch::kFloat64);
    AT_DISPATCH_FLOATING_TYPES(dtype, "filter_response_norm", [&] {
      run<scalar_t>(in, other, scale, shift, inverse, out);
    });
    context->save_for_backward({in, scale, inverse});
    context->saved_data["residual"] = add;
    return out;
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const variable_list saved = context->get_saved_variables();
    const torch::Dtype dtype = saved[1].scalar_type();
    const Tensor dy = dense(gradients[0], dtype);
    variable_list result(4);
    AT_DISPATCH_FLOATING_TYPES(dtype, "filter_response_norm",
                               [&] { back<scalar_t>(saved, dy, result); });
    if (context->saved_data["residual"].toBool()) result[1] = dy;
    return result;
  }

 private:
  template <class T>
  static void run(const Tensor& x, const Tensor& residual, const Tensor& scale,
                  const Tensor& shift, const Tensor& inverse, const Tensor& y) {
    const int64_t channels = x.size(1), images = x.size(0);
    const Rows rows(x.numel() / std::max<int64_t>(1, images * channels), channels);
    const int64_t size = rows.count * channels;
    const std::vector<double> zero(channels, 0.0), factor = numbers(scale), add = numbers(shift);
    const bool has = residual.numel() > 0;
    for (int64_t i = 0; i < images; i++) {
      const T* in = x.data_ptr<T>() + i * size;
      const Sums sums = moments(rows, in, zero);
      double* const r = inverse.data_ptr<double>() + i * channels;
      std::vector<double> f(channels);
      for (int64_t c = 0; c < channels; c++) {
        r[c] = 1 / std::sqrt(sums.second[c] / static_cast<double>(rows.count) + kResponseEpsilon);
        f[c] = factor[c] * r[c];
      }
      affine_map(rows, Affine<T>(rows, zero, f, add), in,
            has ? residual.data_ptr<T>() + i * size : nullptr, false, y.data_ptr<T>() + i * size);
    }
  }

  template <class T>
  static void back(const variable_list& saved, const Tensor& dy, variable_list& result) {
    const Tensor& x = saved[0];
    const int64_t channels = x.size(1), images = x.size(0);
    const Rows rows(x.numel() / std::max<int64_t>(1, images * channels), channels);
    const int64_t size = rows.count * channels;
    const double n = static_cast<double>(rows.count);
    const std::vector<double> zero(channels, 0.0), scale = numbers(saved[1]);
    std::vector<double> d_scale(channels, 0.0), d_shift(channels, 0.0);
    const Tensor dx = like(x);
    for (int64_t i = 0; i < images; i++) {
      const T* in = x.data_ptr<T>() + i * size;
      const T* up = dy.data_ptr<T>() + i * size;
      const double* r = saved[2].data_ptr<double>() + i * channels;
      const Sums sums = gradient_sums<T>(rows, zero, in, nullptr, up, nullptr);
      std::vector<double> factor(channels), slope(channels);
      for (int64_t c = 0; c < channels; c++) {
        factor[c] = scale[c] * r[c];
        slope[c] = sums.second[c] / n * r[c] * r[c];
        d_scale[c] += sums.second[c] * r[c];
        d_shift[c] += sums.first[c];
      }
      input_gradient<T>(rows, Affine<T>(rows, zero, factor, zero), slope, in, nullptr, up,
                        dx.data_ptr<T>() + i * size);
    }
    result[0] = dx;
    result[2] = vector_of(d_scale, x);
    result[3] = vector_of(d_shift, x);
  }
};

Tensor none_like(const Tensor& x) { return torch::empty({0}, x.options()); }

}  // namespace

Tensor activate(const Tensor& x, Activation activation) {
  switch (activation) {
    case Activation::relu:
      return torch::relu(x);
    case Activation::tanh:
      return torch::tanh(x);
    case Activation::swish:
      return torch::silu(x);
    case Activation::none:
      break;
  }
  return x;
}

Tensor batch_norm(const Tensor& x, const Tensor& residual, const BatchNormTensors& t, Mode mode,
                  Activation activation) {
  if (x.is_cpu()) {
    const bool relu = activation == Activation::relu;
    const Tensor y =
        BatchNorm::apply(x, residual.defined() ? residual : none_like(t.scale), t.scale, t.shift,
                         t.mean, t.variance, static_cast<int64_t>(mode), relu);
    return relu ? y : activate(y, activation);
  }
  const bool peek = mode == Mode::peek;
  const Tensor y = torch::batch_norm(x, t.scale, t.shift, peek ? Tensor() : t.mean,
                                     peek ? Tensor() : t.variance, mode != Mode::evaluate,
                                     kBatchMomentum, kBatchEpsilon, x.is_cuda());
  return activate(residual.defined() ? y + residual : y, activation);
}

Tensor filter_response_norm(const Tensor& x, const Tensor& residual, const Tensor& scale,
                            const Tensor& shift, Activation activation) {
  if (x.is_cpu()) {
    const Tensor none = none_like(scale);
    return activate(ResponseNorm::apply(x, residual.defined() ? residual : none, scale, shift),
                    activation);
  }
  const Tensor in = x.to(scale.scalar_type());
  const Tensor power = (in * in).mean({2, 3}, /*keepdim=*/true);
  const Tensor y = in * torch::rsqrt(power + kResponseEpsilon) * scale.view({1, -1, 1, 1}) +
                   shift.view({1, -1, 1, 1});
  return activate(residual.defined() ? y + residual : y, activation);
}

}  // namespace r2sgld
