// The frames that worker and Go program exchange. Little endian:
//
//   u32 length of what follows | u8 kind | payload
//
// A request's kind is its call; a reply's is 0 (done) or 1 (failed: u8 reason, string).
// Strings are u32 length and UTF-8, vectors u64 count and numbers.
#pragma once

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

namespace r2sgld {

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "frames are little endian");

constexpr uint32_t kVersion = 2;
constexpr char kMagic[] = "R2SG";

enum class Call : uint8_t {
  hello = 1,
  create,
  load,
  start,
  advance,
  losses,
  gradient,
  predict,
  recompute,
  get_state,
  set_state,
  usage,
};

enum class Reason : uint8_t { request = 1, memory = 2, device = 3, internal = 4 };

// A Failure is an answer: the request cannot be done, and why.
struct Failure : std::runtime_error {
  Failure(Reason why, const std::string& what) : std::runtime_error(what), reason(why) {}
  Reason reason;
};

// A Broken stream cannot be read on.
struct Broken : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A Reader takes a payload apart. It throws Failure where that is too short.
class Reader {
 public:
  Reader(const char* data, size_t size) : at_(data), left_(size) {}

  template <typename T>
  T number() {
    T value;
    std::memcpy(&value, take(1, sizeof(T)), sizeof(T));
    return value;
  }
  uint8_t u8() { return number<uint8_t>(); }
  uint32_t u32() { return number<uint32_t>(); }
  uint64_t u64() { return number<uint64_t>(); }
  double f64() { return number<double>(); }
  bool boolean() { return u8() != 0; }
  std::string string();
  template <typename T>
  std::vector<T> vector() {
    const uint64_t count = u64();
    const char* from = take(count, sizeof(T));
    std::vector<T> numbers(count);
    if (count > 0) std::memcpy(numbers.data(), from, count * sizeof(T));
    return numbers;
  }
  // The bytes of a vector where they lie.
  template <typename T>
  std::pair<const char*, uint64_t> bytes() {
    const uint64_t count = u64();
    return {take(count, sizeof(T)), count};
  }
  void done() const;  // throws if anything is left

 private:
  const char* take(uint64_t count, size_t each);

  const char* at_;
  size_t left_;
};

// A Writer puts a payload together.
class Writer {
 public:
  template <typename T>
  void number(T value) {
    append(&value, sizeof(T));
  }
  void u8(uint8_t v) { number(v); }
  void u32(uint32_t v) { number(v); }
  void u64(uint64_t v) { number(v); }
  void f64(double v) { number(v); }
  void string(const std::string& s);
  template <typename T>
  void vector(const T* data, uint64_t count) {
    u64(count);
    append(data, count * sizeof(T));
  }
  const std::string& payload() const { return payload_; }

 private:
  void append(const void* data, size_t size) {
    payload_.append(static_cast<const char*>(data), size);
  }

  std::string payload_;
};

// A Frame is what a peer said.
struct Frame {
  uint8_t kind = 0;
  std::vector<char> payload;
};

// Reads a frame. False at the end of the stream between two; throws Broken within one.
bool read_frame(int fd, Frame& frame);

// Writes a frame. False if nobody reads any more.
bool write_frame(int fd, uint8_t kind, const std::string& payload);

}  // namespace r2sgld
