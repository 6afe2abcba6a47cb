#pragma once

#include <string_view>
#include <utility>

#include "bridge/call.hpp"
#include "crash/running_calls.hpp"
#include "observability/log.hpp"

namespace tenon::plugins {

/// Marks the calling thread as running code of a plugin, for the log, for functions that depend on
/// it, and for reports of what crashed the process. Lives on the stack around every call
/// into one.
class Frame {
 public:
  Frame(const PluginName& plugin, Operation operation, std::string_view request_id,
        bool may_block) noexcept
      : scope_(request_id, plugin.id),
        running_(plugin.mark(operation)),
        outer_(std::exchange(innermost_, this)),
        may_block_(may_block),
        operation_(operation) {}
  /// Inside the handler of a request; functions borrow the request's pin.
  Frame(const PluginName& plugin, std::string_view request_id, bool may_block, Calls::Pin& call,
        tenon_handle handle) noexcept
      : Frame(plugin, Operation::route, request_id, may_block) {
    call_ = &call;
    handle_ = handle;
  }
  ~Frame() { innermost_ = outer_; }
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;

  /// False inside a route that promised to be inline: this is an I/O thread of the host.
  static bool may_block() noexcept { return !innermost_ || innermost_->may_block_; }
  /// True inside the handler of a request or of a service, or a callback of a body.
  static bool serves_request() noexcept {
    if (!innermost_) return false;
    const Operation operation = innermost_->operation_;
    return operation == Operation::route || operation == Operation::service ||
           operation == Operation::body;
  }
  /// Returns the pin of the request whose handler runs on this thread, if it has this handle in
  /// this table; null otherwise.
  static Calls::Pin* handler_call(const Calls& table, tenon_handle handle) noexcept {
    const Frame* frame = innermost_;
    const bool is_ours =
        frame && frame->call_ && frame->handle_ == handle && frame->call_->is_of(table);
    return is_ours ? frame->call_ : nullptr;
  }

 private:
  static constinit thread_local Frame* innermost_;

  observability::LogScope scope_;
  RunningCall running_;
  Frame* outer_;
  Calls::Pin* call_ = nullptr;
  tenon_handle handle_ = 0;
  bool may_block_;
  Operation operation_;
};

/// Logs the exception that is being handled, which a plugin let out.
void report_exception() noexcept;

/// Calls a function of a plugin. Returns `on_throw` if it throws in spite of its promise.
template <typename Result, typename... Parameters, typename... Arguments>
inline Result enter(Result (*function)(Parameters...), Result on_throw, Arguments... arguments) {
  // The parameter's type is without noexcept on purpose: with it the compiler would leave the
  // handlers out.
  try {
    return function(arguments...);
  } catch (...) {
    report_exception();
  }
  return on_throw;
}

template <typename... Parameters, typename... Arguments>
inline void enter(void (*function)(Parameters...), Arguments... arguments) {
  try {
    function(arguments...);
  } catch (...) {
    report_exception();
  }
}

/// Calls `drop` of a callback triple, which notifies the plugin that its `ctx` is no longer needed,
/// and empties the triple.
template <typename Triple>
void drop(Triple& triple) {
  const Triple spent = std::exchange(triple, Triple{});
  if (spent.drop) enter(static_cast<void (*)(void*)>(spent.drop), spent.ctx);
}

}  // namespace tenon::plugins
