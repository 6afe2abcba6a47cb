// Requests that wait until something has changed, and are then planned again. Meanwhile nothing is
// read from their connection: the bytes after the head are its body or another request's.

#include <memory>
#include <utility>

#include "base/error.hpp"
#include "http/connection/connection.hpp"
#include "http/loop/server_context.hpp"

namespace tenon::http {

namespace {

// A plan that is made after a hold's release does not contain that hold. A hold that is found in
// one all the same was released too early.
constexpr int max_plans = 4;

constexpr Refusal hold_full{503, "http.hold_full",
                            "The plugin for this URL is being changed, and too many requests "
                            "already wait for it. Try again "
                            "in a moment."};
constexpr Refusal hold_timeout{503, "http.hold_timeout",
                               "The plugin for this URL is being changed, which takes longer than "
                               "requests may wait. Try again in "
                               "a moment."};
constexpr Refusal draining{503, "plugins.draining",
                           "This plugin is being changed. Try again in a moment."};

Plan refused(const Refusal& refusal, const Request& request) {
  Plan plan;
  plan.response = std::make_unique<Response>(problem_response(
      base::Error(refusal.status, refusal.code, refusal.message), request.request_id));
  return plan;
}

}  // namespace

// False: the plan, perhaps another than was given, is to be followed now.
bool Connection::must_wait(ActiveExchange& exchange, Plan& plan) {
  for (int plans = 1; plan.hold; ++plans) {
    switch (exchange.wait_for(plan.hold)) {
      case Hold::Entry::waits:
        // The same bound for all holds that it comes into.
        if (exchange.deadline == 0)
          exchange.deadline = loop_.now() + std::int64_t{limits().hold.count()} * 1'000'000;
        held_ = &exchange;
        return true;
      case Hold::Entry::full:
        plan = refused(hold_full, exchange.request());
        break;
      case Hold::Entry::over:
        plan = plans < max_plans ? loop_.context().application.plan(exchange.request())
                                 : refused(draining, exchange.request());
        break;
    }
  }
  return false;
}

void Connection::look_at_held() {
  if (!held_->is_resumed()) return;
  ActiveExchange& exchange = *std::exchange(held_, nullptr);
  exchange.forget_hold();
  follow_plan(exchange);
  note_early_body(exchange);
}

// Refuses the request at its deadline. Its body is unread, as for any request that is refused
// early.
void Connection::give_up_held() {
  // False: it was released, and its notification is in the mailbox.
  if (!held_->leave_hold()) return;
  ActiveExchange& exchange = *std::exchange(held_, nullptr);
  exchange.respond_refusal(hold_timeout);
  take_up(exchange);
  note_early_body(exchange);
}

// Bytes after the head are the request's body: the client did not wait for 100 Continue.
void Connection::note_early_body(ActiveExchange& exchange) noexcept {
  if (!input_.empty()) exchange.owes_continue = false;
}

}  // namespace tenon::http
