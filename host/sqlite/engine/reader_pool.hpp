#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "sqlite/connection/connection.hpp"

namespace tenon::data::sqlite {

/// Reader connections. take() opens one when first needed and gives each to one caller at a time;
/// the connection that was used last comes first. Thread-safe.
class ReaderPool {
 public:
  ReaderPool(Connection::Options options, std::size_t max_readers, Counters& counters)
      : options_(std::move(options)), max_readers_(max_readers), counters_(counters) {}

  /// Returns a connection; waits until `limit` (base::monotonic_nanoseconds) if all are in use.
  /// Throws 503 data.busy, 503 data.closed, or the errors of opening.
  Connection* take(std::int64_t limit);
  void give(Connection* connection) noexcept;

  /// Ends the transactions that idle readers keep and have not used since `time` (monotonic
  /// nanoseconds). Returns whether an idle reader still keeps one.
  bool end_snapshots(std::int64_t time) noexcept;

  /// Closes the idle connections, and each of the others when it is given back.
  void close() noexcept;

  void add_to(Statistics& sum) const;

 private:
  Connection::Options options_;
  std::size_t max_readers_;
  Counters& counters_;
  mutable std::mutex mutex_;
  std::condition_variable returned_;
  std::vector<std::unique_ptr<Connection>> all_;
  std::vector<Connection*> idle_;
  std::size_t opening_ = 0;
  bool is_closed_ = false;
};

}  // namespace tenon::data::sqlite
