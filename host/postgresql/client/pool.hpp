#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "data/engine/counters.hpp"
#include "postgresql/client/connection.hpp"

namespace tenon::data::postgresql {

/// After a connection failed none is tried for this long; twice as long after each more.
inline constexpr std::chrono::milliseconds first_back_off{50};
inline constexpr std::chrono::milliseconds max_back_off{5'000};

/// When a server that was not there is tried again. Any thread.
class BackOff {
 public:
  /// Connects. Throws 503 data.connection_lost, at once while it is too early.
  std::unique_ptr<Connection> connect(const ConnectionOptions& options);

 private:
  void check() const;
  void failed() noexcept;
  void succeeded() noexcept;

  mutable std::mutex mutex_;
  std::chrono::milliseconds pause_{0};
  std::int64_t until_ = 0;
};

/// Connections that read, opened when they are needed. Any thread.
class Pool {
 public:
  Pool(ConnectionOptions options, std::size_t limit, Counters& counters, BackOff& back_off)
      : options_(std::move(options)), limit_(limit), counters_(counters), back_off_(back_off) {}

  /// A connection; waits for one until `deadline`. Throws 503 data.busy, data.closed,
  /// data.connection_lost.
  std::unique_ptr<Connection> take(std::int64_t deadline);
  /// Takes it back, or drops one that is broken, and with it all that are idle.
  void give(std::unique_ptr<Connection> connection) noexcept;
  void close() noexcept;
  std::size_t open() const;

 private:
  const ConnectionOptions options_;
  const std::size_t limit_;
  Counters& counters_;
  BackOff& back_off_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::unique_ptr<Connection>> idle_;
  std::size_t open_ = 0;
  bool is_closed_ = false;
};

}  // namespace tenon::data::postgresql
