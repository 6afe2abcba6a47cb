#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "data/engine/counters.hpp"
#include "data/engine/engine.hpp"
#include "data/engine/transaction_state.hpp"
#include "data/engine/writer.hpp"

namespace tenon::data {

class MaintenanceThread;

constexpr std::int64_t nanoseconds_of(std::chrono::milliseconds time) noexcept {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(time).count();
}

/// The common part of the engines: the writer with its write lock, the counters, and the open
/// transactions.
class EngineCore : public OpenEngine, public WriterBackend {
  // Takes the listener out of the options before they are stored.
  const std::shared_ptr<Handle> first_;

 public:
  /// `allows_inline_leader`: see Writer. `first`: the handle that uses it already; null: makes one
  /// with the listener of the options.
  EngineCore(DatabaseOptions options, bool allows_inline_leader,
             std::shared_ptr<Handle> first = nullptr);
  ~EngineCore() override;

  std::shared_ptr<Handle> first_handle() final;
  std::shared_ptr<Handle> open_handle(Handle::OnFault on_fault) final;
  void close_handle(Handle& handle) noexcept final;
  bool pause_writes(Handle& handle, std::chrono::milliseconds timeout) final;
  void resume_writes(Handle& handle) final;

  Transaction begin(Mode mode, std::chrono::milliseconds timeout, Handle& handle) final;
  void run_write(const WriteCall& call, std::chrono::milliseconds timeout, Handle& handle) final;
  void queue(std::unique_ptr<QueuedWrite> write, std::chrono::milliseconds timeout,
             Handle& handle) final;
  bool run_job(WriteRequest& request) noexcept final;

  Writer& writer() noexcept { return writer_; }
  Counters& counters() noexcept { return counters_; }
  const DatabaseOptions& options() const noexcept { return options_; }

  /// Adds an open transaction that may rest between calls: the maintenance thread watches its
  /// deadline until remove(). If `handle` was closed in the meantime, ends the transaction and
  /// throws 503 data.closed.
  void add(TransactionState& state, const Handle& handle);
  void remove(TransactionState& state) noexcept;

 protected:
  /// Makes a transaction that is not started.
  virtual std::shared_ptr<TransactionState> make_state(TransactionKind kind,
                                                       std::int64_t deadline) = 0;
  virtual Transaction begin_read(std::int64_t now, std::int64_t deadline, const Handle& handle) = 0;

  /// Returns the nanoseconds until the deadline of a transaction that names `timeout`.
  std::int64_t time_for(std::chrono::milliseconds timeout) const noexcept;
  /// Takes a reader of `pool`; waits for WaitLimits::queue at most. Notes a failure and throws it.
  template <typename Pool>
  auto take_from(Pool& pool, std::int64_t now, std::int64_t deadline) {
    Counters::add(counters_.reads);
    try {
      return pool.take(std::min(deadline, now + nanoseconds_of(options_.waits.queue)));
    } catch (const SqlError& error) {
      note(error);
      throw;
    }
  }

  /// Registers the engine with the maintenance thread. Call it once, after the constructor.
  void register_engine();
  /// Ends transactions past their deadline and refuses late writes. Returns true while transactions
  /// are open or writes wait.
  bool expire_due(std::int64_t now) noexcept;
  /// Reports a fault to all handles of the engine.
  void report_fault(Fault fault, std::string_view path, std::string_view reason) noexcept;
  /// Ends the engine, once.
  virtual void close() noexcept = 0;
  /// Marks the engine closed. Returns false if it was closed before.
  bool begin_close() noexcept;
  /// Ends all open transactions, takes the write lock for the last time, and removes the engine
  /// from the maintenance thread.
  void end_writing() noexcept;
  /// Returns the statistics of the counters, the writer and the open transactions.
  Statistics common_statistics() const;

  const DatabaseOptions options_;  ///< without the listener, which the first handle has
  Counters counters_;
  std::shared_ptr<MaintenanceThread> maintenance_;

  mutable std::mutex list_mutex_;
  bool is_closed_ = false;

 private:
  Transaction begin_write(std::int64_t deadline, Handle& handle);
  Handle::WriteGuard enter(Handle& handle, std::int64_t deadline);
  /// Throws 507 data.disk_full while the space reserve is released, unless the calling thread's
  /// work may use it (Work::may_use_reserve), or is none and the database is the host's.
  void require_space();
  /// Returns the transactions whose deadline is before `before`, of one handle or of all.
  std::vector<std::shared_ptr<TransactionState>> open_states(std::int64_t before,
                                                             const Handle* handle = nullptr) const;
  std::vector<std::shared_ptr<Handle>> handles() const;
  bool expire_deferred(std::int64_t now) noexcept;

  mutable std::mutex handles_mutex_;
  std::vector<std::shared_ptr<Handle>> handles_;
  bool is_ending_ = false;

  TransactionState* newest_ = nullptr;
  std::uint64_t open_ = 0;
  Writer writer_;
};

}  // namespace tenon::data
