#include "admin_api/account/account_routes.hpp"

#include <memory>
#include <utility>

#include "admin_api/account/account_handlers.hpp"
#include "admin_api/account/session_handlers.hpp"
#include "admin_api/people/group_handlers.hpp"
#include "admin_api/people/people_handler.hpp"
#include "admin_api/people/user_handlers.hpp"

namespace tenon::console {

AccountRoutes::AccountRoutes(identity::Identity& identity, http::WorkerShare& share)
    : table_({routing::Access::signed_in, &share, body_limit}) {
  using http::Method;
  using routing::Access;
  const auto add = [&](Method method, const char* pattern, Access access,
                       std::unique_ptr<http::Handler> handler,
                       const char* summary) -> routing::Route& {
    routing::Route& route = table_.add(method, pattern, summary, std::move(handler));
    route.access = access;
    return route;
  };
  add(Method::post, "/api/core/session", Access::everyone, std::make_unique<SignIn>(identity),
      "Sign in");
  // Every page requests it and it is served from memory: it needs no worker.
  add(Method::get, "/api/core/session", Access::signed_in, std::make_unique<ShowSession>(identity),
      "Get the signed-in user and permissions")
      .share = nullptr;
  add(Method::del, "/api/core/session", Access::everyone, std::make_unique<SignOut>(identity),
      "Sign out");
  add(Method::post, "/api/core/setup", Access::everyone, std::make_unique<RunSetup>(identity),
      "Create the first admin with the setup token");
  add(Method::get, "/api/core/users", Access::admin, std::make_unique<ListUsers>(identity),
      "List users by login");
  add(Method::post, "/api/core/users", Access::admin, std::make_unique<CreateUser>(identity),
      "Create a user");
  add(Method::patch, "/api/core/users/{id}", Access::admin, std::make_unique<ChangeUser>(identity),
      "Update or disable a user");
  add(Method::get, "/api/core/groups", Access::admin, std::make_unique<ListGroups>(identity),
      "List groups by name");
  add(Method::post, "/api/core/groups", Access::admin, std::make_unique<CreateGroup>(identity),
      "Create a group");
  add(Method::get, "/api/core/groups/{id}", Access::admin, std::make_unique<ShowGroup>(identity),
      "Get a group");
  add(Method::patch, "/api/core/groups/{id}", Access::admin,
      std::make_unique<ChangeGroup>(identity), "Update a group");
  add(Method::del, "/api/core/groups/{id}", Access::admin, std::make_unique<DeleteGroup>(identity),
      "Delete a group");
  add(Method::get, "/api/core/groups/{id}/members", Access::admin,
      std::make_unique<ListMembers>(identity), "List the members of a group");
  add(Method::post, "/api/core/groups/{id}/members", Access::admin,
      std::make_unique<ChangeMembers>(identity), "Add and remove members of a group");
  add(Method::get, "/api/core/people", Access::signed_in, std::make_unique<FindPeople>(identity),
      "Find users and groups by name or ID");
  add(Method::post, "/api/core/account/password", Access::signed_in,
      std::make_unique<ChangeOwnPassword>(identity), "Change your password");
  add(Method::get, "/api/core/sessions", Access::signed_in,
      std::make_unique<ListSessions>(identity), "List your sessions");
  add(Method::del, "/api/core/sessions/{id}", Access::signed_in,
      std::make_unique<EndSession>(identity), "End one of your sessions");
}

}  // namespace tenon::console
