#include "bridge/http/body_flow.hpp"

#include <utility>

#include "base/error.hpp"
#include "bridge/bridge.hpp"
#include "bridge/frame.hpp"
#include "bridge/spans.hpp"

namespace tenon::plugins {

namespace {

class Sink final : public http::BodySink {
 public:
  explicit Sink(std::shared_ptr<BodyFlow> flow) : flow_(std::move(flow)) {}
  ~Sink() override { flow_->end(TENON_E_CLOSED); }

  void on_data(std::string_view bytes) override {
    if (flow_->give(bytes)) return;
    // Makes the HTTP server stop reading. If the plugin responded before it gave up the body, the
    // client gets that response.
    throw base::Error(500, "plugins.body_refused", "The body of this request was not taken.");
  }
  void on_end() override { flow_->end(TENON_OK); }
  void on_abort(int status) override {
    flow_->end(status == 413   ? TENON_E_TOO_LARGE
               : status == 408 ? TENON_E_TIMEOUT
                               : TENON_E_CLOSED);
  }

 private:
  std::shared_ptr<BodyFlow> flow_;
};

}  // namespace

BodyFlow::BodyFlow(std::shared_ptr<Bridge> bridge, Calls::Pin call,
                   const tenon_http_body_sink& sink) noexcept
    : bridge_(std::move(bridge)), call_(std::move(call)), sink_(sink) {}

BodyFlow::~BodyFlow() {
  end(TENON_E_CLOSED);
}

bool BodyFlow::give(std::string_view bytes) {
  State before = idle;
  if (!state_.compare_exchange_strong(before, giving)) return false;
  tenon_code code = TENON_E_INTERNAL;
  {
    const Frame frame(bridge_->name(), Operation::body, call_->exchange->request().request_id,
                      true);
    code = enter(sink_.data, tenon_code{TENON_E_INTERNAL}, sink_.ctx, span(bytes));
  }
  before = giving;
  if (code >= 0 && state_.compare_exchange_strong(before, idle)) return true;
  state_.store(over);
  finish(code < 0 ? TENON_E_CLOSED : how_.load());
  return false;
}

void BodyFlow::end(tenon_code how) noexcept {
  State before = idle;
  if (state_.compare_exchange_strong(before, over)) {
    finish(how);
    return;
  }
  if (before != giving) return;
  how_.store(how);
  if (state_.compare_exchange_strong(before, giving_and_to_end) || before != idle) return;
  end(how);
}

void BodyFlow::finish(tenon_code how) noexcept {
  {
    const Frame frame(bridge_->name(), Operation::body, call_->exchange->request().request_id,
                      true);
    enter(sink_.end, sink_.ctx, how);
    drop(sink_);
  }
  call_.reset();
}

std::unique_ptr<http::BodySink> make_body_sink(std::shared_ptr<BodyFlow> flow) {
  return std::make_unique<Sink>(std::move(flow));
}

}  // namespace tenon::plugins
