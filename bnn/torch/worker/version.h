// What differs between versions of libtorch: 1.13 and later ones.
#pragma once

#include <c10/core/Allocator.h>
#include <torch/version.h>

// Allocator::allocate was const until 2.2, and copy_data did not exist before 2.3.
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 3)
#define R2SGLD_ALLOCATE_CONST
#define R2SGLD_ALLOCATOR_COPIES 1
#else
#define R2SGLD_ALLOCATE_CONST const
#define R2SGLD_ALLOCATOR_COPIES 0
#endif
