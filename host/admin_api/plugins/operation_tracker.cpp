#include "admin_api/plugins/operation_tracker.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "base/error.hpp"
#include "base/ids.hpp"
#include "base/json_writer.hpp"
#include "routing/context.hpp"

namespace tenon::console {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::string_view change_address = "/api/core/changes/";

// Returns the body, which is JSON in all of this room; empty if there is none.
std::string body_of(const http::Response& response) {
  const auto* text = std::get_if<std::string>(&response.body);
  return text ? *text : std::string();
}

}  // namespace

struct OperationTracker::Change {
  std::string id;
  http::ExchangePtr exchange;  // until the response is sent
  Clock::time_point until;
  int status = 0;  // 0 while it runs
  std::string response;
};

class OperationTracker::Description final : public http::Handler {
 public:
  explicit Description(const OperationTracker& changes) : changes_(changes) {}
  void handle(const http::ExchangePtr& exchange) override {
    const std::string id(routing::context(*exchange).parameters.values[0]);
    exchange->respond(http::json_response(200, changes_.describe(id)));
  }

 private:
  const OperationTracker& changes_;
};

OperationTracker::OperationTracker(http::WorkerShare& share, std::chrono::milliseconds wait)
    : wait_(wait), share_(share), description_(std::make_unique<Description>(*this)) {}

OperationTracker::~OperationTracker() {
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
  }
  changed_.notify_one();
  if (timer_.joinable()) timer_.join();
}

void OperationTracker::run(const http::ExchangePtr& exchange,
                           const std::function<http::Response()>& work) {
  const Position change = begin(exchange);
  std::optional<http::Response> response;
  try {
    response = work();
  } catch (const base::Error& error) {
    response = http::problem_response(error, exchange->request().request_id);
  } catch (...) {
    end(change, http::problem_response(
                    {500, "http.internal", "The change failed; the log of the server says more."},
                    exchange->request().request_id));
    throw;
  }
  end(change, *std::move(response));
}

OperationTracker::Position OperationTracker::begin(const http::ExchangePtr& exchange) {
  const std::lock_guard lock(mutex_);
  changes_.push_back({base::new_id(), exchange, Clock::now() + wait_, 0, {}});
  if (!timer_.joinable()) timer_ = std::thread([this] { respond_to_slow(); });
  changed_.notify_one();
  return std::prev(changes_.end());
}

void OperationTracker::end(Position change, http::Response response) {
  http::ExchangePtr exchange;
  {
    const std::lock_guard lock(mutex_);
    exchange = std::move(change->exchange);
    if (exchange) {
      changes_.erase(change);
    } else {
      change->status = response.status;
      change->response = body_of(response);
      const auto is_kept = [](const Change& one) { return one.status != 0; };
      if (std::count_if(changes_.begin(), changes_.end(), is_kept) > static_cast<int>(max_kept))
        changes_.erase(std::find_if(changes_.begin(), changes_.end(), is_kept));
    }
  }
  if (exchange) exchange->respond(std::move(response));
}

void OperationTracker::respond_to_slow() {
  std::unique_lock lock(mutex_);
  while (!is_stopping_) {
    const Position next = std::find_if(changes_.begin(), changes_.end(),
                                       [](const Change& one) { return one.exchange != nullptr; });
    if (next == changes_.end()) {
      changed_.wait(lock);
      continue;
    }
    if (Clock::now() < next->until) {
      changed_.wait_until(lock, Clock::time_point(next->until));
      continue;
    }
    const http::ExchangePtr exchange = std::move(next->exchange);
    const std::string id = next->id;
    lock.unlock();
    std::string json;
    base::JsonWriter(json)
        .begin_object()
        .member("id", id)
        .member("state", "running")
        .key("status")
        .raw("null")
        .key("answer")
        .raw("null")
        .end_object();
    http::Response response = http::json_response(202, std::move(json));
    response.with("Location", std::string(change_address) + id);
    exchange->respond(std::move(response));
    lock.lock();
  }
}

std::string OperationTracker::describe(std::string_view id) const {
  const std::lock_guard lock(mutex_);
  const auto change = std::find_if(changes_.begin(), changes_.end(),
                                   [&](const Change& one) { return one.id == id; });
  if (change == changes_.end()) {
    throw base::Error(404, "console.change_unknown",
                      "Unknown operation. It finished long ago or the server was restarted. Check "
                      "the plugin list for the result.");
  }
  const bool is_finished = change->status != 0;
  std::string json;
  base::JsonWriter(json)
      .begin_object()
      .member("id", id)
      .member("state", !is_finished           ? "running"
                       : change->status < 400 ? "done"
                                              : "failed")
      .key("status")
      .raw(is_finished ? std::to_string(change->status) : "null")
      .key("answer")
      .raw(change->response.empty() ? "null" : change->response)
      .end_object();
  return json;
}

routing::Route OperationTracker::route() {
  return {.method = http::Method::get,
          .pattern = std::string(change_address).append("{id}"),
          .access = routing::Access::admin,
          .permission = {},
          .handler = description_.get(),
          .body = http::BodyMode::none,
          .body_limit = 0,
          .share = &share_,
          .summary = "Get the state of a long-running change"};
}

}  // namespace tenon::console
