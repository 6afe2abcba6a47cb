#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/epoll.h>

#include "base/inline_task.hpp"
#include "http/connection/active_exchange.hpp"
#include "http/connection/output.hpp"
#include "http/loop/loop_supervisor.hpp"
#include "http/loop/mailbox.hpp"
#include "http/loop/timers.hpp"
#include "http/parser/header_cache.hpp"

namespace tenon::http {

class Connection;
class LoopSupervisor;
struct ServerContext;

/// Something with a descriptor that a loop watches.
class Watched {
 public:
  /// `events` as epoll(7) has them.
  virtual void on_ready(std::uint32_t events) noexcept = 0;

 protected:
  virtual ~Watched() = default;
};

/// Counters of one I/O thread, written by it alone.
struct LoopCounters {
  std::atomic<std::uint64_t> accepted{0};
  std::atomic<std::uint64_t> open{0};
  std::atomic<std::uint64_t> requests{0};
  std::atomic<std::uint64_t> refused{0};
  std::atomic<std::uint64_t> event_streams{0};
  std::atomic<std::uint64_t> bytes_received{0};
  std::atomic<std::uint64_t> bytes_sent{0};

  static void add(std::atomic<std::uint64_t>& counter, std::uint64_t count) noexcept {
    counter.store(counter.load(std::memory_order_relaxed) + count, std::memory_order_relaxed);
  }
};

/// One I/O thread: its epoll descriptor, mailbox, timers, buffers and connections.
class Loop final : private base::InlineExecutor {
 public:
  Loop(std::shared_ptr<ServerContext> context, unsigned index);
  ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  /// Body of the thread. True at the end: after stop(), when no connection is left, or at the time
  /// stop() named. False when a handler took so long that another thread drives the loop; the loop
  /// may be gone then.
  bool run(LoopSupervisor& supervisor);
  LoopOwner& owner() noexcept { return *owner_; }
  /// Called by the thread that took the loop over, before another thread drives it: the handler
  /// that kept the loop is not quick after all, or the loop was not as idle as an inline task needs
  /// it.
  void disown() noexcept;
  /// Thread-safe: counts in ServerOptions::beats, on this loop's thread.
  void beat() noexcept;
  /// Thread-safe, once: closes what is idle now, the rest at `cut_at` (as ServerContext::now()).
  void stop(std::int64_t cut_at) noexcept;
  const std::shared_ptr<Mailbox>& mailbox() const noexcept { return mailbox_; }
  const LoopCounters& counters() const noexcept { return counters_; }
  /// Connections that are here or on their way; for the thread that distributes them.
  std::int64_t load() const noexcept { return load_.load(std::memory_order_relaxed); }
  void expect_one() noexcept { load_.fetch_add(1, std::memory_order_relaxed); }

  // The rest is the thread's own.
  /// Watches for `events`, or changes them; false when the kernel refuses (descriptor limits,
  /// memory).
  bool watch(int descriptor, std::uint32_t events, Watched& watched) noexcept;
  void forget(int descriptor) noexcept;
  /// Takes over an accepted socket.
  void adopt(int descriptor, std::string_view peer) noexcept;
  /// Calls Connection::proceed() before the thread sleeps.
  void mark(Connection& connection);
  /// Calls Connection::send_now() when up to 15 more connections have responses to send, at the
  /// latest when this round's events are taken. False outside of that.
  bool send_later(Connection& connection) noexcept;
  /// False when this round has sent so much that other events are looked at first.
  bool may_send_more() const noexcept {
    return counters_.bytes_sent.load(std::memory_order_relaxed) < send_limit_;
  }
  /// Calls Connection::take_send_slot() when those that waited before have sent.
  void wait_to_send(Connection& connection) noexcept;
  void forget_sender(Connection& connection) noexcept;
  /// Runs the exchange's handler at the end of this round, on this thread. False when that would
  /// keep the thread too long.
  bool run_soon(ActiveExchange& exchange);
  /// Runs the exchange's handler on this thread as soon as its connection has returned from
  /// on_ready() or proceed(); the connection must return at once, and has proceed() called then.
  void run_inline_next(ActiveExchange& exchange) noexcept { inline_ = &exchange; }
  bool has_inline() const noexcept { return inline_ != nullptr; }
  void forget_inline() noexcept { inline_ = nullptr; }
  /// Deletes the connection once no event can name it any more.
  void abandon(Connection& connection) noexcept;

  ServerContext& context() noexcept { return *context_; }
  const Limits& limits() const noexcept { return limits_; }
  LoopCounters& counters() noexcept { return counters_; }
  Timers& timers() noexcept { return timers_; }
  BufferPool& buffers() noexcept { return buffers_; }
  ExchangePool& exchanges() noexcept { return exchanges_; }
  HeaderCache& heads() noexcept { return heads_; }
  std::string& scratch() noexcept { return scratch_; }
  /// ServerContext::now() when this round of events began.
  std::int64_t now() const noexcept { return now_; }
  /// begin_head() of now.
  std::string_view head_lead() const noexcept { return head_lead_; }
  using RequestId = std::array<char, 64>;
  /// A new request id in `out`; returns its length.
  std::size_t make_request_id(RequestId& out) noexcept;
  bool is_stopping() const noexcept { return is_stopping_; }
  /// Handlers on this thread find the loop, or not.
  void be_current() noexcept;
  static void be_none_current() noexcept;
  bool take(base::InlineTask& task) noexcept override;

 private:
  class StopTask final : public LoopTask {
   public:
    explicit StopTask(Loop& loop) : loop_(loop) {}
    void deliver() noexcept override { loop_.begin_stop(); }

   private:
    Loop& loop_;
  };

  class HeartbeatTask final : public LoopTask {
   public:
    explicit HeartbeatTask(std::atomic<std::uint64_t>& count) : count_(count) {}
    /// False when it is on its way already.
    bool begin() noexcept { return !is_posted_.exchange(true, std::memory_order_acq_rel); }
    void deliver() noexcept override {
      is_posted_.store(false, std::memory_order_release);
      count_.fetch_add(1, std::memory_order_relaxed);
    }

   private:
    std::atomic<std::uint64_t>& count_;
    std::atomic<bool> is_posted_{false};
  };

  void begin_stop() noexcept;
  void cut_all() noexcept;
  void delete_abandoned() noexcept;
  void update_clock() noexcept;
  bool resume(const LoopDriver& driver) noexcept;
  bool has_marked() const noexcept {
    return proceeding_at_ < proceeding_.size() || !marked_.empty();
  }
  bool proceed_marked(const LoopDriver& driver) noexcept;
  void wait_for_events() noexcept;
  int poll_for_next() noexcept;
  bool take_events(const LoopDriver& driver) noexcept;
  void fetch_ahead(std::size_t at) noexcept;
  void send_unsent() noexcept;
  void allow_sending() noexcept;
  bool send_waiting(const LoopDriver& driver) noexcept;
  bool run_inline(const LoopDriver& driver) noexcept;
  bool run_quick(const LoopDriver& driver);
  bool run_inline_task(const LoopDriver& driver);
  bool may_run_inline_task() noexcept;
  int timeout() noexcept;

  static constexpr std::size_t scratch_size = 64 * 1024;
  static constexpr std::int64_t max_quick_time = 1'000'000;  // nanoseconds a round
  static constexpr std::size_t events_a_wait = 256;
  // Bytes for which a round's events, and then those that wait, may begin to send: a new event
  // waits while the kernel copies them.
  static constexpr std::uint64_t max_sent_in_round = 512 * 1024;
  // Requests that connections which were marked begin before other events are looked at.
  static constexpr std::uint64_t max_begun_in_round = 256;
  // More of them would keep their clients waiting, and the processor's caches are full.
  static constexpr std::size_t max_unsent = 16;
  // Then these are run and their responses sent before the next events are looked at: clients are
  // busy with the first responses while the others are made.
  static constexpr std::size_t max_quick_requests = 32;
  // InlineTasks that others do after one was disturbed: at first, and when that happens again and
  // again.
  static constexpr std::uint32_t min_rest = 16;
  static constexpr std::uint32_t max_rest = 65'536;
  // A client that waited for its inline task alone may ask again before the thread could fall
  // asleep and be woken. If it does not, this is tried less and less often.
  static constexpr std::int64_t poll_time = 100'000;  // nanoseconds
  static constexpr std::uint32_t max_poll_rest = 1'024;

  const std::shared_ptr<ServerContext> context_;
  const Limits& limits_;
  const std::shared_ptr<Mailbox> mailbox_;
  const std::shared_ptr<LoopOwner> owner_;
  int epoll_ = -1;
  std::array<epoll_event, events_a_wait> events_;  // [event_at_, event_count_) are to be taken
  std::size_t event_at_ = 0;
  std::size_t event_count_ = 0;
  std::array<Connection*, max_unsent> unsent_;  // have responses to send
  std::size_t unsent_count_ = 0;
  bool is_taking_ = false;        // inside take_events(): what is unsent will be sent
  std::uint64_t send_limit_ = 0;  // of LoopCounters::bytes_sent
  Connection* first_sender_ = nullptr;
  Connection* last_sender_ = nullptr;
  std::int64_t now_;
  Timers timers_;
  BufferPool buffers_;
  ExchangePool exchanges_;
  HeaderCache heads_;
  LoopCounters counters_;
  std::string scratch_;
  std::string head_lead_;
  std::int64_t lead_second_ = -1;
  RequestId id_{};  // the next; its end is a number, the lowest digit first
  std::size_t id_prefix_size_ = 0;
  std::size_t id_size_ = 0;
  std::vector<Connection*> marked_;
  std::vector<Connection*> proceeding_;  // from proceeding_at_ on
  std::size_t proceeding_at_ = 0;
  ActiveExchange* inline_ = nullptr;  // whose handler runs here next, or runs
  std::vector<OwnedExchange> quick_;  // handlers to run at the end of the round, oldest first
  std::size_t quick_at_ = 0;
  std::int64_t quick_time_ = 0;              // that they are expected to take
  OwnedExchange running_;                    // whose handler runs while the loop is yielded
  base::InlineTask* inline_task_ = nullptr;  // to do at the end of the round
  std::uint64_t inline_task_requests_ = 0;   // counted at the last inline task
  bool has_run_inline_task_ = false;         // in this round
  std::uint32_t inline_tasks_to_decline_ = 0;
  std::uint32_t inline_task_rest_ = min_rest;
  std::uint32_t polls_to_skip_ = 0;
  std::uint32_t poll_rest_ = 0;
  Connection* first_ = nullptr;      // all connections
  Connection* abandoned_ = nullptr;  // closed ones, linked by next_open
  StopTask stop_task_;
  std::optional<HeartbeatTask> heartbeat_task_;  // with ServerOptions::beats
  std::atomic<std::int64_t> load_{0};
  std::atomic<std::int64_t> cut_at_{0};
  bool is_stopping_ = false;
};

}  // namespace tenon::http
