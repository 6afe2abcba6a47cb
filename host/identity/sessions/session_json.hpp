#pragma once

#include <string>

namespace tenon::base {
class JsonWriter;
}

namespace tenon::identity {

class Permissions;
struct Principal;

/// {"id","login","name","role"}
std::string user_json(const Principal& principal);

/// "permissions":["notes.use",…],"groups":["<id>",…], into the object that is open. Both sorted.
void write_rights(base::JsonWriter& json, const Principal& principal,
                  const Permissions& permissions);

/// Returns {"user":{…},"permissions":[…],"groups":[…]}: the data that a browser gets of its own
/// session.
std::string session_json(const Principal& principal, const Permissions& permissions);

}  // namespace tenon::identity
