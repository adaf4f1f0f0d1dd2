// Loops that the compiler turns into wide instructions, chosen when the program starts.
// Floating point is never contracted (-ffp-contract=off): every choice gives the same
// bits.
#pragma once

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define R2SGLD_WIDE __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define R2SGLD_WIDE
#endif
