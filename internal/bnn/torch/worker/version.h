// What differs between versions of libtorch: 1.13 and later ones.
#pragma once

#include <c10/core/Allocator.h>
#include <torch/version.h>

// Whether the library is of this version or later.
#define R2SGLD_TORCH(major, minor)  \
  (TORCH_VERSION_MAJOR > (major) || \
   (TORCH_VERSION_MAJOR == (major) && TORCH_VERSION_MINOR >= (minor)))

// Until 2.2 Allocator::allocate was const, and there was no copy_data.
#if R2SGLD_TORCH(2, 3)
#define R2SGLD_ALLOCATE_CONST
#define R2SGLD_ALLOCATOR_COPIES 1
#else
#define R2SGLD_ALLOCATE_CONST const
#define R2SGLD_ALLOCATOR_COPIES 0
#endif

// Since 2.4 the device is an argument of the functions for autocast.
#define R2SGLD_AUTOCAST_BY_DEVICE R2SGLD_TORCH(2, 4)

// Whether the headers of CUDA are there, beside those of a library made with it.
#if __has_include(<crt/host_config.h>) && __has_include(<ATen/cuda/CUDAGraph.h>)
#define R2SGLD_CUDA_HEADERS 1
#else
#define R2SGLD_CUDA_HEADERS 0
#endif

// Since 2.9 allocators of all accelerators tell what memory is used; those of CUDA did so
// before, to who has its headers.
#if R2SGLD_TORCH(2, 9)
#include <c10/core/CachingDeviceAllocator.h>
#define R2SGLD_DEVICE_STATISTICS(device) \
  c10::getDeviceAllocator((device).type())->getDeviceStats((device).index())
#elif R2SGLD_CUDA_HEADERS
#include <c10/cuda/CUDACachingAllocator.h>
#define R2SGLD_DEVICE_STATISTICS(device) \
  c10::cuda::CUDACachingAllocator::getDeviceStats((device).index())
#endif
