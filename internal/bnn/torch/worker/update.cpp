#include "update.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "simd.h"

namespace r2sgld {

namespace {

constexpr int64_t kBlock = 1024;  // elements whose noise fits into the nearest cache
constexpr int64_t kLanes = 8;     // of a sum
constexpr double kLost = std::numeric_limits<double>::quiet_NaN();

// v ← keep·v + slope·∇ + decay·θ + noise·ξ: both rules for v in one.
template <typename T>
struct Coefficients {
  explicit Coefficients(const Move& m) {
    const double along = m.momentum * m.lean - m.step;
    keep = static_cast<T>(m.momentum * m.scale);
    slope = static_cast<T>(along * m.weight);
    decay = static_cast<T>(along * m.decay);
    noise = static_cast<T>(m.noise);
  }
  T keep, slope, decay, noise;
};

// The largest number of a type that is not beyond the bound.
template <typename T>
T within(double bound) {
  const T b = static_cast<T>(bound);
  return b > bound ? std::nextafter(b, T{0}) : b;
}

template <typename T>
struct Piece {
  T *theta, *v;
  const T *gradient, *noise;
  int64_t n;
};

template <typename T>
__attribute__((always_inline)) inline void push_loop(const Piece<T>& p, const Coefficients<T>& k) {
  T* __restrict theta = p.theta;
  T* __restrict v = p.v;
  const T* __restrict gradient = p.gradient;
  const T* __restrict noise = p.noise;
  for (int64_t j = 0; j < p.n; j++) {
    v[j] = k.keep * v[j] + k.slope * gradient[j] + k.decay * theta[j] + k.noise * noise[j];
    theta[j] += v[j];
  }
}

template <typename T>
__attribute__((always_inline)) inline bool outside_loop(const T* theta, int64_t n, T most) {
  int any = 0;
  for (int64_t j = 0; j < n; j++) any |= std::abs(theta[j]) > most;
  return any != 0;
}

// Lanes keep the order of additions, whatever the width of instructions.
template <typename T>
__attribute__((always_inline)) inline void square_loop(const T* theta, int64_t n, double* lanes) {
  int64_t j = 0;
  for (; j + kLanes <= n; j += kLanes) {
    for (int64_t l = 0; l < kLanes; l++) {
      const double x = static_cast<double>(theta[j + l]);
      lanes[l] += x * x;
    }
  }
  for (int64_t l = 0; j < n; j++, l++) {
    const double x = static_cast<double>(theta[j]);
    lanes[l] += x * x;
  }
}

R2SGLD_WIDE void push(const Piece<float>& p, const Coefficients<float>& k) { push_loop(p, k); }
R2SGLD_WIDE void push(const Piece<double>& p, const Coefficients<double>& k) { push_loop(p, k); }
R2SGLD_WIDE bool outside(const float* x, int64_t n, float most) { return outside_loop(x, n, most); }
R2SGLD_WIDE bool outside(const double* x, int64_t n, double most) {
  return outside_loop(x, n, most);
}
R2SGLD_WIDE void squares(const float* x, int64_t n, double* lanes) { square_loop(x, n, lanes); }
R2SGLD_WIDE void squares(const double* x, int64_t n, double* lanes) { square_loop(x, n, lanes); }

// How many bounds away a number can be folded: there it is known to 1/16 of the bound in
// float (24 digits of two), to 1/32 in double (53). Farther out what folding gives is
// rounding, in the end 0 or ±b for all.
template <typename T>
constexpr double kReach = std::is_same<T, double>::value ? 0x1p48 : 0x1p20;

// Puts what is beyond ±b back, v with it, and counts it; notes whether anything was out of
// reach. A step of any size: with y = θ + b modulo 4b, θ lies on the way there (y < 2b) or
// on the way back, after an odd number of folds, where v is turned.
template <typename T>
void fold(const Piece<T>& p, double b, T most, bool as_released, Tally& tally) {
  for (int64_t j = 0; j < p.n; j++) {
    const double x = static_cast<double>(p.theta[j]);
    if (!(std::abs(p.theta[j]) > most)) continue;
    tally.reflected++;
    if (as_released) {
      p.theta[j] = static_cast<T>((x > 0 ? 2 * b : -2 * b) - x);
      continue;
    }
    if (std::abs(x) > kReach<T> * b) tally.square = kLost;
    double y = std::fmod(x + b, 4 * b);
    if (y < 0) y += 4 * b;
    const bool back = y >= 2 * b;
    p.theta[j] = static_cast<T>(back ? 3 * b - y : y - b);
    if (p.theta[j] > most) p.theta[j] = most;  // not clamp: NaN stays
    if (p.theta[j] < -most) p.theta[j] = -most;
    if (back) p.v[j] = -p.v[j];
  }
}

double total(const double* lanes) {
  double sum = 0;
  for (int64_t l = 0; l < kLanes; l++) sum += lanes[l];
  return sum;
}

template <typename T>
Tally advance_loops(const Vectors& x, const std::vector<Segment>& segments, const Stream& stream,
                    const Move& move) {
  const Coefficients<T> k(move);
  const T most = within<T>(move.bound);
  T noise[kBlock] = {};
  double lanes[kLanes] = {};
  Tally tally;
  size_t segment = 0;
  const int64_t n = x.theta.numel();
  for (int64_t begin = 0; begin < n; begin += kBlock) {
    const Piece<T> p{x.theta.data_ptr<T>() + begin, x.momenta.data_ptr<T>() + begin,
                     x.gradient.data_ptr<T>() + begin, noise, std::min(kBlock, n - begin)};
    if (move.noise != 0) normals(stream, begin, p.n, noise);
    push(p, k);
    for (int64_t at = begin; at < begin + p.n;) {
      const Segment& s = segments[segment];
      const int64_t end = std::min(s.end, begin + p.n), off = at - begin;
      const Piece<T> q{p.theta + off, p.v + off, p.gradient, noise, end - at};
      if (s.walled && outside(q.theta, q.n, most)) {
        fold(q, move.bound, most, move.as_released, tally);
      }
      at = end;
      if (end == s.end) segment++;
    }
    squares(p.theta, p.n, lanes);
  }
  tally.square += total(lanes);
  return tally;
}

// fold by tensors; how many were put back, and how many were out of reach.
torch::Tensor fold_tensors(torch::Tensor theta, torch::Tensor v, const Move& move) {
  const double b = move.bound;
  const double most = theta.scalar_type() == torch::kFloat64
                          ? b
                          : static_cast<double>(within<float>(b));
  const torch::Tensor out = theta.abs() > most;
  const torch::Tensor x = theta.to(torch::kFloat64);
  if (move.as_released) {
    const torch::Tensor mirrored = x.sign().mul_(2 * b).sub_(x);
    theta.copy_(torch::where(out, mirrored.to(theta.scalar_type()), theta));
    return torch::stack({out.sum(), torch::zeros({}, out.options().dtype(torch::kInt64))});
  }
  const torch::Tensor far = x.abs() > (theta.scalar_type() == torch::kFloat64 ? kReach<double>
                                                                              : kReach<float>) * b;
  const torch::Tensor y = x.add(b).remainder(4 * b);
  const torch::Tensor back = y >= 2 * b;
  const torch::Tensor inside = torch::where(back, 3 * b - y, y - b).to(theta.scalar_type());
  theta.copy_(torch::where(out, inside.clamp(-most, most), theta));
  v.copy_(torch::where(out.logical_and(back), v.neg(), v));
  return torch::stack({out.sum(), far.sum()});
}

}  // namespace

Tally advance(const Vectors& x, const std::vector<Segment>& segments, const Stream& stream,
              const Move& move) {
  if (x.theta.scalar_type() == torch::kFloat64) {
    return advance_loops<double>(x, segments, stream, move);
  }
  return advance_loops<float>(x, segments, stream, move);
}

DeviceMove::DeviceMove(uint64_t key, torch::Device device)
    : key_(key), numbers_(torch::zeros({6}, torch::dtype(torch::kFloat64).device(device))) {}

void DeviceMove::set(const Move& move, uint64_t high) {
  const Coefficients<double> k(move);
  move_ = move;
  numbers_.copy_(torch::tensor({k.keep, k.slope, k.decay, k.noise,
                                static_cast<double>(high & 0xFFFFFFFF),
                                static_cast<double>(high >> 32)},
                               torch::kFloat64));
}

std::tuple<bool, double, bool> DeviceMove::shape() const {
  return {move_.noise != 0, move_.bound, move_.as_released};
}

torch::Tensor DeviceMove::advance(const Vectors& x, const std::vector<Segment>& segments) const {
  torch::NoGradGuard no_gradient;
  torch::Tensor theta = x.theta, v = x.momenta;
  const torch::Tensor k = numbers_.slice(0, 0, 4).to(theta.scalar_type());
  v.mul_(k[0]).addcmul_(x.gradient, k[1]).addcmul_(theta, k[2]);
  if (move_.noise != 0) {
    const torch::Tensor high = numbers_.slice(0, 4, 6).to(torch::kInt64);
    v.addcmul_(device_normals(key_, high, theta.numel(), theta.scalar_type()), k[3]);
  }
  theta.add_(v);
  torch::Tensor counts = torch::zeros({2}, numbers_.options());
  for (const Segment& s : segments) {
    if (!s.walled || std::isinf(move_.bound)) continue;
    counts.add_(fold_tensors(theta.slice(0, s.begin, s.end), v.slice(0, s.begin, s.end), move_));
  }
  return torch::cat({counts, theta.to(torch::kFloat64).square().sum().view({1})});
}

Tally DeviceMove::tally(const double* counted) {
  Tally tally;
  tally.reflected = static_cast<uint64_t>(counted[0]);
  tally.square = counted[1] > 0 ? kLost : counted[2];
  return tally;
}

double sum_of_squares(const torch::Tensor& theta) {
  if (!theta.device().is_cpu()) {
    return theta.to(torch::kFloat64).square().sum().item<double>();
  }
  double lanes[kLanes] = {};
  const int64_t n = theta.numel();
  for (int64_t at = 0; at < n; at += kBlock) {  // the order of advance
    const int64_t size = std::min(kBlock, n - at);
    if (theta.scalar_type() == torch::kFloat64) {
      squares(theta.data_ptr<double>() + at, size, lanes);
    } else {
      squares(theta.data_ptr<float>() + at, size, lanes);
    }
  }
  return total(lanes);
}

}  // namespace r2sgld
