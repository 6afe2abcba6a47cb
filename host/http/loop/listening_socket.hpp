#pragma once

#include <cstdint>
#include <string>

namespace tenon::http {

/// Opens a socket that listens on the address; the caller closes it. Connections wait in its
/// backlog until a process accepts them, also while that process is replaced. Port 0 picks a free
/// port. If a name has several addresses, the first IPv4 address is taken. Uses system calls only,
/// so that a process without threads can have a socket. Throws base::Error 500 "http.listen_failed"
/// naming the address and the reason.
int open_listening_socket(const std::string& host, std::uint16_t port);

}  // namespace tenon::http
