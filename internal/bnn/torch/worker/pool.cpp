#include "pool.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <sys/mman.h>
#include <torch/types.h>
#include <torch/types.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <new>
#include <thread>
#include <vector>

namespace r2sgld {

struct Pool::Parts {
  std::mutex mutex;
  std::condition_variable wake, done;
  const std::function<void(int)>* work = nullptr;
  std::vector<std::exception_ptr> failures;
  int next = 0, count = 0, left = 0;
  bool ending = false;
  std::vector<std::thread> threads;

  // Does what is there to do. The lock is held before and after.
  void take(std::unique_lock<std::mutex>& lock) {
    while (next < count) {
      const int i = next++;
      const auto* now = work;
      lock.unlock();
      std::exception_ptr failure;
      try {
        (*now)(i);
      } catch (...) {
        failure = std::current_exception();
      }
      lock.lock();
      failures[static_cast<size_t>(i)] = failure;
      if (--left == 0) done.notify_all();
    }
  }

  void run() {
    at::set_num_threads(1);  // of the library's own, for this thread
    std::unique_lock<std::mutex> lock(mutex);
    while (!ending) {
      take(lock);
      wake.wait(lock, [this] { return ending || next < count; });
    }
  }
};

Pool::Pool(int threads) : parts_(new Parts) {
  for (int i = 0; i < threads; i++) {
    parts_->threads.emplace_back([this] { parts_->run(); });
  }
}

Pool::~Pool() {
  {
    std::lock_guard<std::mutex> lock(parts_->mutex);
    parts_->ending = true;
  }
  parts_->wake.notify_all();
  for (std::thread& t : parts_->threads) t.join();
}

void Pool::each(int n, const std::function<void(int)>& work) {
  std::unique_lock<std::mutex> lock(parts_->mutex);
  parts_->work = &work;
  parts_->failures.assign(static_cast<size_t>(n), nullptr);
  parts_->next = 0;
  parts_->count = parts_->left = n;
  parts_->wake.notify_all();
  parts_->take(lock);
  parts_->done.wait(lock, [this] { return parts_->left == 0; });
  parts_->next = parts_->count = 0;
  for (const std::exception_ptr& failure : parts_->failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

void hold_buffers(Pool& pool, int threads) {
  if (at::hasMKL()) return;  // it says so when memory runs out
  // That of OpenBLAS is 128 MiB on processors of today, and a thread's heap as much at first.
  constexpr size_t kBuffer = size_t{320} << 20;
  std::vector<void*> maps(static_cast<size_t>(threads));
  for (void*& map : maps) {
    map = mmap(nullptr, kBuffer, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  }
  const bool there = std::count(maps.begin(), maps.end(), MAP_FAILED) == 0;
  for (void* map : maps) {
    if (map != MAP_FAILED) munmap(map, kBuffer);
  }
  if (!there) throw std::bad_alloc();
  const torch::Tensor square = torch::ones({512, 512});  // small ones take no buffer
  std::atomic<int> missing{threads};
  pool.each(threads, [&](int) {
    for (missing--; missing > 0;) std::this_thread::yield();
    torch::mm(square, square);
  });
}

}  // namespace r2sgld
