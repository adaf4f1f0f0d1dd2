#include "device.h"

#include <ATen/Context.h>
#include <ATen/autocast_mode.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <torch/cuda.h>
#include <torch/version.h>

#include "protocol.h"
#include "version.h"

namespace r2sgld {

namespace {

// The names that open_device takes besides cpu.
std::vector<std::string> accelerators() {
  std::vector<std::string> names;
  if (!torch::cuda::is_available()) return names;
  const int64_t count = static_cast<int64_t>(torch::cuda::device_count());
  for (int64_t i = 0; i < count; i++) {
    names.push_back("cuda:" + std::to_string(i));
  }
  return names;
}

}  // namespace

torch::Device open_device(const std::string& name) {
  if (name == "cpu") return torch::Device(torch::kCPU);
  std::string known = "cpu";
  for (const std::string& there : accelerators()) {
    const std::string number = there.substr(there.find(':') + 1);
    if (name == there || (name == "cuda" && number == "0")) {
      return torch::Device(torch::kCUDA, static_cast<int8_t>(std::stoi(number)));
    }
    known += ", " + there;
  }
  throw Failure(Reason::device, "no device \"" + name + "\": this worker, libtorch " +
                                    TORCH_VERSION + ", has " + known);
}

int64_t device_peak(torch::Device device) {
#ifdef R2SGLD_DEVICE_STATISTICS
  if (device.is_cuda()) return R2SGLD_DEVICE_STATISTICS(device).reserved_bytes[0].peak;
#endif
  (void)device;
  return 0;
}

void synchronize(torch::Device device) {
  if (device.is_cuda()) torch::cuda::synchronize(device.index());
}

Precision open_precision(const std::string& name) {
  Precision precision;
  const bool tf32 = name == "tf32";
  if (name == "float64") {
    precision.parameters = torch::kFloat64;
  } else if (name == "bfloat16") {
    precision.half = true;
  } else if (!tf32 && name != "float32") {
    throw Failure(Reason::request, "no precision \"" + name +
                                       "\": there are float32, float64, tf32, bfloat16");
  }
  at::globalContext().setAllowTF32CuBLAS(tf32);
  at::globalContext().setAllowTF32CuDNN(tf32);
  at::globalContext().setBenchmarkCuDNN(false);
  at::globalContext().setDeterministicCuDNN(true);
  return precision;
}

Autocast::Autocast(torch::Device device, bool on) : device_(device), on_(on) {
  if (on_) set(true);
}

Autocast::~Autocast() {
  if (on_) set(false);
}

void Autocast::set(bool on) {
  at::autocast::set_autocast_cache_enabled(!on);  // each weight is used once
#if R2SGLD_AUTOCAST_BY_DEVICE
  at::autocast::set_autocast_dtype(device_.type(), at::kBFloat16);
  at::autocast::set_autocast_enabled(device_.type(), on);
#else
  if (device_.is_cuda()) {
    at::autocast::set_autocast_gpu_dtype(at::kBFloat16);
    at::autocast::set_enabled(on);
  } else {
    at::autocast::set_autocast_cpu_dtype(at::kBFloat16);
    at::autocast::set_cpu_enabled(on);
  }
#endif
}

Lane::Lane(torch::Device device) {
  if (device.is_cuda()) {
    stream_ = c10::impl::VirtualGuardImpl(device.type()).getStreamFromGlobalPool(device);
  }
}

void Lane::enter(c10::OptionalStreamGuard& guard) const {
  if (stream_) guard.reset_stream(*stream_);
}

bool out_of_memory(const std::exception& e) {
  if (dynamic_cast<const std::bad_alloc*>(&e) || dynamic_cast<const c10::OutOfMemoryError*>(&e)) {
    return true;
  }
  const std::string what = e.what();
  for (const char* words : {"out of memory", "can't allocate memory", "not enough memory"}) {
    if (what.find(words) != std::string::npos) return true;
  }
  return false;
}

}  // namespace r2sgld
