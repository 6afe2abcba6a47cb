#include "admin_api/account/login_source.hpp"

#include "http/parser/forwarded.hpp"

namespace tenon::console {

LoginSource::LoginSource(const http::Request& request)
    : request_(request),
      // Of other peers it may be a client that says so to get the higher bound.
      is_shared_(request.peer_kind != http::PeerKind::client && http::is_loopback(request.peer)),
      claimed_(is_shared_ ? http::claimed_client(request) : std::string()) {}

}  // namespace tenon::console
