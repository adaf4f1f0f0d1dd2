#pragma once

#include <string>

namespace r2sgld {

// Compares what a device computes by tensors with the definitions: random words,
// normal numbers, moves. Prints on stderr; false if anything differs.
bool check(const std::string& device);

}  // namespace r2sgld
