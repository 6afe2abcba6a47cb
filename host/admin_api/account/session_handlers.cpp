#include "admin_api/account/session_handlers.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "admin_api/account/login_source.hpp"
#include "admin_api/account/throttled_response.hpp"
#include "base/clock.hpp"
#include "identity/allowed_hosts.hpp"
#include "identity/identity.hpp"
#include "identity/sessions/cookie.hpp"
#include "identity/sessions/session_json.hpp"
#include "identity/setup.hpp"
#include "identity/users/permissions.hpp"
#include "observability/audit.hpp"
#include "observability/log.hpp"
#include "routing/context.hpp"
#include "routing/request_body.hpp"

namespace tenon::console {

namespace {

// Without it all names stay allowed, which is no reason to fail after a completed set-up.
void learn_host(identity::Identity& identity, const identity::User& user,
                std::string_view host) noexcept try {
  const std::string name = identity.hosts().learn(host);
  if (name.empty()) return;
  identity.audit().record(
      {.actor = user.id, .action = "hosts.added", .object = name, .details = {}});
  observability::log_info("the host name of the set-up is allowed from now on, others are not",
                          {{"host", name}, {"todo", "for others: tenon hosts add NAME"}});
} catch (const std::exception& failure) {
  observability::log_warning("the host name of the set-up was not stored",
                             {{"host", host}, {"reason", failure.what()}});
}

}  // namespace

http::Response session_response(const identity::Sessions::Issued& issued,
                                identity::Identity& identity, bool secure) {
  http::Response response =
      http::json_response(201, identity::session_json(*issued.principal, identity.permissions()));
  const std::int64_t seconds =
      std::max<std::int64_t>(0, (issued.expires_ms - base::unix_milliseconds()) / 1000);
  response.with("Set-Cookie", identity::session_cookie(issued.token, seconds, secure));
  return response;
}

void SignIn::handle(const http::ExchangePtr& exchange) {
  const http::Request& request = exchange->request();
  RequestBody body(request.body);
  const std::string login = body.text("login");
  const std::string password = body.text("password");
  body.require_valid();
  const LoginSource source(request);
  try {
    const auto issued =
        identity_.sign_in(login, password, source.source(), request.field("user-agent"),
                          identity::session_token(request.field("cookie"), request.secure));
    exchange->respond(session_response(issued, identity_, request.secure));
  } catch (const identity::Throttled& throttled) {
    exchange->respond(throttled_response(throttled, request.request_id));
  }
}

void ShowSession::handle(const http::ExchangePtr& exchange) {
  exchange->respond(http::json_response(
      200,
      identity::session_json(*routing::context(*exchange).principal, identity_.permissions())));
}

void SignOut::handle(const http::ExchangePtr& exchange) {
  if (const auto& principal = routing::context(*exchange).principal) {
    identity_.sessions().end(principal->user_id, principal->session_id);
    identity_.audit().record({.actor = principal->user_id,
                              .action = "session.signed_out",
                              .object = principal->session_id,
                              .details = {}});
  }
  http::Response response = http::empty_response(204);
  response.with("Cache-Control", "no-store");
  response.with("Set-Cookie", identity::expired_session_cookie(exchange->request().secure));
  exchange->respond(std::move(response));
}

void RunSetup::handle(const http::ExchangePtr& exchange) {
  const http::Request& request = exchange->request();
  RequestBody body(request.body);
  const std::string token = body.text("token");
  identity::NewUser wanted{.login = body.text("login"),
                           .name = body.optional_text("name").value_or(""),
                           .role = identity::Role::admin,
                           .password = body.text("password")};
  body.require_valid();
  const identity::User user = identity_.setup().run(token, std::move(wanted));
  identity_.audit().record(
      {.actor = user.id, .action = "setup.done", .object = user.id, .details = {}});
  learn_host(identity_, user, request.field("host"));
  exchange->respond(
      session_response(identity_.sessions().issue(user, request.peer, request.field("user-agent")),
                       identity_, request.secure));
}

}  // namespace tenon::console
