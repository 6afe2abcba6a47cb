#include "realtime/presence_routes.hpp"

#include <memory>
#include <string>

#include "realtime/limits.hpp"
#include "realtime/presence.hpp"
#include "routing/context.hpp"
#include "routing/request_body.hpp"

namespace tenon::console {

namespace {

constexpr std::uint64_t max_presence_body = 4 * 1024;

bool is_state(const std::string& text) {
  return text.size() <= realtime::state_size &&
         text.find_first_not_of("abcdefghijklmnopqrstuvwxyz-") == std::string::npos;
}

class Look final : public http::Handler {
 public:
  explicit Look(realtime::Presence& presence) : presence_(presence) {}

  void handle(const http::ExchangePtr& exchange) override {
    RequestBody body(exchange->request().body);
    const std::string channel = body.text("channel");
    const realtime::PresenceKey record{body.text("plugin"), body.text("table"), body.text("id")};
    const std::string state = body.optional_text("state").value_or("");
    if (!is_state(state)) {
      body.refuse("state", "invalid",
                  "A state is of at most " + std::to_string(realtime::state_size) +
                      " letters a to z and hyphens.");
    }
    body.require_valid("presence.validation");
    presence_.look(*routing::context(*exchange).principal, channel, record, state);
    exchange->respond(http::empty_response(204));
  }

 private:
  realtime::Presence& presence_;
};

class Leave final : public http::Handler {
 public:
  explicit Leave(realtime::Presence& presence) : presence_(presence) {}

  void handle(const http::ExchangePtr& exchange) override {
    const std::string_view query = exchange->request().query;
    presence_.leave(*routing::context(*exchange).principal, http::query_value(query, "channel"),
                    {http::query_value(query, "plugin"), http::query_value(query, "table"),
                     http::query_value(query, "id")});
    exchange->respond(http::empty_response(204));
  }

 private:
  realtime::Presence& presence_;
};

}  // namespace

PresenceRoutes::PresenceRoutes(realtime::Presence& presence, http::WorkerShare& share)
    : table_({routing::Access::signed_in, &share, max_presence_body}) {
  table_.add(http::Method::put, "/api/core/presence", "Report that the user views a record",
             std::make_unique<Look>(presence));
  table_.add(http::Method::del, "/api/core/presence",
             "Report that the user no longer views a record", std::make_unique<Leave>(presence));
}

}  // namespace tenon::console
