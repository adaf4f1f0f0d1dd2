// Where tensors live and in which numbers: all that differs between devices and
// between versions of libtorch there.
#pragma once

#include <torch/types.h>

#include <c10/core/StreamGuard.h>

#include <optional>
#include <string>
#include <vector>

namespace r2sgld {

// The device of a name, cpu or cuda:0 …; throws Failure if there is none.
torch::Device open_device(const std::string& name);

// Bytes at most in use on an accelerator; 0 on the CPU and where the library does not
// tell.
int64_t device_peak(torch::Device device);

// Waits for all that was asked of an accelerator.
void synchronize(torch::Device device);

// A Precision says which numbers parameters are and which products may be.
struct Precision {
  torch::Dtype parameters = torch::kFloat32;
  bool half = false;  // products in bfloat16
};

// The precision of a name: float32, float64, tf32, bfloat16. It sets what the library
// keeps for the whole process.
Precision open_precision(const std::string& name);

// While an Autocast lives, products of this thread are made in bfloat16.
class Autocast {
 public:
  Autocast(torch::Device device, bool on);
  ~Autocast();
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;

 private:
  void set(bool on);

  torch::Device device_;
  bool on_;
};

// A Lane is the order in which an accelerator does what one replica asks; on the CPU
// nothing.
class Lane {
 public:
  explicit Lane(torch::Device device);
  // While the result lives, this thread's work goes there.
  void enter(c10::OptionalStreamGuard& guard) const;

 private:
  std::optional<c10::Stream> stream_;
};

// Whether an exception of the library says that memory ran out.
bool out_of_memory(const std::exception& e);

}  // namespace r2sgld
