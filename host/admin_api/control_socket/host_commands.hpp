#pragma once

namespace tenon::identity {
class Identity;
}

namespace tenon::console {

class Commands;

/// Adds what `tenon hosts …` runs:
///   hosts.list   {}        {"items":[{"name","added"}…]}, what is stored
///   hosts.add    {"name"}  {"name","added"}
///   hosts.remove {"name"}  {}; 404 "identity.unknown_host"
/// `identity` must outlive `commands`.
void add_host_commands(Commands& commands, identity::Identity& identity);

}  // namespace tenon::console
