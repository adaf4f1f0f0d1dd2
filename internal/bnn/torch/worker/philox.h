// Counter-based random numbers: Philox4x32-10 of Salmon, Moraes, Dror and Shaw,
// "Parallel random numbers: as easy as 1, 2, 3" (2011). What is drawn depends on key
// and counter alone, not on threads or devices.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace r2sgld {

using Words = std::array<uint32_t, 4>;

constexpr uint32_t kPhiloxM0 = 0xD2511F53, kPhiloxM1 = 0xCD9E8D57;
constexpr uint32_t kPhiloxW0 = 0x9E3779B9, kPhiloxW1 = 0xBB67AE85;

// The four words at a counter (words 0 and 1 are low, 2 and 3 high) under a key. This
// is the definition; everything faster must agree.
inline Words philox(uint64_t low, uint64_t high, uint64_t key) {
  uint32_t c0 = static_cast<uint32_t>(low), c1 = static_cast<uint32_t>(low >> 32);
  uint32_t c2 = static_cast<uint32_t>(high), c3 = static_cast<uint32_t>(high >> 32);
  uint32_t k0 = static_cast<uint32_t>(key), k1 = static_cast<uint32_t>(key >> 32);
  for (int round = 0; round < 10; round++, k0 += kPhiloxW0, k1 += kPhiloxW1) {
    const uint64_t p0 = uint64_t{kPhiloxM0} * c0, p1 = uint64_t{kPhiloxM1} * c2;
    c0 = static_cast<uint32_t>(p1 >> 32) ^ c1 ^ k0;
    c1 = static_cast<uint32_t>(p1);
    c2 = static_cast<uint32_t>(p0 >> 32) ^ c3 ^ k1;
    c3 = static_cast<uint32_t>(p0);
  }
  return {c0, c1, c2, c3};
}

// Purposes are parted by the top two bits of the high half of the counter.
enum class Purpose : uint64_t { noise = 0, weights = 1, augmentation = 2 };

constexpr uint64_t counter_high(Purpose purpose, uint64_t step) {
  return static_cast<uint64_t>(purpose) << 62 | (step & (~uint64_t{0} >> 2));
}

// The mix of SplitMix64: a bijection that leaves no pattern.
inline uint64_t mix(uint64_t z) {
  z += 0x9E3779B97F4A7C15;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

inline uint64_t replica_key(uint64_t seed, uint64_t replica) { return mix(mix(seed) + replica); }

// A word as a number in (0, 1).
inline double uniform(uint32_t word) { return (word + 0.5) * 0x1p-32; }

// ln of a normal float, to 2 units in the last place, without branches (Cephes).
inline float log_of(float x) {
  uint32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  const uint32_t shifted = bits - 0x3F3504F3;  // √½: the mantissa goes to [√½, √2)
  const float e = static_cast<float>(static_cast<int32_t>(shifted) >> 23);
  bits = (shifted & 0x007FFFFF) + 0x3F3504F3;
  float m;
  std::memcpy(&m, &bits, sizeof m);
  m -= 1;
  const float z = m * m;
  float y = 7.0376836292e-2f;
  y = y * m - 1.1514610310e-1f;
  y = y * m + 1.1676998740e-1f;
  y = y * m - 1.2420140846e-1f;
  y = y * m + 1.4249322787e-1f;
  y = y * m - 1.6668057665e-1f;
  y = y * m + 2.0000714765e-1f;
  y = y * m - 2.4999993993e-1f;
  y = y * m + 3.3333331174e-1f;
  y = y * m * z - 2.12194440e-4f * e - 0.5f * z;
  return m + y + 0.693359375f * e;
}

// cos and sin of 2π(word + ½)/2³², by quarters of the circle.
inline void turn(uint32_t word, float* cosine, float* sine) {
  const uint32_t quarter = (word + 0x20000000) >> 30;
  const int32_t rest = static_cast<int32_t>(word - (quarter << 30));  // in [−2²⁹, 2²⁹)
  const float x = (static_cast<float>(rest) + 0.5f) * 1.46291807926715968e-9f;
  const float z = x * x;
  const float s = ((-1.9515295891e-4f * z + 8.3321608736e-3f) * z - 1.6666654611e-1f) * z * x + x;
  const float c = ((2.443315711809948e-5f * z - 1.388731625493765e-3f) * z +
                   4.166664568298827e-2f) * z * z - 0.5f * z + 1;
  const float a = quarter & 1 ? s : c, b = quarter & 1 ? c : s;
  *cosine = (quarter + 1) & 2 ? -a : a;
  *sine = quarter & 2 ? -b : b;
}

// Two standard normal numbers from two words (Box and Muller 1958).
inline void box_muller(uint32_t a, uint32_t b, float* x, float* y) {
  const float radius = std::sqrt(-2 * log_of((static_cast<float>(a) + 0.5f) * 0x1p-32f));
  float c, s;
  turn(b, &c, &s);
  *x = radius * c;
  *y = radius * s;
}

inline void box_muller(uint32_t a, uint32_t b, double* x, double* y) {
  const double radius = std::sqrt(-2 * std::log(uniform(a)));
  const double angle = 6.283185307179586477 * uniform(b);
  *x = radius * std::cos(angle);
  *y = radius * std::sin(angle);
}

}  // namespace r2sgld
