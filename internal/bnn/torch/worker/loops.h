// Loops over a matrix of rows × channels (channels fastest) for normalisation on the
// CPU. Rows are taken several at a time, as one wide row, so that every loop is long and
// its lanes independent. Sums over a block of rows are in T, sums of blocks in double:
// the error does not grow with the batch.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace r2sgld {

// Shape of the matrix, and how many rows make a wide one.
struct Rows {
  Rows(int64_t count, int64_t channels)
      : count(count), channels(channels), fold(std::max<int64_t>(1, 128 / channels)) {}

  int64_t width() const { return fold * channels; }

  // A number a channel, repeated along a wide row.
  template <class T>
  std::vector<T> wide(const std::vector<double>& per_channel) const {
    std::vector<T> w(width());
    for (int64_t i = 0; i < width(); i++) w[i] = static_cast<T>(per_channel[i % channels]);
    return w;
  }

  // Calls each(first element, elements) for every wide row and the shorter last one.
  template <class Each>
  void over(const Each& each) const {
    const int64_t total = count * channels, step = width();
    for (int64_t at = 0; at < total; at += step) each(at, std::min(step, total - at));
  }

  int64_t count, channels, fold;
};

// Two sums for each channel.
struct Sums {
  std::vector<double> first, second;
};

// Adds up blocks of wide rows: each(element, elements, first, second) adds a wide row to
// the lanes first and second.
template <class T, class Each>
Sums block_sums(const Rows& rows, const Each& each) {
  constexpr int64_t block = 64;  // wide rows: a lane adds up 64 numbers in T
  const int64_t width = rows.width();
  Sums sums{std::vector<double>(rows.channels), std::vector<double>(rows.channels)};
  std::vector<T> first(width), second(width);
  const auto flush = [&] {
    for (int64_t i = 0; i < width; i += rows.channels) {
      for (int64_t c = 0; c < rows.channels; c++) {
        sums.first[c] += static_cast<double>(first[i + c]);
        sums.second[c] += static_cast<double>(second[i + c]);
      }
    }
    std::fill(first.begin(), first.end(), T{0});
    std::fill(second.begin(), second.end(), T{0});
  };
  int64_t done = 0;
  rows.over([&](int64_t at, int64_t n) {
    each(at, n, first.data(), second.data());
    if (++done % block == 0) flush();
  });
  flush();
  return sums;
}

// Σ (x − pivot) and Σ (x − pivot)².
template <class T>
Sums moments(const Rows& rows, const T* x, const std::vector<double>& pivots) {
  const std::vector<T> pivot = rows.wide<T>(pivots);
  return block_sums<T>(rows, [&](int64_t at, int64_t n, T* __restrict first,
                                 T* __restrict second) {
    const T* __restrict in = x + at;
    const T* __restrict p = pivot.data();
    for (int64_t i = 0; i < n; i++) {
      const T d = in[i] - p[i];
      first[i] += d;
      second[i] += d * d;
    }
  });
}

// What maps x to (x − mean)·factor + shift, repeated along a wide row.
template <class T>
struct Affine {
  Affine(const Rows& rows, const std::vector<double>& means, const std::vector<double>& factors,
         const std::vector<double>& shifts)
      : mean(rows.wide<T>(means)), factor(rows.wide<T>(factors)), shift(rows.wide<T>(shifts)) {}
  std::vector<T> mean, factor, shift;
};

// y = (x − mean)·factor + shift [+ residual] [and not less than 0].
template <class T, bool kRelu, bool kResidual>
void affine_as(const Rows& rows, const Affine<T>& affine, const T* x, const T* residual, T* y) {
  rows.over([&](int64_t at, int64_t n) {
    const T* __restrict in = x + at;
    const T* __restrict add = kResidual ? residual + at : nullptr;
    const T* __restrict m = affine.mean.data();
    const T* __restrict f = affine.factor.data();
    const T* __restrict s = affine.shift.data();
    T* __restrict out = y + at;
    for (int64_t i = 0; i < n; i++) {
      T z = (in[i] - m[i]) * f[i] + s[i];
      if (kResidual) z += add[i];
      if (kRelu) z = z > T{0} ? z : (z != z ? z : T{0});  // NaN stays
      out[i] = z;
    }
  });
}

// The same; residual may be null.
template <class T>
void affine_map(const Rows& rows, const Affine<T>& affine, const T* x, const T* residual, bool relu,
           T* y) {
  if (residual != nullptr) {
    if (relu) return affine_as<T, true, true>(rows, affine, x, residual, y);
    return affine_as<T, false, true>(rows, affine, x, residual, y);
  }
  if (relu) return affine_as<T, true, false>(rows, affine, x, residual, y);
  return affine_as<T, false, false>(rows, affine, x, residual, y);
}

// Σ g and Σ g·(x − mean) with g = dy where y > 0, else 0 (g = dy without kRelu); g is
// kept when kKeep.
template <class T, bool kRelu, bool kKeep>
Sums gradient_sums_as(const Rows& rows, const std::vector<double>& means, const T* x, const T* y,
                      const T* dy, T* g) {
  const std::vector<T> mean = rows.wide<T>(means);
  return block_sums<T>(rows, [&](int64_t at, int64_t n, T* __restrict first,
                                 T* __restrict second) {
    const T* __restrict in = x + at;
    const T* __restrict out = kRelu ? y + at : nullptr;
    const T* __restrict up = dy + at;
    const T* __restrict m = mean.data();
    T* __restrict keep = kKeep ? g + at : nullptr;
    for (int64_t i = 0; i < n; i++) {
      T d = up[i];
      if (kRelu) d = out[i] > T{0} ? d : T{0};
      if (kKeep) keep[i] = d;
      first[i] += d;
      second[i] += d * (in[i] - m[i]);
    }
  });
}

// The same; without ReLU y is null, and g null where it is not kept.
template <class T>
Sums gradient_sums(const Rows& rows, const std::vector<double>& means, const T* x, const T* y,
                   const T* dy, T* g) {
  if (y == nullptr) return gradient_sums_as<T, false, false>(rows, means, x, y, dy, g);
  if (g == nullptr) return gradient_sums_as<T, true, false>(rows, means, x, y, dy, g);
  return gradient_sums_as<T, true, true>(rows, means, x, y, dy, g);
}

// dx = (g − shift − (x − mean)·slope)·factor, g as above.
template <class T, bool kRelu>
void input_gradient_as(const Rows& rows, const Affine<T>& affine,
                       const std::vector<double>& slopes, const T* x, const T* y, const T* dy,
                       T* dx) {
  const std::vector<T> slope = rows.wide<T>(slopes);
  rows.over([&](int64_t at, int64_t n) {
    const T* __restrict in = x + at;
    const T* __restrict out = kRelu ? y + at : nullptr;
    const T* __restrict up = dy + at;
    const T* __restrict m = affine.mean.data();
    const T* __restrict f = affine.factor.data();
    const T* __restrict s = affine.shift.data();
    const T* __restrict k = slope.data();
    T* __restrict to = dx + at;
    for (int64_t i = 0; i < n; i++) {
      T d = up[i];
      if (kRelu) d = out[i] > T{0} ? d : T{0};
      to[i] = (d - s[i] - (in[i] - m[i]) * k[i]) * f[i];
    }
  });
}

// The same; without ReLU y is null.
template <class T>
void input_gradient(const Rows& rows, const Affine<T>& affine, const std::vector<double>& slopes,
                    const T* x, const T* y, const T* dy, T* dx) {
  if (y == nullptr) return input_gradient_as<T, false>(rows, affine, slopes, x, y, dy, dx);
  return input_gradient_as<T, true>(rows, affine, slopes, x, y, dy, dx);
}

}  // namespace r2sgld
