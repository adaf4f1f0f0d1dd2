#include "session.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>

namespace r2sgld {

namespace {

constexpr int64_t kPredicted = 500;  // examples at once

[[noreturn]] void refuse(const std::string& what) { throw Failure(Reason::request, what); }

void write_entries(Writer& w, const std::vector<Entry>& entries) {
  w.u32(static_cast<uint32_t>(entries.size()));
  for (const Entry& e : entries) {
    w.string(e.name);
    w.string(e.role);
    w.vector(e.shape.data(), e.shape.size());
    w.u64(static_cast<uint64_t>(e.offset));
  }
}

void write_outcomes(Writer& w, const std::vector<Outcome>& outcomes) {
  for (const Outcome& o : outcomes) {
    w.f64(o.loss);
    w.f64(o.tally.square);
    w.u64(o.tally.reflected);
  }
}

Move read_move(Reader& r) {
  Move m;
  for (double* x : {&m.scale, &m.lean, &m.weight, &m.decay, &m.step, &m.noise, &m.momentum}) {
    *x = r.f64();
    if (!std::isfinite(*x)) refuse("a move has a number that is not finite");
  }
  m.bound = r.f64();
  m.as_released = r.boolean();
  if (!(m.bound > 0)) refuse("the bound of a move is " + std::to_string(m.bound) + ", want > 0");
  if (m.step < 0 || m.noise < 0 || m.momentum < 0 || m.momentum >= 1) {
    refuse("a move needs step size ≥ 0, noise ≥ 0 and 0 ≤ momentum < 1");
  }
  return m;
}

int64_t resident() {
  std::ifstream file("/proc/self/statm");
  int64_t total = 0, pages = 0;
  file >> total >> pages;
  return pages * sysconf(_SC_PAGESIZE);
}

}  // namespace

Session::Answer Session::answer_of(Call call) {
  switch (call) {
    case Call::hello: return &Session::hello;
    case Call::create: return &Session::create;
    case Call::load: return &Session::load;
    case Call::start: return &Session::start;
    case Call::advance: return &Session::advance;
    case Call::losses: return &Session::losses;
    case Call::gradient: return &Session::gradient;
    case Call::predict: return &Session::predict;
    case Call::recompute: return &Session::recompute;
    case Call::get_state: return &Session::get_state;
    case Call::set_state: return &Session::set_state;
    case Call::usage: return &Session::usage;
  }
  refuse("no call " + std::to_string(static_cast<int>(call)));
}

std::string Session::answer(const Frame& request) {
  const Call call = static_cast<Call>(request.kind);
  const Answer answer = answer_of(call);
  if (!greeted_ && call != Call::hello) refuse("the first call is hello");
  const bool early = call == Call::hello || call == Call::create || call == Call::usage;
  if (replicas_.empty() && !early) refuse("create comes before this call");
  Reader r(request.payload.data(), request.payload.size());
  Writer w;
  (this->*answer)(r, w);
  return w.payload();
}

void Session::hello(Reader& r, Writer& w) {
  char magic[4];
  for (char& c : magic) c = static_cast<char>(r.u8());
  if (std::string(magic, 4) != kMagic) refuse("a greeting begins with R2SG");
  r.u32();  // the version asked for: the other side decides
  r.done();
  greeted_ = true;
  for (char c : magic) w.u8(static_cast<uint8_t>(c));
  w.u32(kVersion);
}

void Session::create(Reader& r, Writer& w) {
  if (!replicas_.empty()) refuse("there are replicas already");
  Kind kind;
  kind.spec.kind = r.string();
  kind.spec.norm = r.string();
  kind.spec.activation = r.string();
  kind.spec.hidden = r.vector<int64_t>();
  kind.spec.channels = r.u32();
  kind.spec.height = r.u32();
  kind.spec.width = r.u32();
  kind.spec.outputs = r.u32();
  const std::string loss = r.string();
  if (loss == "squared") {
    kind.loss = Loss::squared;
  } else if (loss != "cross-entropy") {
    refuse("no loss \"" + loss + "\": there are cross-entropy and squared");
  }
  const std::vector<uint64_t> indices = r.vector<uint64_t>();
  if (indices.empty()) refuse("no replicas");
  kind.seed = r.u64();
  kind.all_walled = r.boolean();
  const uint32_t roles = r.u32();
  for (uint32_t i = 0; i < roles; i++) {
    const std::string role = r.string();
    if (role != "weight" && role != "bias" && role != "scale" && role != "shift") {
      refuse("no role \"" + role + "\": there are weight, bias, scale, shift");
    }
    kind.walled.push_back(role);
  }
  const std::string precision = r.string(), device = r.string();
  const uint32_t threads = r.u32();
  r.done();
  kind.device = open_device(device);
  kind.precision = open_precision(precision);
  const uint64_t most = std::min<uint64_t>(indices.size(), std::max<uint32_t>(threads, 1));
  auto pool = std::make_unique<Pool>(static_cast<int>(most) - 1);
  if (kind.device.is_cpu()) hold_buffers(*pool, static_cast<int>(most));
  std::vector<std::unique_ptr<Replica>> replicas;
  for (uint64_t i : indices) replicas.push_back(std::make_unique<Replica>(kind, i));
  synchronize(kind.device);
  kind_ = kind;
  replicas_ = std::move(replicas);
  pool_ = std::move(pool);
  write_layout(w);
}

void Session::write_layout(Writer& w) {
  const Network& network = replicas_.front()->network();
  write_entries(w, network.parameters());
  write_entries(w, network.buffers());
}

void Session::load(Reader& r, Writer&) {
  const uint32_t number = r.u32();
  const int64_t c = r.u32(), h = r.u32(), width = r.u32();
  const Spec& spec = kind_.spec;
  if (c != spec.channels || h != spec.height || width != spec.width) {
    refuse("examples of shape " + std::to_string(c) + "×" + std::to_string(h) + "×" +
           std::to_string(width) + ": the network takes " + std::to_string(spec.channels) + "×" +
           std::to_string(spec.height) + "×" + std::to_string(spec.width));
  }
  const bool pixels = r.boolean();
  const auto [data, count] = pixels ? r.bytes<uint8_t>() : r.bytes<float>();
  const uint64_t each = static_cast<uint64_t>(c * h * width);
  if (count == 0 || count % each != 0) {
    refuse(std::to_string(count) + " numbers are no examples of " + std::to_string(each) + " each");
  }
  const int64_t n = static_cast<int64_t>(count / each);
  Set set;
  set.inputs = torch::empty({n, c, h, width}, pixels ? torch::kUInt8 : torch::kFloat32);
  std::memcpy(set.inputs.data_ptr(), data, set.inputs.nbytes());
  set.inputs = set.inputs.to(kind_.device);
  const std::vector<double> mean = r.vector<double>(), spread = r.vector<double>();
  if (pixels) {
    if (mean.size() != static_cast<size_t>(c) || spread.size() != static_cast<size_t>(c)) {
      refuse("mean and standard deviation are one of each channel");
    }
    for (double s : spread) {
      if (!(s > 0)) refuse("a standard deviation of pixels is not positive");
    }
    const auto shape = {int64_t{1}, c, int64_t{1}, int64_t{1}};
    set.mean = torch::tensor(mean, torch::kFloat64).view(shape).to(kind_.device);
    set.spread = torch::tensor(spread, torch::kFloat64).view(shape).to(kind_.device);
  }
  set.targets = read_targets(r, n);
  r.done();
  sets_[number] = set;
}

torch::Tensor Session::read_targets(Reader& r, int64_t count) const {
  const std::vector<int32_t> labels = r.vector<int32_t>();
  const std::vector<float> numbers = r.vector<float>();
  const int64_t outputs = kind_.spec.outputs;
  if (kind_.loss == Loss::squared) {
    if (numbers.empty()) return {};
    if (static_cast<int64_t>(numbers.size()) != count * outputs) {
      refuse(std::to_string(numbers.size()) + " targets for " + std::to_string(count) +
             " examples and " + std::to_string(outputs) + " outputs");
    }
    return torch::tensor(numbers).view({count, outputs}).to(kind_.device);
  }
  if (labels.empty()) return {};
  if (static_cast<int64_t>(labels.size()) != count) {
    refuse(std::to_string(labels.size()) + " labels for " + std::to_string(count) + " examples");
  }
  for (int32_t label : labels) {
    if (label < 0 || label >= outputs) {
      refuse("label " + std::to_string(label) + ": the network has " + std::to_string(outputs) +
             " outputs");
    }
  }
  return torch::tensor(labels, torch::kInt64).to(kind_.device);
}

const Set& Session::set_of(uint32_t set) const {
  const auto found = sets_.find(set);
  if (found == sets_.end()) refuse("no set " + std::to_string(set) + " was loaded");
  return found->second;
}

Replica& Session::replica_of(uint32_t index) {
  if (index >= replicas_.size()) refuse("no replica " + std::to_string(index));
  return *replicas_[index];
}

Session::Asked Session::read_batch(Reader& r) const {
  Asked asked;
  asked.set = &set_of(r.u32());
  asked.indices = r.vector<int32_t>();
  asked.augmentation.crop = r.u32();
  asked.augmentation.flip = r.boolean();
  asked.augmentation.erase = r.f64();
  asked.augmentation.seed = r.u64();
  const Set& set = *asked.set;
  if (!set.targets.defined()) refuse("a minibatch of a set without labels or targets");
  if (asked.indices.empty()) refuse("a minibatch of no examples");
  for (int32_t i : asked.indices) {
    if (i < 0 || i >= set.size()) {
      refuse("example " + std::to_string(i) + " of a set of " + std::to_string(set.size()));
    }
  }
  const Augmentation& a = asked.augmentation;
  if (a.crop > std::max(set.inputs.size(2), set.inputs.size(3))) {
    refuse("a border of " + std::to_string(a.crop) + " pixels is wider than the image");
  }
  if (!(a.erase >= 0 && a.erase <= 1)) refuse("the probability of erasing is in [0, 1]");
  return asked;
}

Batch Session::make(const Asked& asked) const {
  const Batch batch =
      gather(*asked.set, asked.indices, asked.augmentation, kind_.precision.parameters);
  synchronize(kind_.device);  // replicas read it in lanes of their own
  return batch;
}

void Session::start(Reader& r, Writer& w) {
  const Asked asked = read_batch(r);
  r.done();
  const Batch batch = make(asked);
  std::vector<Outcome> outcomes(replicas_.size());
  pool_->each(static_cast<int>(replicas_.size()), [&](int i) {
    outcomes[static_cast<size_t>(i)] = replicas_[static_cast<size_t>(i)]->start(batch);
  });
  write_outcomes(w, outcomes);
}

void Session::advance(Reader& r, Writer& w) {
  const uint32_t count = r.u32();
  if (count != replicas_.size()) {
    refuse(std::to_string(count) + " moves for " + std::to_string(replicas_.size()) + " replicas");
  }
  std::vector<Move> moves(count);
  for (Move& m : moves) m = read_move(r);
  const Asked asked = read_batch(r);
  r.done();
  const Batch batch = make(asked);
  std::vector<Outcome> outcomes(count);
  pool_->each(static_cast<int>(count), [&](int i) {
    const size_t k = static_cast<size_t>(i);
    outcomes[k] = replicas_[k]->advance(moves[k], batch);
  });
  write_outcomes(w, outcomes);
}

void Session::losses(Reader& r, Writer& w) {
  const Asked asked = read_batch(r);
  r.done();
  const Batch batch = make(asked);
  std::vector<double> losses(replicas_.size());
  pool_->each(static_cast<int>(replicas_.size()), [&](int i) {
    losses[static_cast<size_t>(i)] = replicas_[static_cast<size_t>(i)]->loss(batch);
  });
  w.vector(losses.data(), losses.size());
}

void Session::gradient(Reader& r, Writer& w) {
  Replica& replica = replica_of(r.u32());
  const Asked asked = read_batch(r);
  r.done();
  std::vector<double> gradient;
  w.f64(replica.gradient(make(asked), gradient));
  w.vector(gradient.data(), gradient.size());
}

void Session::predict(Reader& r, Writer& w) {
  Replica& replica = replica_of(r.u32());
  const Set& set = set_of(r.u32());
  r.done();
  w.u64(static_cast<uint64_t>(set.size() * kind_.spec.outputs));
  for (int64_t at = 0; at < set.size(); at += kPredicted) {
    const torch::Tensor inputs = inputs_between(set, at, std::min(at + kPredicted, set.size()),
                                                kind_.precision.parameters);
    synchronize(kind_.device);
    const torch::Tensor outputs = replica.predict(inputs);
    const float* x = outputs.data_ptr<float>();
    for (int64_t j = 0; j < outputs.numel(); j++) w.number(x[j]);
  }
}

void Session::recompute(Reader& r, Writer&) {
  Replica& replica = replica_of(r.u32());
  const uint32_t count = r.u32();
  std::vector<Asked> asked;
  for (uint32_t i = 0; i < count; i++) asked.push_back(read_batch(r));
  r.done();
  replica.recompute(count, [&](int64_t i) { return make(asked[static_cast<size_t>(i)]); });
}

void Session::get_state(Reader& r, Writer& w) {
  Replica& replica = replica_of(r.u32());
  r.done();
  const State s = replica.state();
  for (const auto* v : {&s.theta, &s.momenta, &s.gradient, &s.buffers}) {
    w.vector(v->data(), v->size());
  }
  w.u64(s.step);
}

void Session::set_state(Reader& r, Writer&) {
  Replica& replica = replica_of(r.u32());
  State s;
  for (auto* v : {&s.theta, &s.momenta, &s.gradient, &s.buffers}) *v = r.vector<double>();
  s.step = r.u64();
  r.done();
  replica.set_state(s);
  synchronize(kind_.device);
}

void Session::usage(Reader& r, Writer& w) {
  r.done();
  rusage used = {};
  getrusage(RUSAGE_SELF, &used);
  w.u64(static_cast<uint64_t>(resident()));
  w.u64(static_cast<uint64_t>(used.ru_maxrss) * 1024);
  w.u64(static_cast<uint64_t>(device_peak(kind_.device)));
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  w.f64(seconds(used.ru_utime) + seconds(used.ru_stime));
}

}  // namespace r2sgld
