#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <utility>

#include <tenon/http.h>

#include "bridge/handle_table.hpp"
#include "http/connection/exchange.hpp"
#include "routing/context.hpp"

namespace tenon::plugins {

enum class CallPhase : std::uint8_t {
  waiting,    ///< for a response
  streaming,  ///< begun, not ended
  over        ///< responded, given up, or not set up yet
};

/// One request inside a plugin. Lives in a slot of the table of requests; its handler, its
/// callbacks and every function that is called about it hold a pin, and when the last pin of a
/// closed call is released, the callbacks are dropped and the lease is returned. So the last lease
/// is always returned after the plugin's frames.
///
///   opened → the handler runs → responds at once, or is pending (TENON_PENDING) → respond, or
///   begin … end → closed → finish()
///
/// A call that gets its response inside its handler is closed when the handler returns; until then
/// its phase is `over`.
struct Call {
  /// While the handler runs, its caller owns the exchange; afterwards `owner` does.
  http::Exchange* exchange = nullptr;
  http::ExchangePtr owner;
  std::atomic<CallPhase> phase{CallPhase::over};
  std::atomic<std::int64_t> pending_since_s{
      never};                   ///< since when the call is pending; seconds, monotonic
  tenon_callback writable{};    ///< of a streamed response; the call drops it
  bool has_taken_body = false;  ///< of the handler's thread

  static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

  /// Destroyed last: the lease, then the exchange.
  class Rest {
   public:
    Rest(http::Exchange* exchange, http::ExchangePtr owner) noexcept
        : exchange_(exchange), owner_(std::move(owner)) {}
    Rest(const Rest&) = delete;
    Rest& operator=(const Rest&) = delete;
    ~Rest() {
      if (exchange_ != nullptr) routing::context(*exchange_).lease.reset();
    }

   private:
    http::Exchange* exchange_;
    http::ExchangePtr owner_;
  };
  Rest finish() noexcept {
    phase.store(CallPhase::over, std::memory_order_relaxed);
    if (writable.fn != nullptr || writable.drop != nullptr) drop_writable();
    has_taken_body = false;
    pending_since_s.store(never, std::memory_order_relaxed);
    return {std::exchange(exchange, nullptr), std::move(owner)};
  }

  /// Marks the call as pending: its handler returns, and others may still hold the call.
  void keep(std::int64_t now_s) noexcept {
    owner = exchange;
    pending_since_s.store(now_s, std::memory_order_relaxed);
  }

  bool is_finished() const noexcept {
    return phase.load(std::memory_order_acquire) == CallPhase::over;
  }

  /// Moves from one phase to the next; true for the one caller that did it.
  bool advance(CallPhase from, CallPhase to) noexcept {
    return phase.compare_exchange_strong(from, to, std::memory_order_seq_cst);
  }

 private:
  void drop_writable() noexcept;
};

using Calls = HandleTable<Call, FreeSlots::cached>;

/// A call that a function of the plugin is about: by a pin of its own or, inside the call's own
/// handler, by the handler's.
class CallRef {
 public:
  explicit CallRef(Calls::Pin pin) noexcept : own_(std::move(pin)) {}
  explicit CallRef(Calls::Pin* borrowed) noexcept : borrowed_(borrowed) {}

  explicit operator bool() const noexcept { return borrowed_ || own_; }
  /// Inside the call's own handler, on its thread.
  Call* operator->() const noexcept { return borrowed_ ? &**borrowed_ : &*own_; }
  Call& operator*() const noexcept { return borrowed_ ? **borrowed_ : *own_; }
  /// Makes the handle stale; inside the call's own handler, from when that returns.
  void close() noexcept {
    if (!borrowed_) own_.close();
  }

 private:
  Calls::Pin own_;
  Calls::Pin* borrowed_ = nullptr;
};

}  // namespace tenon::plugins
