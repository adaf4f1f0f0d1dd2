#include "noise.h"

#include <algorithm>

#include "simd.h"

namespace r2sgld {

namespace {

constexpr int kCounters = 64;  // at once

// Words of consecutive counters, word w of counter i at w·kCounters + i.
R2SGLD_WIDE void many_words(uint64_t low, uint64_t high, uint64_t key, uint32_t* out) {
  for (int i = 0; i < kCounters; i++) {
    const uint64_t at = low + static_cast<uint64_t>(i);
    uint32_t c0 = static_cast<uint32_t>(at), c1 = static_cast<uint32_t>(at >> 32);
    uint32_t c2 = static_cast<uint32_t>(high), c3 = static_cast<uint32_t>(high >> 32);
    uint32_t k0 = static_cast<uint32_t>(key), k1 = static_cast<uint32_t>(key >> 32);
#pragma GCC unroll 10
    for (int round = 0; round < 10; round++) {
      const uint64_t p0 = uint64_t{kPhiloxM0} * c0, p1 = uint64_t{kPhiloxM1} * c2;
      c0 = static_cast<uint32_t>(p1 >> 32) ^ c1 ^ k0;
      c1 = static_cast<uint32_t>(p1);
      c2 = static_cast<uint32_t>(p0 >> 32) ^ c3 ^ k1;
      c3 = static_cast<uint32_t>(p0);
      k0 += kPhiloxW0;
      k1 += kPhiloxW1;
    }
    out[i] = c0;
    out[kCounters + i] = c1;
    out[2 * kCounters + i] = c2;
    out[3 * kCounters + i] = c3;
  }
}

// Normal w of counter i at w·kCounters + i.
R2SGLD_WIDE void many_normals(const uint32_t* words, float* out) {
  for (int half = 0; half < 4; half += 2) {
    const uint32_t* a = words + half * kCounters;
    float* x = out + half * kCounters;
    for (int i = 0; i < kCounters; i++) {
      box_muller(a[i], a[kCounters + i], x + i, x + kCounters + i);
    }
  }
}

void many_normals(const uint32_t* words, double* out) {
  for (int half = 0; half < 4; half += 2) {
    const uint32_t* a = words + half * kCounters;
    double* x = out + half * kCounters;
    for (int i = 0; i < kCounters; i++) {
      box_muller(a[i], a[kCounters + i], x + i, x + kCounters + i);
    }
  }
}

template <typename T>
void fill(const Stream& stream, int64_t begin, int64_t n, T* out) {
  uint32_t words[4 * kCounters];
  T apart[4 * kCounters];
  for (int64_t at = 0; at < n; at += 4 * kCounters) {
    many_words(static_cast<uint64_t>(begin + at) / 4, stream.high, stream.key, words);
    many_normals(words, apart);
    const int64_t size = std::min<int64_t>(4 * kCounters, n - at);
    for (int64_t j = 0; j < size; j++) out[at + j] = apart[(j % 4) * kCounters + j / 4];
  }
}

}  // namespace

void normals(const Stream& stream, int64_t begin, int64_t n, float* out) {
  fill(stream, begin, n, out);
}

void normals(const Stream& stream, int64_t begin, int64_t n, double* out) {
  fill(stream, begin, n, out);
}

torch::Tensor device_words(uint64_t key, const torch::Tensor& high, int64_t n) {
  constexpr int64_t kMask = 0xFFFFFFFF;
  const torch::Tensor at = torch::arange((n + 3) / 4, high.options());
  torch::Tensor c0 = at.bitwise_and(kMask), c1 = at.__rshift__(32).bitwise_and(kMask);
  torch::Tensor c2 = high.select(0, 0).expand_as(at), c3 = high.select(0, 1).expand_as(at);
  uint32_t k0 = static_cast<uint32_t>(key), k1 = static_cast<uint32_t>(key >> 32);
  for (int round = 0; round < 10; round++, k0 += kPhiloxW0, k1 += kPhiloxW1) {
    // Products wrap to the right 64 bits; the shift drags the sign, the mask drops it.
    const torch::Tensor p0 = c0.mul(int64_t{kPhiloxM0}), p1 = c2.mul(int64_t{kPhiloxM1});
    c0 = p1.__rshift__(32).bitwise_and(kMask).bitwise_xor(c1).bitwise_xor(int64_t{k0});
    c2 = p0.__rshift__(32).bitwise_and(kMask).bitwise_xor(c3).bitwise_xor(int64_t{k1});
    c1 = p1.bitwise_and(kMask);
    c3 = p0.bitwise_and(kMask);
  }
  return torch::stack({c0, c1, c2, c3}, 1).reshape({-1}).slice(0, 0, n);
}

torch::Tensor device_normals(uint64_t key, const torch::Tensor& high, int64_t n,
                             torch::Dtype dtype) {
  const torch::Tensor words = device_words(key, high, (n + 3) / 4 * 4).reshape({-1, 2});
  // The half is added where it is not lost: numbers of 32 bits and a bit are doubles.
  const torch::Tensor u = words.to(torch::kFloat64).add_(0.5).mul_(0x1p-32);
  const torch::Tensor radius = u.select(1, 0).log().mul_(-2).sqrt_().to(dtype);
  const torch::Tensor angle = u.select(1, 1).mul(6.283185307179586477).to(dtype);
  return torch::stack({radius * angle.cos(), radius * angle.sin()}, 1).reshape({-1}).slice(0, 0, n);
}

}  // namespace r2sgld
