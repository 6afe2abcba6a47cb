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
///
/// Answered inside its handler it is closed when that returns; until then it is over by its phase.
struct Call {
  /// While its handler runs whoever called that holds the exchange; `owner` does afterwards.
  http::Exchange* exchange = nullptr;
  http::ExchangePtr owner;
  std::atomic<CallPhase> phase{CallPhase::over};
  std::atomic<std::int64_t> kept_s{never};  ///< since when it is kept; seconds, monotonic
  tenon_callback writable{};                ///< of a streamed answer; the call's to drop
  bool has_taken_body = false;              ///< of the handler's thread

  static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

  /// What goes last: the lease, then the exchange.
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
    kept_s.store(never, std::memory_order_relaxed);
    return {std::exchange(exchange, nullptr), std::move(owner)};
  }

  /// Its handler returns, and others may still hold the call.
  void keep(std::int64_t now_s) noexcept {
    owner = exchange;
    kept_s.store(now_s, std::memory_order_relaxed);
  }

  bool is_over() const noexcept { return phase.load(std::memory_order_acquire) == CallPhase::over; }

  /// True for the one caller that may take it from one phase to the next.
  bool advance(CallPhase from, CallPhase to) noexcept {
    return phase.compare_exchange_strong(from, to, std::memory_order_seq_cst);
  }

 private:
  void drop_writable() noexcept;
};

using Calls = HandleTable<Call, FreeSlots::kept>;

/// A call that a function of the plugin is about: by a pin of its own or, inside the call's own
/// handler, by the handler's.
class CallRef {
 public:
  explicit CallRef(Calls::Pin pin) noexcept : own_(std::move(pin)) {}
  explicit CallRef(Calls::Pin* lent) noexcept : lent_(lent) {}

  explicit operator bool() const noexcept { return lent_ || own_; }
  /// Inside the call's own handler, on its thread.
  bool is_lent() const noexcept { return lent_ != nullptr; }
  Call* operator->() const noexcept { return lent_ ? &**lent_ : &*own_; }
  Call& operator*() const noexcept { return lent_ ? **lent_ : *own_; }
  /// Nobody finds it any more; inside its own handler from when that returns.
  void close() noexcept {
    if (!lent_) own_.close();
  }

 private:
  Calls::Pin own_;
  Calls::Pin* lent_ = nullptr;
};

}  // namespace tenon::plugins
