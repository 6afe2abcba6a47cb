#pragma once

#include <exception>

namespace tenon::data {

class Transaction;

/// A write transaction that no thread waits for; see Database::queue().
class QueuedWrite {
 public:
  virtual ~QueuedWrite() = default;
  /// Runs the writes, as the work of Database::write(). Called at most once, by any thread of the
  /// host that holds the write lock.
  virtual void work(Transaction& transaction) = 0;
  /// Called once, after work() if that ran, with nullptr once it is on disk, or with its error. Any
  /// thread, which may hold the write lock: must be quick and must not wait for the database.
  virtual void done(std::exception_ptr error) noexcept = 0;
};

}  // namespace tenon::data
