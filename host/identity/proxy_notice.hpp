#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>

#include "identity/clock.hpp"

namespace tenon::data {
class Database;
}

namespace tenon::identity {

/// Remembers that a proxy which is no trusted proxy passes requests on: logs the first one of the
/// process, and stores address and time of the last one for tenon doctor. Thread-safe.
class ProxyNotice {
 public:
  /// A stored notice is renewed after this time.
  static constexpr std::chrono::minutes renewal{60};

  /// `wake` is called when store() has something to do, on any thread; it must be quick. `database`
  /// must outlive it.
  ProxyNotice(data::Database& database, Clock clock, std::function<void()> wake);

  /// True when note() would do something. One load.
  bool is_due() const noexcept { return is_due_.load(std::memory_order_relaxed); }
  /// A request of the proxy with this address was seen. For I/O threads; does nothing but for the
  /// first within `renewal`.
  void note(std::string_view peer);

  /// Stores what note() has seen; blocks on the database. To be called every minute.
  void store();

 private:
  data::Database& database_;
  const Clock clock_;
  const std::function<void()> wake_;
  std::atomic<bool> is_due_{true};
  std::mutex mutex_;
  std::string peer_;  // to be stored; empty: nothing is
  bool is_logged_ = false;
  std::int64_t stored_ms_ = 0;
};

}  // namespace tenon::identity
