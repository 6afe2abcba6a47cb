#include "admin_api/account/account_routes.hpp"

#include "admin_api/account/account_handlers.hpp"
#include "admin_api/account/session_handlers.hpp"
#include "admin_api/people/group_handlers.hpp"
#include "admin_api/people/people_handler.hpp"
#include "admin_api/people/user_handlers.hpp"

namespace tenon::console {

using http::BodyMode;
using http::Method;
using routing::Access;

class AccountRoutes::Implementation {
 public:
  Implementation(identity::Identity& identity, http::WorkerShare& console_share)
      : sign_in(identity),
        show_session(identity),
        sign_out(identity),
        run_setup(identity),
        list_users(identity),
        create_user(identity),
        change_user(identity),
        list_groups(identity),
        create_group(identity),
        show_group(identity),
        change_group(identity),
        delete_group(identity),
        list_members(identity),
        change_members(identity),
        find_people(identity),
        change_own_password(identity),
        list_sessions(identity),
        end_session(identity),
        share(console_share) {}

  routing::Route route(Method method, const char* pattern, Access access, http::Handler& handler,
                       const char* summary) {
    const bool has_body = method == Method::post || method == Method::patch;
    return {.method = method,
            .pattern = pattern,
            .access = access,
            .permission = {},
            .handler = &handler,
            .body = has_body ? BodyMode::json : BodyMode::none,
            .body_limit = has_body ? body_limit : 0,
            .share = &share,
            .summary = summary};
  }

  SignIn sign_in;
  ShowSession show_session;
  SignOut sign_out;
  RunSetup run_setup;
  ListUsers list_users;
  CreateUser create_user;
  ChangeUser change_user;
  ListGroups list_groups;
  CreateGroup create_group;
  ShowGroup show_group;
  ChangeGroup change_group;
  DeleteGroup delete_group;
  ListMembers list_members;
  ChangeMembers change_members;
  FindPeople find_people;
  ChangeOwnPassword change_own_password;
  ListSessions list_sessions;
  EndSession end_session;
  http::WorkerShare& share;
};

AccountRoutes::AccountRoutes(identity::Identity& identity, http::WorkerShare& share)
    : implementation_(std::make_unique<Implementation>(identity, share)) {}
AccountRoutes::~AccountRoutes() = default;

std::vector<routing::Route> AccountRoutes::routes() const {
  Implementation& all = *implementation_;
  std::vector<routing::Route> routes{
      all.route(Method::post, "/api/core/session", Access::everyone, all.sign_in, "Sign in"),
      all.route(Method::get, "/api/core/session", Access::signed_in, all.show_session,
                "Who is signed in, with which permissions"),
      all.route(Method::del, "/api/core/session", Access::everyone, all.sign_out, "Sign out"),
      all.route(Method::post, "/api/core/setup", Access::everyone, all.run_setup,
                "Make the first admin with the set-up token"),
      all.route(Method::get, "/api/core/users", Access::admin, all.list_users,
                "List users by login"),
      all.route(Method::post, "/api/core/users", Access::admin, all.create_user, "Create a user"),
      all.route(Method::patch, "/api/core/users/{id}", Access::admin, all.change_user,
                "Change name, role, password, or disable"),
      all.route(Method::get, "/api/core/groups", Access::admin, all.list_groups,
                "List groups by name"),
      all.route(Method::post, "/api/core/groups", Access::admin, all.create_group,
                "Create a group"),
      all.route(Method::get, "/api/core/groups/{id}", Access::admin, all.show_group, "One group"),
      all.route(Method::patch, "/api/core/groups/{id}", Access::admin, all.change_group,
                "Change name or description"),
      all.route(Method::del, "/api/core/groups/{id}", Access::admin, all.delete_group,
                "Delete a group"),
      all.route(Method::get, "/api/core/groups/{id}/members", Access::admin, all.list_members,
                "List the members of a group by login"),
      all.route(Method::post, "/api/core/groups/{id}/members", Access::admin, all.change_members,
                "Add users to a group and take users out"),
      all.route(Method::get, "/api/core/people", Access::signed_in, all.find_people,
                "Find users and groups by the beginning of a name, or by their ids"),
      all.route(Method::post, "/api/core/account/password", Access::signed_in,
                all.change_own_password, "Change one's own password"),
      all.route(Method::get, "/api/core/sessions", Access::signed_in, all.list_sessions,
                "List one's own sessions"),
      all.route(Method::del, "/api/core/sessions/{id}", Access::signed_in, all.end_session,
                "End one of one's own sessions"),
  };
  // Every page requests it and it is served from memory: it needs no worker.
  for (routing::Route& route : routes) {
    if (route.handler == &all.show_session) route.share = nullptr;
  }
  return routes;
}

}  // namespace tenon::console
