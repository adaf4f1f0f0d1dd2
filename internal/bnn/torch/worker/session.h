// A session answers the calls of one Go program.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "pool.h"
#include "protocol.h"
#include "replica.h"

namespace r2sgld {

class Session {
 public:
  // What to say to a request. Throws Failure, or what the library throws.
  std::string answer(const Frame& request);

 private:
  using Answer = void (Session::*)(Reader&, Writer&);
  static Answer answer_of(Call call);

  void hello(Reader& r, Writer& w);
  void create(Reader& r, Writer& w);
  void load(Reader& r, Writer& w);
  void start(Reader& r, Writer& w);
  void advance(Reader& r, Writer& w);
  void losses(Reader& r, Writer& w);
  void gradient(Reader& r, Writer& w);
  void predict(Reader& r, Writer& w);
  void recompute(Reader& r, Writer& w);
  void get_state(Reader& r, Writer& w);
  void set_state(Reader& r, Writer& w);
  void usage(Reader& r, Writer& w);

  // A minibatch that was asked for, checked.
  struct Asked {
    const Set* set = nullptr;
    std::vector<int32_t> indices;
    Augmentation augmentation;
  };
  Asked read_batch(Reader& r) const;
  Batch make(const Asked& asked) const;
  Replica& replica_of(uint32_t index);
  const Set& set_of(uint32_t set) const;
  torch::Tensor read_targets(Reader& r, int64_t count) const;
  void write_layout(Writer& w);

  bool greeted_ = false;
  Kind kind_;
  std::unique_ptr<Pool> pool_;
  std::vector<std::unique_ptr<Replica>> replicas_;
  std::map<uint32_t, Set> sets_;
};

}  // namespace r2sgld
