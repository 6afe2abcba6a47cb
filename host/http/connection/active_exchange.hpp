#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "http/connection/application.hpp"
#include "http/connection/exchange.hpp"
#include "http/connection/hold.hpp"
#include "http/loop/mailbox.hpp"
#include "http/parser/head_parser.hpp"
#include "http/workers/worker_pool.hpp"

namespace tenon::http {

class ActiveExchange;
class BodyIntake;
class Connection;
class SseStream;
class ExchangePool;
class InlineRun;
class StreamedResponse;
struct ServerContext;

/// Releases one ownership of an exchange.
struct ExchangeRelease {
  void operator()(ActiveExchange* exchange) const noexcept;
};
using OwnedExchange = std::unique_ptr<ActiveExchange, ExchangeRelease>;

/// The exchange between one I/O thread and the threads that respond.
///
/// 1. The connection takes one from its thread's pool, fills the request and asks the application
/// for a plan.
/// 2. It runs the handler, here or as a job on a worker; every ExchangePtr counts as a handle.
/// 3. One caller claims the response, once: the handler, the deadline, the end of the connection,
/// or the last handle going.
/// 4. The connection writes the response, reports to the application and releases its ownership.
/// The attachment is destroyed with the last owner.
class ActiveExchange final : public Exchange,
                             public LoopTask,
                             public WorkerJob,
                             public Hold::Waiter {
 public:
  /// The form of the claimed response.
  enum class ResponseForm : std::uint8_t { none, whole, streamed, events, cancelled };

  ActiveExchange(std::shared_ptr<ServerContext> context, std::shared_ptr<Mailbox> mailbox);
  ~ActiveExchange() override;

  // Exchange, for handlers on any thread.
  const Request& request() const noexcept override { return request_; }
  Attachment* attachment() const noexcept override { return attachment_.get(); }
  bool respond(Response&& response) override;
  bool respond_with(Response&& response, std::string_view body) override;
  Response& draft() noexcept override {
    has_draft_ = true;
    return draft_;
  }
  bool begin(Response head, std::uint64_t content_length) override;
  WriteResult write(std::string_view bytes) override;
  bool end() override;
  void abort() override;
  void on_writable(std::function<void()> callback) override;
  std::shared_ptr<EventStream> begin_events() override;
  void read_body(std::unique_ptr<BodySink> sink) override;
  bool closed() const noexcept override { return is_closed_.load(std::memory_order_acquire); }

  // LoopTask, WorkerJob and Hold::Waiter.
  void deliver() noexcept override;
  void run() noexcept override;
  void resume() noexcept override;

  /// True for the one caller that may now respond.
  bool claim(ResponseForm form) noexcept;
  bool is_claimed() const noexcept {
    return claimed_.load(std::memory_order_acquire) != ResponseForm::none;
  }
  /// The claimed response can be read by the connection.
  bool is_ready() const noexcept { return is_ready_.load(std::memory_order_acquire); }
  ResponseForm claimed() const noexcept { return claimed_.load(std::memory_order_acquire); }
  /// Responds with the problem document of an error or a refusal. False when a response was claimed
  /// before.
  bool respond_error(const base::Error& error);
  bool respond_problem(int status, const char* code, const char* message);
  bool respond_refusal(const Refusal& refusal) {
    return respond_problem(refusal.status, refusal.code, refusal.message);
  }
  /// Reports what a handler threw, and responds 500.
  void failed(const char* what) noexcept;
  /// Makes the connection look at this exchange, from any thread.
  void notify() noexcept;

  void add_owner() noexcept {
    // No other owner exists, so no other thread counts.
    if (owners_.load(std::memory_order_acquire) == 1)
      owners_.store(2, std::memory_order_relaxed);
    else
      owners_.fetch_add(1, std::memory_order_relaxed);
  }
  void drop_owner() noexcept;

  // The functions and fields from here on belong to the connection's thread.
  void attach(Connection* connection) noexcept { connection_ = connection; }
  /// The connection is gone: no response can be sent any more.
  void cancel(int sink_status) noexcept;
  /// Waits for the hold if it can be entered. The connection is notified when the hold ends, and
  /// calls forget_hold().
  Hold::Entry wait_for(const std::shared_ptr<Hold>& hold) noexcept;
  /// True when the hold that is waited for has ended.
  bool is_resumed() const noexcept { return is_resumed_.load(std::memory_order_acquire); }
  void forget_hold() noexcept { hold_.reset(); }
  /// Waits no more. False when the hold has ended and the connection is about to be notified.
  bool leave_hold() noexcept;
  void set_plan(Plan& plan);
  /// The handler runs on the loop's thread, and promised not to block it.
  bool is_inline() const noexcept { return share_ == nullptr; }
  /// Hands the handler to the workers; false when they take no more.
  bool dispatch();
  /// Runs an inline handler, within an InlineRun. Then its first handle is to go: by end_inline()
  /// where the loop is still this thread's, else by release().
  void run_inline() noexcept;
  void end_inline() noexcept;
  void release() noexcept override;
  Connection* connection() const noexcept { return connection_; }
  /// True when the handler has so far been done in less time than handing it over takes.
  bool is_quick() const noexcept;
  /// Nanoseconds that the handler is expected to keep its thread.
  std::int64_t typical_time() const noexcept { return time_->typical(); }
  /// `time` is now, in monotonic nanoseconds, and again when it returns.
  void run_unless_claimed(std::int64_t& time) noexcept;
  /// Its handler was thought quick and is not.
  void mark_slow() noexcept { time_->mark_slow(); }
  /// Its inline handler blocks.
  void mark_stalled() noexcept {
    if (time_ != nullptr) time_->mark_stalled();
  }
  /// Adds to a whole body; false when all bodies together take too much memory.
  bool add_body(std::string_view bytes);
  /// Back to new, for the pool.
  void recycle() noexcept;

  Request& mutable_request() noexcept { return request_; }
  Response& response() noexcept { return *given_; }
  StreamedResponse* streamed() const noexcept { return streamed_.get(); }
  BodyIntake* intake() const noexcept { return intake_.get(); }
  std::shared_ptr<SseStream>& events() noexcept { return events_; }
  WorkerShare& share() const noexcept;
  ServerContext& context() const noexcept { return *context_; }
  const std::shared_ptr<Mailbox>& mailbox() const noexcept { return mailbox_; }
  ExchangePool* pool() const noexcept { return pool_; }
  void set_pool(ExchangePool* pool) noexcept { pool_ = pool; }

  /// Memory that the request's views refer to.
  struct Memory {
    std::string head;
    std::string path;
    std::string body;
    std::vector<Field> fields;
    std::array<char, 64> peer;
    std::array<char, 64> request_id;
  };
  Memory memory;
  Head head;
  BodyMode body_mode = BodyMode::none;
  std::uint64_t body_limit = 0;
  bool has_valid_head = false;
  bool owes_continue = false;    ///< the client waits for 100 Continue before it sends the body
  bool is_body_read = true;      ///< nothing of the body is left on the connection
  bool is_head_written = false;  ///< of a streamed response
  bool is_written = false;       ///< a whole response is in the output before is_ready() is set
  bool is_cancelled = false;     ///< nothing is to be written for it
  bool owes_end = false;         ///< the sink does not know of the body's end yet
  bool is_last = false;          ///< the connection closes after it
  bool was_held = false;         ///< has waited for a hold
  std::int64_t started = 0;      ///< nanoseconds, the first byte of the head
  std::int64_t deadline = 0;  ///< nanoseconds, of the handler or of the wait for a hold; 0: neither
                              ///< has begun, or nothing is owed
  std::uint64_t output_begin = 0;  ///< of the response, in bytes of the connection's output
  std::uint64_t output_end = 0;
  int status = 0;                  ///< of the written response
  ActiveExchange* next = nullptr;  ///< in the connection's pipeline, or in the pool

 private:
  void add_ref() noexcept override { handles_.fetch_add(1, std::memory_order_relaxed); }
  void abandoned() noexcept;
  void set_ready() noexcept;
  void post() noexcept;
  void end_streams() noexcept;
  void forget_body() noexcept;
  void run_handler() noexcept;
  void handle(const ExchangePtr& exchange) noexcept;
  bool claim_alone(ResponseForm form) noexcept;
  InlineRun* run_alone() const noexcept;

  const std::shared_ptr<ServerContext> context_;
  const std::shared_ptr<Mailbox> mailbox_;
  ExchangePool* pool_ = nullptr;
  Connection* connection_ = nullptr;

  std::atomic<std::uint32_t> handles_{0};
  std::atomic<std::uint32_t> owners_{1};
  std::atomic<ResponseForm> claimed_{ResponseForm::none};
  std::atomic<bool> is_ready_{false};
  std::atomic<bool> is_posted_{false};
  std::atomic<bool> is_closed_{false};
  std::atomic<bool> is_resumed_{false};

  Request request_;
  Response response_;
  Response draft_;
  Response* given_ = &response_;       // which of the two was given
  bool has_draft_ = false;             // draft() was called
  std::function<void()> on_writable_;  // until begin() takes it
  Handler* handler_ = nullptr;
  HandlerTime* time_ = nullptr;
  WorkerShare* share_ = nullptr;
  std::unique_ptr<Attachment> attachment_;
  std::unique_ptr<StreamedResponse> streamed_;
  std::unique_ptr<BodyIntake> intake_;
  std::shared_ptr<Hold> hold_;  // that is waited for
  std::shared_ptr<SseStream> events_;
};

/// Spare exchanges of one I/O thread.
class ExchangePool {
 public:
  ExchangePool(std::shared_ptr<ServerContext> context, std::shared_ptr<Mailbox> mailbox);
  ~ExchangePool();
  ExchangePool(const ExchangePool&) = delete;
  ExchangePool& operator=(const ExchangePool&) = delete;

  OwnedExchange take();
  void give_back(ActiveExchange& exchange) noexcept;

 private:
  static constexpr std::size_t kept = 64;
  const std::shared_ptr<ServerContext> context_;
  const std::shared_ptr<Mailbox> mailbox_;
  ActiveExchange* free_ = nullptr;
  std::size_t count_ = 0;
};

}  // namespace tenon::http
