#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "http/connection/active_exchange.hpp"
#include "http/connection/output.hpp"
#include "http/loop/loop.hpp"
#include "http/loop/timers.hpp"
#include "http/parser/chunked_decoder.hpp"
#include "http/parser/head_parser.hpp"

namespace tenon::http {

class SseStream;

/// One client's socket and the requests on it, in order. Belongs to one loop; every function runs
/// on its thread.
///
/// Bytes come in while nothing holds them up (take), become exchanges in the pipeline, and leave as
/// responses, oldest first (pump). After each event finish_pass() decides whether
/// the connection stays, and until when.
class Connection final : public Watched, public Timer {
 public:
  Connection(Loop& loop, int descriptor, std::string_view peer);
  ~Connection() override;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void on_ready(std::uint32_t events) noexcept override;
  void on_timer() noexcept override;
  /// Something about an exchange or channel of this connection changed.
  void touch() noexcept;
  void proceed() noexcept;
  /// The inline handler that ran in this connection's turn has ended.
  void continue_pass() noexcept;
  /// touch() was called and proceed() was not yet.
  bool is_marked() const noexcept { return is_marked_; }
  /// May send now; see Loop::wait_to_send().
  void take_send_slot() noexcept;
  /// True when the exchange's whole response, with a body of `body_size` bytes, is the next output
  /// of this connection and can be written while its handler runs.
  bool may_write_now(const ActiveExchange& exchange, std::size_t body_size) const noexcept;
  /// Puts the response with this body into the output.
  void write_now(ActiveExchange& exchange, std::string_view body) noexcept;
  /// Sends what send_later() left.
  void send_now() noexcept;
  /// The HTTP server stops: closes when nothing is in progress.
  void begin_stop() noexcept;
  /// Closes at once.
  void cut() noexcept;

  Connection* next_open = nullptr;  // the loop's list
  Connection* previous_open = nullptr;
  struct SendSlot {
    bool is_waiting = false;
    Connection* next = nullptr;
    Connection* previous = nullptr;
  };
  SendSlot send_slot;  // the loop's queue of those that wait to send

 private:
  enum class Phase : std::uint8_t { head, body, linger, closed };

  struct Queue {
    void push(OwnedExchange exchange) noexcept;
    OwnedExchange pop() noexcept;
    ActiveExchange* first = nullptr;
    ActiveExchange* last = nullptr;
    std::size_t size = 0;
  };

  void begin_pass() noexcept;
  void work() noexcept;
  void finish_pass() noexcept;
  void rearm() noexcept;
  // There is something that feed_intakes() or pump() could move.
  bool has_work() const noexcept {
    return pipeline_.size > 0 || written_.size > 0 || !output_.is_empty() || channel_;
  }
  bool is_open() const noexcept { return phase_ != Phase::closed; }
  const Limits& limits() const noexcept { return loop_.limits(); }
  void cancel_all(int sink_status) noexcept;
  void begin_linger() noexcept;
  void check_deadlines(std::int64_t now) noexcept;

  // Input: connection_input.cpp
  bool wants_input() const noexcept;
  bool read_some();
  bool receive();
  std::size_t take(std::string_view bytes);
  std::size_t take_head(std::string_view bytes);
  std::size_t take_body(std::string_view bytes);
  bool may_begin_next(std::string_view bytes) const noexcept;
  void discard_input() noexcept;
  void on_input_end() noexcept;

  // Requests: connection_requests.cpp
  void begin_request(std::string_view bytes, const HeaderCache::CachedHead& known);
  const Refusal* fill_request(ActiveExchange& exchange, std::string_view bytes,
                              const HeaderCache::CachedHead& known);
  void name_request(ActiveExchange& exchange);
  void follow_plan(ActiveExchange& exchange);
  void take_up(ActiveExchange& exchange);
  const Refusal* refuses_body(const ActiveExchange& exchange) const noexcept;
  void refuse(const Refusal& refusal);
  void refuse(OwnedExchange exchange, const Refusal& refusal);
  void fail_body(const Refusal& refusal, int sink_status);
  void deliver_body(ActiveExchange& exchange, std::string_view data);
  void begin_body(ActiveExchange& exchange);
  void drop_body() noexcept;
  void end_body();
  void start(ActiveExchange& exchange);
  void feed_intakes();

  // Requests that wait: connection_holds.cpp
  bool must_wait(ActiveExchange& exchange, Plan& plan);
  void look_at_held();
  void give_up_held();
  void note_early_body(ActiveExchange& exchange) noexcept;

  // Responses: connection_responses.cpp
  void pump();
  bool may_send() noexcept;
  void flush() noexcept;
  bool write_response(ActiveExchange& exchange);
  void write_whole(ActiveExchange& exchange);
  bool write_streamed(ActiveExchange& exchange);
  void begin_events(ActiveExchange& exchange);
  void write_head(ActiveExchange& exchange, std::uint64_t length, bool has_length, bool is_chunked,
                  std::string_view body = {});
  bool closes_after(ActiveExchange& exchange) noexcept;
  void owe_continue();
  void finish(OwnedExchange exchange) noexcept;

  Loop& loop_;
  int descriptor_;
  Phase phase_ = Phase::head;
  bool is_working_ = false;  // inside work(): touch() needs no mark
  bool is_marked_ = false;
  bool is_unsent_ = false;       // the loop calls send_now()
  bool is_readable_ = true;      // the kernel may have bytes
  bool has_peer_ended_ = false;  // EPOLLRDHUP was seen
  bool is_input_over_ = false;   // its end was read
  bool is_held_up_ = false;      // bytes wait for the pipeline or a sink
  bool wants_slot_ = false;      // the next request begins in another turn
  bool is_deaf_ = false;         // no further request is taken
  bool has_unread_ = false;      // the client may still be sending bytes that no one reads
  bool must_cut_ = false;
  bool must_reset_ = false;  // a mere end would look like the end of a response
  bool is_trusted_peer_ = false;
  bool skipped_line_ = false;  // one empty line before a request is overlooked
  std::uint8_t peer_length_ = 0;
  std::size_t begun_in_pass_ = 0;  // requests
  std::array<char, 46> peer_{};

  std::string input_;  // bytes that could not be taken yet
  HeadScanner scanner_;
  std::int64_t head_started_ = 0;  // 0: no byte of a head is here
  std::int64_t quiet_since_;       // last end of a request, or the last event sent
  std::uint64_t body_left_ = 0;    // of a body with a length
  std::uint64_t body_taken_ = 0;
  std::uint64_t drop_left_ = 0;
  std::int64_t body_window_ = 0;  // start of the window for the minimum rate; 0: not running
  std::uint64_t body_window_bytes_ = 0;
  std::int64_t write_window_ = 0;
  std::uint64_t write_window_bytes_ = 0;
  std::int64_t linger_until_ = 0;
  std::unique_ptr<ChunkedDecoder> decoder_;

  Queue pipeline_;  // responses are due, in order
  Queue written_;   // responses are in the output
  ActiveExchange* reading_ =
      nullptr;  // takes the body under way, last in the pipeline; null: it is read for nothing
  ActiveExchange* held_ =
      nullptr;  // waits for a hold, last in the pipeline; nothing is taken after its head
  Output output_;
  std::shared_ptr<SseStream> channel_;
};

}  // namespace tenon::http
