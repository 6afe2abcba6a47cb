#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "sqlite/connection/connection.hpp"

namespace tenon::data::sqlite {

/// Reader connections, opened when first needed, lent to one user at a time, the warmest first.
class ReaderPool {
 public:
  ReaderPool(Connection::Options options, std::size_t most, Counters& counters)
      : options_(std::move(options)), most_(most), counters_(counters) {}

  /// A connection, waiting until `limit` (base::monotonic_nanoseconds) when all are lent. Throws
  /// 503 data.busy, 503 data.closed, or what opening fails with.
  Connection* take(std::int64_t limit);
  void give(Connection* connection) noexcept;

  /// Ends the snapshots kept by idle readers that were not used since `time` (monotonic
  /// nanoseconds). True while an idle reader keeps one.
  bool end_snapshots(std::int64_t time) noexcept;

  /// Closes what is idle and, when it comes back, what is lent.
  void close() noexcept;

  void add_to(Statistics& sum) const;

 private:
  Connection::Options options_;
  std::size_t most_;
  Counters& counters_;
  mutable std::mutex mutex_;
  std::condition_variable returned_;
  std::vector<std::unique_ptr<Connection>> all_;
  std::vector<Connection*> idle_;
  std::size_t opening_ = 0;
  bool is_closed_ = false;
};

}  // namespace tenon::data::sqlite
