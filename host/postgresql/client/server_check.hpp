#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error_fwd.hpp"

namespace tenon::data::postgresql {

/// The oldest server that is taken, as PostgreSQL numbers its versions.
inline constexpr std::int64_t oldest_server = 150'000;

/// Facts about a server and the URL's role.
struct ServerFacts {
  std::int64_t version_number = 0;
  std::string version;   ///< "15.6 (Debian 15.6-0+deb12u1)"
  std::string encoding;  ///< of the database
  std::string database;
  std::string role;  ///< the URL's
  bool may_create_roles = false;
  bool is_owner = false;  ///< of the database, or as one of its owner's role
  bool is_read_only = false;
  bool has_host_schema = false;
  std::int64_t bytes = 0;            ///< of the database
  std::int64_t connections = 0;      ///< open now, of all databases
  std::int64_t max_connections = 0;  ///< that the server takes
};

/// Asks the server; changes nothing. Throws 503 data.connection_lost.
ServerFacts ask_server(const std::string& url);

/// Returns what prevents a host from starting: 500 data.server_version, data.server_encoding,
/// data.server_read_only, data.server_rights; each says what to do.
std::vector<base::Error> obstacles(const ServerFacts& facts);

/// Returns the URL for messages: without its password, which may be before the host or after `?`.
std::string shown_url(std::string_view url);

}  // namespace tenon::data::postgresql
