#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "admin_api/plugins/operation_tracker.hpp"
#include "http/connection/application.hpp"
#include "routing/context.hpp"

namespace tenon::console {

/// What a desk is asked by a request.
struct Asked {
  const http::Request& request;
  std::string name;  ///< the first parameter of the path; may be empty
  std::string user;  ///< the id of who asks; empty for nobody
};

/// A handler that answers with what a desk gives. What the work throws is the answer.
class JsonHandler final : public http::Handler {
 public:
  using Work = std::function<http::Response(const Asked&)>;
  /// `changes` for work that may take longer than a request; null: it may not.
  explicit JsonHandler(Work work, OperationTracker* changes = nullptr)
      : work_(std::move(work)), changes_(changes) {}

  void handle(const http::ExchangePtr& exchange) override {
    const routing::CallContext& context = routing::context(*exchange);
    const Asked asked{exchange->request(),
                      std::string(context.parameters.count == 0 ? std::string_view()
                                                                : context.parameters.values[0]),
                      context.principal ? context.principal->user_id : std::string()};
    if (changes_ != nullptr)
      changes_->run(exchange, [&] { return work_(asked); });
    else
      exchange->answer(work_(asked));
  }

 private:
  Work work_;
  OperationTracker* const changes_;
};

inline http::Response ok(std::string json) {
  return http::json_response(200, std::move(json));
}

}  // namespace tenon::console
