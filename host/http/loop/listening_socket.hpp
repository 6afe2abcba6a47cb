#pragma once

#include <cstdint>
#include <string>

namespace tenon::http {

/// A socket that listens on the address, for whoever closes it: connections wait in its backlog
/// until somebody accepts them, also while the process that did so is replaced. Port 0 picks a free
/// one. Of a name with several addresses the first of IPv4 is taken. Made with the system's calls
/// alone, so that a process without threads can have one. Throws base::Error 500
/// "http.listen_failed" naming the address and the reason.
int open_listening_socket(const std::string& host, std::uint16_t port);

}  // namespace tenon::http
