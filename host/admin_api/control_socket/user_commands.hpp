#pragma once

namespace tenon::identity {
class Identity;
}

namespace tenon::console {

class Commands;

/// Adds what `tenon user …` runs:
///   user.add            {"login","role","name"?,"password"?}  the user
///   user.list           {}                                    {"items":[user…]}, all of them
///   user.disable        {"login"}                             the user
///   user.reset_password {"login","password"?}                 the user
/// A user is {"id","login","name","role","disabled","created","updated"}. Without "password" one is
/// generated and is in the response as "password", the only time it is shown. `identity` must
/// outlive `commands`.
void add_user_commands(Commands& commands, identity::Identity& identity);

}  // namespace tenon::console
