// An allocator for tensors on the CPU that keeps what is given back. Without it every
// large activation is mapped, and all its pages faulted in, at each step anew.
#include <c10/core/CPUAllocator.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <new>
#include <unordered_map>

#include "network.h"
#include "version.h"

namespace r2sgld {

namespace {

constexpr size_t kAlignment = 64, kPage = 4096, kSmall = 16384, kHuge = size_t{2} << 20;

// What a block of n bytes takes: its bucket.
size_t bucket(size_t n) {
  if (n < kHuge) return (n + kPage - 1) / kPage * kPage;
  return (n + kHuge - 1) / kHuge * kHuge;
}

// Large blocks are mapped by themselves: malloc would take them from a heap that fills with
// holes and never shrinks. They begin and end at huge pages.
void* take(size_t size) {
  if (size < kHuge) {
    void* block = nullptr;
    return posix_memalign(&block, kAlignment, size) == 0 ? block : nullptr;
  }
  void* const mapped = mmap(nullptr, size + kHuge, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  char* const start = static_cast<char*>(mapped);
  const size_t before = (kHuge - reinterpret_cast<uintptr_t>(start) % kHuge) % kHuge;
  if (before > 0) munmap(start, before);
  munmap(start + before + size, kHuge - before);
#ifdef MADV_HUGEPAGE
  madvise(start + before, size, MADV_HUGEPAGE);
#endif
  return start + before;
}

void drop(void* block, size_t size) {
  if (size < kHuge) {
    std::free(block);
  } else {
    munmap(block, size);
  }
}

// Blocks in use and free ones. Together they never take more than kSlack times what was
// once in use at the same time: before a block is mapped beyond that, free ones go back
// to the system.
class Cache {
 public:
  void* get(size_t n) {
    const size_t size = bucket(n);
    const std::lock_guard<std::mutex> lock(mutex_);
    auto it = free_.lower_bound(size);
    void* block = nullptr;
    // A block a quarter too large will do: a last, shorter batch fits where a full one was.
    if (it != free_.end() && it->first - size <= size / 4) {
      block = it->second;
      kept_ -= it->first;
      used_ += it->first;
      sizes_[block] = it->first;
      free_.erase(it);
    } else {
      used_ += size;
      trim();
      block = map(size);
      sizes_[block] = size;
    }
    peak_ = std::max(peak_, used_);
    return block;
  }

  // False where the block is none of ours.
  bool put(void* block) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto it = sizes_.find(block);
    if (it == sizes_.end()) return false;
    used_ -= it->second;
    kept_ += it->second;
    free_.emplace(it->second, block);
    sizes_.erase(it);
    return true;
  }

 private:
  static constexpr double kSlack = 1.125;

  // Gives free blocks back, the largest first, until the limit holds.
  void trim() {
    const size_t limit = static_cast<size_t>(kSlack * static_cast<double>(std::max(peak_, used_)));
    while (!free_.empty() && used_ + kept_ > limit) {
      const auto last = std::prev(free_.end());
      kept_ -= last->first;
      drop(last->second, last->first);
      free_.erase(last);
    }
  }

  void* map(size_t size) {
    void* block = take(size);
    if (block == nullptr && !free_.empty()) {
      for (const auto& entry : free_) drop(entry.second, entry.first);
      free_.clear();
      kept_ = 0;
      block = take(size);
    }
    if (block == nullptr) {
      used_ -= size;
      throw std::bad_alloc();
    }
    return block;
  }

  std::mutex mutex_;
  std::multimap<size_t, void*> free_;
  std::unordered_map<void*, size_t> sizes_;  // of blocks in use
  size_t used_ = 0, kept_ = 0, peak_ = 0;
};

// Lives as long as the program: tensors may be given back after main.
Cache& cache() {
  static Cache* const cache = new Cache;
  return *cache;
}

void give_back(void* block) {
  if (block != nullptr && !cache().put(block)) std::free(block);
}

class KeepingAllocator final : public at::Allocator {
 public:
  at::DataPtr allocate(size_t n) R2SGLD_ALLOCATE_CONST override {
    void* block = nullptr;
    if (n > kSmall) {
      block = cache().get(n);
    } else if (n > 0 && posix_memalign(&block, kAlignment, n) != 0) {
      throw std::bad_alloc();
    }
    return {block, block, &give_back, at::Device(at::kCPU)};
  }

  at::DeleterFnPtr raw_deleter() const override { return &give_back; }

#if R2SGLD_ALLOCATOR_COPIES
  void copy_data(void* to, const void* from, size_t n) const override { std::memcpy(to, from, n); }
#endif
};

}  // namespace

void keep_memory() {
  static KeepingAllocator* const allocator = new KeepingAllocator;
  c10::SetCPUAllocator(allocator, /*priority=*/1);
}

}  // namespace r2sgld
