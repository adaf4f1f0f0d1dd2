#include "check.h"

#include <cmath>
#include <iostream>

#include "device.h"
#include "protocol.h"
#include "update.h"

namespace r2sgld {

namespace {

bool told(bool good, const std::string& what) {
  std::cerr << (good ? "good   " : "WRONG  ") << what << "\n";
  return good;
}

// Published answers: kat_vectors of Random123 1.09, philox4x32 with 10 rounds.
bool check_definition() {
  const auto is = [](uint64_t low, uint64_t high, uint64_t key, const Words& want) {
    return philox(low, high, key) == want;
  };
  const uint64_t ones = ~uint64_t{0};
  return is(0, 0, 0, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}) &&
         is(ones, ones, ones, {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}) &&
         is(0x85a308d3243f6a88, 0x0370734413198a2e, 0x299f31d0a4093822,
            {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
}

torch::Tensor high_of(const Stream& stream, torch::Device device) {
  const auto half = [](uint64_t x) { return static_cast<int64_t>(x & 0xFFFFFFFF); };
  return torch::tensor({half(stream.high), half(stream.high >> 32)}, torch::kInt64).to(device);
}

bool check_words(const Stream& stream, int64_t n, torch::Device device) {
  const torch::Tensor words =
      device_words(stream.key, high_of(stream, device), n).to(torch::kCPU).contiguous();
  if (words.numel() != n) return false;
  const int64_t* w = words.data_ptr<int64_t>();
  for (int64_t j = 0; j < n; j++) {
    const uint64_t at = static_cast<uint64_t>(j);
    if (w[j] != philox(at / 4, stream.high, stream.key)[at % 4]) return false;
  }
  return true;
}

// The loop's numbers are the definition's, bit by bit; the device's are so to rounding.
template <typename T>
bool check_normals(const Stream& stream, int64_t n, torch::Device device, double tolerance) {
  const auto dtype = std::is_same<T, double>::value ? torch::kFloat64 : torch::kFloat32;
  const torch::Tensor theirs =
      device_normals(stream.key, high_of(stream, device), n, dtype).to(torch::kCPU);
  std::vector<T> ours(static_cast<size_t>(n)), tail(static_cast<size_t>(n));
  normals(stream, 0, n, ours.data());
  normals(stream, 1024, n - 1024, tail.data());
  bool good = theirs.numel() == n;
  for (int64_t j = 0; good && j < n; j++) {
    const size_t k = static_cast<size_t>(j);
    const Words w = philox(k / 4, stream.high, stream.key);
    T pair[2];
    const size_t a = k % 4 / 2 * 2;
    box_muller(w[a], w[a + 1], pair, pair + 1);
    double exact[2];
    box_muller(w[a], w[a + 1], exact, exact + 1);
    good = ours[k] == pair[k % 2] && (k < 1024 || tail[k - 1024] == ours[k]) &&
           std::abs(ours[k] - exact[k % 2]) < tolerance &&
           std::abs(theirs.data_ptr<T>()[j] - exact[k % 2]) < tolerance;
  }
  return good;
}

Tally advance_on(torch::Device device, const Vectors& x, const std::vector<Segment>& segments,
                 const Stream& stream, const Move& move) {
  DeviceMove there(stream.key, device);
  there.set(move, stream.high);
  const torch::Tensor counted = there.advance(x, segments).to(torch::kCPU);
  return DeviceMove::tally(counted.data_ptr<double>());
}

bool check_move(const Move& move, torch::Dtype dtype, torch::Device device, double tolerance) {
  const int64_t n = 5003;
  const std::vector<Segment> segments = {{0, 10, true}, {10, 1777, false}, {1777, n, true}};
  const Stream stream{replica_key(1, 2), counter_high(Purpose::noise, 3)};
  const auto part = [&](uint64_t i) {
    return device_normals(mix(i), high_of({}, torch::kCPU), n, dtype);
  };
  Vectors ours{part(1), part(2), part(3)};
  Vectors theirs{ours.theta.clone().to(device), ours.momenta.clone().to(device),
                 ours.gradient.clone().to(device)};
  const Tally a = advance(ours, segments, stream, move);
  const Tally b = advance_on(device, theirs, segments, stream, move);
  const auto near = [&](const torch::Tensor& x, const torch::Tensor& y) {
    return torch::allclose(x, y.to(torch::kCPU), tolerance, tolerance);
  };
  return near(ours.theta, theirs.theta) && near(ours.momenta, theirs.momenta) &&
         a.reflected == b.reflected && a.reflected > 0 &&
         std::abs(a.square - b.square) <= 10 * tolerance * a.square;
}

// One coordinate a tenth nearer than what can be folded, then a tenth farther.
bool check_reach(torch::Dtype dtype, torch::Device device, double reach) {
  const std::vector<Segment> segments = {{0, 10, false}, {10, 2000, true}};
  Move move;
  move.scale = 1, move.momentum = 0.5, move.bound = 0.7;
  bool good = true;
  for (double far : {0.9, 1.1}) {
    for (const bool tensors : {false, true}) {
      const torch::Device there = tensors ? device : torch::Device(torch::kCPU);
      const torch::Tensor zero = torch::zeros({2000}, torch::dtype(dtype).device(there));
      Vectors x{zero.clone(), zero.clone(), zero.clone()};
      x.momenta[1500].fill_(-2 * far * reach * move.bound);
      x.momenta[5].fill_(4 * reach * move.bound);  // no wall there
      const Tally tally = tensors ? advance_on(device, x, segments, {0, 0}, move)
                                  : advance(x, segments, {0, 0}, move);
      good &= tally.reflected == 1 && std::isnan(tally.square) == (far > 1) &&
              std::abs(x.theta[1500].item<double>()) <= move.bound;
    }
  }
  return good;
}

}  // namespace

bool check(const std::string& name) {
  torch::Device device = torch::kCPU;
  try {
    device = open_device(name);
  } catch (const Failure& e) {
    std::cerr << e.what() << "\n";
    return false;
  }
  bool good = told(check_definition(), "Philox4x32-10, known answers");
  const Stream stream{replica_key(7, 1), counter_high(Purpose::noise, 12345678901)};
  good &= told(check_words(stream, 10007, device), "random words by tensors");
  good &= told(check_normals<float>(stream, 10007, device, 1e-5), "normal numbers, float32");
  good &= told(check_normals<double>(stream, 10007, device, 1e-12), "normal numbers, float64");
  Move move;
  move.scale = 1.1, move.lean = 0.01, move.weight = 20, move.decay = 3, move.step = 0.02;
  move.noise = 0.3, move.momentum = 0.9, move.bound = 0.7;
  for (bool released : {false, true}) {
    move.as_released = released;
    const std::string how = released ? ", as released" : "";
    good &= told(check_move(move, torch::kFloat32, device, 1e-4), "a move, float32" + how);
    good &= told(check_move(move, torch::kFloat64, device, 1e-12), "a move, float64" + how);
  }
  good &= told(check_reach(torch::kFloat32, device, 0x1p20), "moves too far to fold, float32");
  good &= told(check_reach(torch::kFloat64, device, 0x1p48), "moves too far to fold, float64");
  return good;
}

}  // namespace r2sgld
