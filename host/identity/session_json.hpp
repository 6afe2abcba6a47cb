#pragma once

#include <string>

namespace tenon::identity {

class Permissions;
struct Principal;

/// {"id","login","name","role"}
std::string user_json(const Principal& principal);

/// {"user":{…},"permissions":["notes.use",…]}: what a browser is told of its own session.
std::string session_json(const Principal& principal, const Permissions& permissions);

}  // namespace tenon::identity
