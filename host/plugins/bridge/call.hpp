#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include <tenon/http.h>

#include "http/exchange.hpp"
#include "plugins/bridge/handle_table.hpp"

namespace tenon::plugins {

enum class CallPhase : std::uint8_t {
  waiting,    ///< for an answer
  streaming,  ///< begun, not ended
  over        ///< answered, given up, or not set up yet
};

/// One request inside a plugin. Lives in a slot of the table of requests; its handler, its
/// callbacks and every function that is called about it hold a pin, and when the last pin of a
/// closed call goes, the callbacks are dropped and the lease is given back. So the last lease
/// always goes after the plugin's frames have returned.
///
///   opened → the handler runs → answered at once, or kept (TENON_PENDING) → respond, or begin …
///   end → closed → finish()
struct Call {
  http::ExchangePtr exchange;
  std::atomic<CallPhase> phase{CallPhase::over};
  std::int64_t started_s = 0;   ///< seconds, monotonic
  tenon_callback writable{};    ///< of a streamed answer; the call's to drop
  bool has_taken_body = false;  ///< of the handler's thread

  /// What goes last: the lease, then the exchange.
  class Rest {
   public:
    explicit Rest(http::ExchangePtr exchange) noexcept : exchange_(std::move(exchange)) {}
    Rest(Rest&& other) noexcept : exchange_(std::move(other.exchange_)) {}
    Rest& operator=(Rest&&) = delete;
    ~Rest();

   private:
    http::ExchangePtr exchange_;
  };
  Rest finish() noexcept;

  /// True for the one caller that may take it from one phase to the next.
  bool advance(CallPhase from, CallPhase to) noexcept {
    return phase.compare_exchange_strong(from, to, std::memory_order_seq_cst);
  }
};

using Calls = HandleTable<Call>;

/// A call that a function of the plugin is about: by a pin of its own or, inside the call's own
/// handler, by the handler's.
class FoundCall {
 public:
  explicit FoundCall(Calls::Pin pin) noexcept : own_(std::move(pin)) {}
  explicit FoundCall(Calls::Pin* lent) noexcept : lent_(lent) {}

  explicit operator bool() const noexcept { return lent_ || own_; }
  /// Inside the call's own handler, on its thread.
  bool is_lent() const noexcept { return lent_ != nullptr; }
  Call* operator->() const noexcept { return lent_ ? &**lent_ : &*own_; }
  void close() noexcept { lent_ ? lent_->close() : own_.close(); }

 private:
  Calls::Pin own_;
  Calls::Pin* lent_ = nullptr;
};

}  // namespace tenon::plugins
