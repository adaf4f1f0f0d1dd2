#include "protocol.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>

namespace r2sgld {

namespace {

// A hostile length costs no more memory than what was sent, rounded up to this.
constexpr size_t kPiece = size_t{1} << 24;

// Reads up to size bytes; fewer only at the end of the stream.
size_t read_all(int fd, char* to, size_t size) {
  size_t done = 0;
  while (done < size) {
    const ssize_t n = ::read(fd, to + done, size - done);
    if (n == 0) break;
    if (n < 0) {
      if (errno == EINTR) continue;
      throw Broken(std::string("cannot read a request: ") + std::strerror(errno));
    }
    done += static_cast<size_t>(n);
  }
  return done;
}

bool write_all(int fd, const char* from, size_t size) {
  while (size > 0) {
    const ssize_t n = ::write(fd, from, size);
    if (n < 0) {
      if (errno == EINTR) continue;
      if (errno == EPIPE) return false;
      throw Broken(std::string("cannot write a reply: ") + std::strerror(errno));
    }
    from += n;
    size -= static_cast<size_t>(n);
  }
  return true;
}

}  // namespace

const char* Reader::take(uint64_t count, size_t each) {
  if (count > left_ / each) {
    throw Failure(Reason::request, "a request ends early: " + std::to_string(count) + " × " +
                                       std::to_string(each) + " bytes are due and " +
                                       std::to_string(left_) + " there");
  }
  const char* from = at_;
  at_ += count * each;
  left_ -= count * each;
  return from;
}

std::string Reader::string() {
  const uint32_t size = u32();
  const char* from = take(size, 1);
  return std::string(from, size);
}

void Reader::done() const {
  if (left_ > 0) {
    throw Failure(Reason::request, "a request has " + std::to_string(left_) + " bytes too many");
  }
}

void Writer::string(const std::string& s) {
  u32(static_cast<uint32_t>(s.size()));
  append(s.data(), s.size());
}

bool read_frame(int fd, Frame& frame) {
  uint32_t length = 0;
  const size_t got = read_all(fd, reinterpret_cast<char*>(&length), sizeof length);
  if (got == 0) return false;
  if (got < sizeof length) throw Broken("the requests end within the length of one");
  if (length == 0) throw Broken("a request of no bytes");
  if (read_all(fd, reinterpret_cast<char*>(&frame.kind), 1) < 1) {
    throw Broken("the requests end within one");
  }
  const size_t size = length - 1;
  frame.payload.clear();
  if (frame.payload.capacity() > kPiece) frame.payload.shrink_to_fit();  // after a data set
  for (size_t at = 0; at < size;) {
    const size_t piece = std::min(kPiece, size - at);
    frame.payload.resize(at + piece);
    if (read_all(fd, frame.payload.data() + at, piece) < piece) {
      throw Broken("the requests end within one");
    }
    at += piece;
  }
  return true;
}

bool write_frame(int fd, uint8_t kind, const std::string& payload) {
  if (payload.size() >= std::numeric_limits<uint32_t>::max()) {
    throw Broken("a reply of 4 GiB or more");
  }
  char head[5];
  const uint32_t length = static_cast<uint32_t>(payload.size() + 1);
  std::memcpy(head, &length, sizeof length);
  head[4] = static_cast<char>(kind);
  return write_all(fd, head, sizeof head) && write_all(fd, payload.data(), payload.size());
}

}  // namespace r2sgld
