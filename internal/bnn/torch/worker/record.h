// Work on an accelerator that is repeated many times.
#pragma once

#include <functional>
#include <memory>

namespace r2sgld {

// A Recording asks for work once and has the device repeat it at a word: to ask for small
// kernels one by one takes longer than they do. Where devices cannot repeat, and where
// memory is short of what a recording holds, the work is asked for each time.
class Recording {
 public:
  Recording();
  ~Recording();

  // Does the work in the current lane, always the same: the same tensors, read and written
  // in place.
  void run(const std::function<void()>& work);

 private:
  struct Graph;
  std::unique_ptr<Graph> graph_;
  bool warm_ = false, refused_ = false;
};

}  // namespace r2sgld
