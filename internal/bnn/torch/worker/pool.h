// Threads that do what is to be done for each replica.
#pragma once

#include <functional>
#include <memory>

namespace r2sgld {

// A Pool's threads take indices in turn. What is done for an index must depend on the
// index alone: then it does not matter who does it.
class Pool {
 public:
  explicit Pool(int threads);  // besides the one that asks, which works as well
  ~Pool();

  // Calls work(0), … work(n − 1) and waits for all. If some throw, the first of them by
  // index is thrown on.
  void each(int n, const std::function<void(int)>& work);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

// Has every thread of a pool of so many, the one that asks included, make a product of
// matrices. OpenBLAS takes a buffer for each product that is made at the same time, keeps
// it, and where there is no memory for one asks for ever: so ask early, after looking
// whether there is. Throws std::bad_alloc where there is not.
void hold_buffers(Pool& pool, int threads);

}  // namespace r2sgld
