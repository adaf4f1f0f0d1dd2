// r2sgld-torch: networks for r2sgld, on libtorch. Requests come on standard input,
// replies leave on standard output.
//
//   r2sgld-torch                  serve
//   r2sgld-torch check [DEVICE]   compare a device with the definitions

#include <ATen/Parallel.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <iostream>
#include <thread>

#include "check.h"
#include "session.h"

namespace {

using namespace r2sgld;

struct Reply {
  uint8_t kind = 0;
  std::string payload;
};

Reply failed(Reason reason, const std::string& what) {
  Writer w;
  w.u8(static_cast<uint8_t>(reason));
  w.string(what);
  return {1, w.payload()};
}

// The first line: the library puts a trace of its own code after it.
std::string first_line(const std::string& what) { return what.substr(0, what.find('\n')); }

Reply reply_to(Session& session, const Frame& request) {
  try {
    return {0, session.answer(request)};
  } catch (const Failure& e) {
    return failed(e.reason, e.what());
  } catch (const std::invalid_argument& e) {
    return failed(Reason::request, e.what());
  } catch (const std::exception& e) {
    return failed(out_of_memory(e) ? Reason::memory : Reason::internal, first_line(e.what()));
  }
}

// Ends the program as soon as nobody can read its replies any more, also within a call that
// takes long: who started it may have been killed.
void watch(int out) {
  pollfd replies = {out, 0, 0};
  while (poll(&replies, 1, -1) < 0 && errno == EINTR) {
  }
  if (replies.revents & (POLLERR | POLLHUP)) _exit(0);
}

// Serves until the requests end. Standard output becomes standard error first: what
// libraries print must not come between frames.
int serve() {
  const int out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  if (out < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) {
    std::cerr << "r2sgld-torch: cannot write replies to standard output\n";
    return 1;
  }
  std::thread(watch, out).detach();
  Session session;
  Frame request;
  try {
    while (read_frame(STDIN_FILENO, request)) {
      const Reply reply = reply_to(session, request);
      if (!write_frame(out, reply.kind, reply.payload)) break;
    }
  } catch (const std::exception& e) {
    std::cerr << "r2sgld-torch: " << e.what() << "\n";
    return 1;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  signal(SIGPIPE, SIG_IGN);
  at::set_num_threads(1);
  keep_memory();
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "check" && argc <= 3) {
    return check(argc > 2 ? argv[2] : "cpu") ? 0 : 1;
  }
  if (argc > 1) {
    std::cerr << "usage: r2sgld-torch (started by r2sgld), r2sgld-torch check [DEVICE]\n";
    return 2;
  }
  return serve();
}
