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

/// What the engines have in common: the writer with its turn, the counters, and the transactions
/// that are open.
class EngineCore : public OpenEngine, public WriteSide {
  // Takes the listener out of the options, before these are kept.
  const std::shared_ptr<Handle> first_;

 public:
  /// `allows_inline_leader`: see Writer. `first`: who uses it already; null: whom the options name.
  EngineCore(DatabaseOptions options, bool allows_inline_leader,
             std::shared_ptr<Handle> first = nullptr);
  ~EngineCore() override;

  std::shared_ptr<Handle> first_handle() final;
  std::shared_ptr<Handle> open_handle(Handle::OnFault on_fault) final;
  void close_handle(Handle& handle) noexcept final;
  bool pause_writes(Handle& handle, std::chrono::milliseconds patience) final;
  void resume_writes(Handle& handle) final;

  Transaction begin(Mode mode, std::chrono::milliseconds timeout, Handle& handle) final;
  void run_write(const WriteCall& call, std::chrono::milliseconds timeout, Handle& handle) final;
  void queue(std::unique_ptr<QueuedWrite> write, std::chrono::milliseconds timeout,
             Handle& handle) final;
  bool run_job(Ticket& ticket) noexcept final;

  Writer& writer() noexcept { return writer_; }
  Counters& counters() noexcept { return counters_; }
  const DatabaseOptions& options() const noexcept { return options_; }

  /// An open transaction that may rest between calls, so that the housekeeper has to mind its
  /// deadline; until remove(). Throws 503 data.closed, and has ended it, where `handle` was closed
  /// meanwhile.
  void add(TransactionState& state, const Handle& handle);
  void remove(TransactionState& state) noexcept;

 protected:
  /// A transaction that is not started.
  virtual std::shared_ptr<TransactionState> make_state(TransactionKind kind,
                                                       std::int64_t deadline) = 0;
  virtual Transaction begin_read(std::int64_t now, std::int64_t deadline, const Handle& handle) = 0;

  /// Nanoseconds until the deadline of a transaction that names `timeout`.
  std::int64_t time_for(std::chrono::milliseconds timeout) const noexcept;
  /// A reader of `pool` within the time that a reader is waited for; notes what fails.
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

  /// Tells the housekeeper of the engine; once, after the constructor.
  void register_engine();
  /// Ends what is past its deadline; true while transactions are open or writes are kept.
  bool expire_due(std::int64_t now) noexcept;
  /// Tells all who use the engine.
  void tell(Fault fault, std::string_view path, std::string_view reason) noexcept;
  /// Ends the engine, once.
  virtual void close() noexcept = 0;
  /// False when it was closed before.
  bool begin_close() noexcept;
  /// Ends all that is open, has the last turn, and leaves the housekeeper.
  void end_writing() noexcept;
  /// Of the counters, the writer and the open transactions.
  Statistics common_statistics() const;

  const DatabaseOptions options_;  ///< without its listener, which is the first handle's
  Counters counters_;
  std::shared_ptr<MaintenanceThread> maintenance_;

  mutable std::mutex list_mutex_;
  bool is_closed_ = false;

 private:
  Transaction begin_write(std::int64_t deadline, Handle& handle);
  Handle::Entry enter(Handle& handle, std::int64_t deadline);
  /// Throws 507 data.disk_full while the space reserve is released, unless the calling thread's
  /// work may use it (Work::may_use_reserve), or is none and the database is the host's.
  void require_space();
  /// Those whose deadline is before `before`, of one handle or of all.
  std::vector<std::shared_ptr<TransactionState>> open_states(std::int64_t before,
                                                             const Handle* handle = nullptr) const;
  std::vector<std::shared_ptr<Handle>> handles() const;
  bool expire_kept(std::int64_t now) noexcept;

  mutable std::mutex handles_mutex_;
  std::vector<std::shared_ptr<Handle>> handles_;
  bool is_ending_ = false;

  TransactionState* newest_ = nullptr;
  std::uint64_t open_ = 0;
  Writer writer_;
};

}  // namespace tenon::data
