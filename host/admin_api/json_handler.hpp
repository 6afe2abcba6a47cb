#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "admin_api/plugins/operation_tracker.hpp"
#include "http/connection/application.hpp"
#include "routing/context.hpp"

namespace tenon::console {

/// The parts of a request that an admin class needs.
struct RequestView {
  const http::Request& request;
  std::string name;  ///< the first parameter of the path; may be empty
  std::string user;  ///< the id of the user; empty if not signed in
};

/// A handler that responds with the result of a function, or with its exception.
class JsonHandler final : public http::Handler {
 public:
  using Work = std::function<http::Response(const RequestView&)>;
  /// `changes` for work that may take longer than a request; null: it may not.
  explicit JsonHandler(Work work, OperationTracker* changes = nullptr)
      : work_(std::move(work)), changes_(changes) {}

  void handle(const http::ExchangePtr& exchange) override {
    const routing::CallContext& context = routing::context(*exchange);
    const RequestView view{
        exchange->request(),
        std::string(context.parameters.count == 0 ? std::string_view()
                                                  : context.parameters.values[0]),
        context.principal ? context.principal->user_id : std::string()};
    if (changes_ != nullptr)
      changes_->run(exchange, [&] { return work_(view); });
    else
      exchange->respond(work_(view));
  }

 private:
  Work work_;
  OperationTracker* const changes_;
};

inline http::Response ok(std::string json) {
  return http::json_response(200, std::move(json));
}

}  // namespace tenon::console
