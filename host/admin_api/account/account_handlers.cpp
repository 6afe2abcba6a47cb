#include "admin_api/account/account_handlers.hpp"

#include <string>
#include <utility>

#include "admin_api/account/login_source.hpp"
#include "admin_api/account/throttled_response.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/json_writer.hpp"
#include "identity/identity.hpp"
#include "identity/sessions/cookie.hpp"
#include "identity/sessions/sessions.hpp"
#include "observability/audit.hpp"
#include "routing/context.hpp"
#include "routing/request_body.hpp"

namespace tenon::console {

void ChangeOwnPassword::handle(const http::ExchangePtr& exchange) {
  const http::Request& request = exchange->request();
  const identity::PrincipalPtr& principal = routing::context(*exchange).principal;
  RequestBody body(request.body);
  const std::string old_password = body.text("old_password");
  const std::string new_password = body.text("new_password");
  body.require_valid();
  const LoginSource source(request);
  try {
    identity_.change_own_password(*principal, old_password, new_password, source.source());
  } catch (const identity::Throttled& throttled) {
    exchange->respond(throttled_response(throttled, request.request_id));
    return;
  }
  identity_.audit().record({.actor = principal->user_id,
                            .action = "users.changed_password",
                            .object = principal->user_id,
                            .details = {}});
  http::Response response = http::empty_response(204);
  response.with("Cache-Control", "no-store");
  exchange->respond(std::move(response));
}

void ListSessions::handle(const http::ExchangePtr& exchange) {
  const identity::PrincipalPtr& principal = routing::context(*exchange).principal;
  std::string text;
  base::JsonWriter json(text);
  json.begin_object().key("items").begin_array();
  for (const identity::Session& session : identity_.sessions().of_user(principal->user_id)) {
    json.begin_object()
        .member("id", session.id)
        .member("created", base::rfc3339(session.created_ms))
        .member("last_seen", base::rfc3339(session.last_seen_ms))
        .member("expires", base::rfc3339(session.expires_ms))
        .member("address", session.address)
        .member("user_agent", session.user_agent)
        .member("current", session.id == principal->session_id)
        .end_object();
  }
  json.end_array().key("next").null().end_object();
  exchange->respond(http::json_response(200, std::move(text)));
}

void EndSession::handle(const http::ExchangePtr& exchange) {
  const routing::CallContext& context = routing::context(*exchange);
  const std::string id(context.parameters.values[0]);
  if (!identity_.sessions().end(context.principal->user_id, id)) {
    throw base::Error(404, "identity.unknown_session", "You have no such session.");
  }
  identity_.audit().record({.actor = context.principal->user_id,
                            .action = "session.ended",
                            .object = id,
                            .details = {}});
  http::Response response = http::empty_response(204);
  response.with("Cache-Control", "no-store");
  if (id == context.principal->session_id)
    response.with("Set-Cookie", identity::expired_session_cookie(exchange->request().secure));
  exchange->respond(std::move(response));
}

}  // namespace tenon::console
