#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tenon::app {

struct Supervised {
  std::string listen_host;
  std::uint16_t listen_port = 0;
  std::string data;                    ///< directory, absolute
  std::vector<std::string> arguments;  ///< of `tenon serve`, for the host as they are
};

/// Listens, runs `tenon host` of this binary as a child, and starts it again when it ends other
/// than in order (restart_policy.hpp), until it ends in order or SIGTERM, SIGINT, SIGHUP or SIGQUIT
/// came, which it hands on; another one a second later kills it. Returns the exit code: the
/// child's; 128 and the signal's number where that ended a child that was to end; 1 when it gives
/// up. Throws base::Error 500 "http.listen_failed". To be called before there are threads; it makes
/// none, and keeps neither a database nor a file open.
int supervise(const Supervised& supervised);

}  // namespace tenon::app
