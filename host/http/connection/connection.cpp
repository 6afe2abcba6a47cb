#include "http/connection/connection.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "http/event_stream/sse_stream.hpp"
#include "http/loop/server_context.hpp"
#include "http/parser/forwarded.hpp"

namespace tenon::http {

namespace {

std::int64_t in_nanoseconds(std::chrono::milliseconds time) noexcept {
  return std::int64_t{time.count()} * 1'000'000;
}

// Whether `bytes` in `window` stay under `rate` bytes a second.
bool is_too_slow(std::uint64_t bytes, std::uint32_t rate,
                 std::chrono::milliseconds window) noexcept {
  return bytes * 1000 < std::uint64_t{rate} * static_cast<std::uint64_t>(window.count());
}

constexpr Refusal head_timeout{408, "http.head_timeout",
                               "The request head took too long to arrive."};
constexpr Refusal body_timeout{408, "http.body_timeout", "The request body arrived too slowly."};

}  // namespace

void Connection::Queue::push(OwnedExchange exchange) noexcept {
  ActiveExchange* raw = exchange.release();
  raw->next = nullptr;
  if (last == nullptr)
    first = raw;
  else
    last->next = raw;
  last = raw;
  ++size;
}

OwnedExchange Connection::Queue::pop() noexcept {
  OwnedExchange exchange(first);
  first = first->next;
  if (first == nullptr) last = nullptr;
  --size;
  return exchange;
}

Connection::Connection(Loop& loop, int descriptor, std::string_view peer)
    : loop_(loop),
      descriptor_(descriptor),
      is_trusted_peer_(loop.context().proxies->contains(peer)),
      quiet_since_(loop.now()),
      output_(loop.buffers()) {
  peer_length_ = static_cast<std::uint8_t>(peer.copy(peer_.data(), peer_.size()));
}

Connection::~Connection() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void Connection::on_ready(std::uint32_t events) noexcept {
  if (!is_open()) return;
  // Both directions are closed: no response can be sent. If only one is closed, the client has sent
  // everything and waits for its responses.
  if ((events & (EPOLLHUP | EPOLLERR)) != 0) return cut();
  if ((events & EPOLLRDHUP) != 0) has_peer_ended_ = true;
  if ((events & (EPOLLIN | EPOLLRDHUP)) != 0) is_readable_ = true;
  if (has_peer_ended_ && channel_) return cut();
  begin_pass();
}

void Connection::touch() noexcept {
  if (is_working_ || is_marked_ || !is_open()) return;
  is_marked_ = true;
  loop_.mark(*this);
}

void Connection::proceed() noexcept {
  is_marked_ = false;
  if (is_open()) begin_pass();
}

void Connection::take_send_slot() noexcept {
  if (is_open()) begin_pass();
}

void Connection::continue_pass() noexcept {
  if (is_open()) work();
}

void Connection::begin_pass() noexcept {
  begun_in_pass_ = 0;
  work();
}

void Connection::work() noexcept {
  is_working_ = true;
  wants_slot_ = false;
  try {
    // Responses free slots for requests and requests produce responses, until neither advances.
    bool has_moved = true;
    for (int rounds = 0; has_moved && is_open() && rounds < 4; ++rounds) {
      is_held_up_ = false;
      if (has_work()) {
        if (held_ != nullptr) look_at_held();
        feed_intakes();
        pump();
      }
      has_moved = is_open() && read_some();
      // proceed() follows.
      if (loop_.has_inline()) return;
    }
    if (is_open() && has_moved) {
      feed_intakes();
      pump();
    }
    is_working_ = false;
    // Others on this thread run before this connection continues.
    if (has_moved || wants_slot_) touch();
  } catch (...) {
    // Out of memory, or a fault above: this connection is closed, the others continue.
    must_cut_ = true;
    loop_.forget_inline();
  }
  is_working_ = false;
  finish_pass();
}

void Connection::send_now() noexcept {
  is_unsent_ = false;
  if (!is_open()) return;
  is_working_ = true;
  flush();
  is_working_ = false;
  // The input may have waited until the output drained.
  if (is_readable_ || !input_.empty()) return touch();
  finish_pass();
}

void Connection::finish_pass() noexcept {
  if (!is_open()) return;
  if (is_unsent_) {
    if (!must_cut_) return;  // send_now() will do
    flush();
  }
  if (must_cut_) return cut();
  const bool is_quiet =
      pipeline_.size == 0 && output_.is_empty() && written_.size == 0 && !channel_;
  if (is_quiet && phase_ != Phase::linger) {
    const bool is_between = phase_ == Phase::head && head_started_ == 0;
    if (is_input_over_ || (is_between && loop_.is_stopping())) return cut();
    if (is_deaf_) {
      if (!has_unread_ && input_.empty()) return cut();
      begin_linger();
    }
  }
  if (is_open()) rearm();
}

// Closing with bytes unread makes the kernel reset the connection, and the client may lose the
// response (RFC 9112, section 9.6).
void Connection::begin_linger() noexcept {
  ::shutdown(descriptor_, SHUT_WR);
  std::string().swap(input_);
  phase_ = Phase::linger;
  drop_left_ = limits().drain;
  linger_until_ = loop_.now() + in_nanoseconds(limits().linger);
  discard_input();
}

void Connection::rearm() noexcept {
  constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();
  const Limits& limit = limits();
  std::int64_t due = never;
  const auto consider = [&due](std::int64_t time) { due = std::min(due, time); };
  if (phase_ == Phase::linger) {
    consider(linger_until_);
  } else if (channel_) {
    consider(quiet_since_ + in_nanoseconds(limit.event_keep_alive));
  } else if (phase_ == Phase::head && !is_deaf_) {
    if (head_started_ != 0)
      consider(head_started_ + in_nanoseconds(limit.head_deadline));
    else if (pipeline_.size == 0)
      consider(quiet_since_ + in_nanoseconds(limit.idle));
  }
  const bool is_sender_waiting = reading_ != nullptr && reading_->owes_continue;
  if (phase_ == Phase::body && !is_held_up_ && !is_sender_waiting && !is_deaf_) {
    if (body_window_ == 0) {
      body_window_ = loop_.now();
      body_window_bytes_ = 0;
    }
    consider(body_window_ + in_nanoseconds(limit.body_window));
  } else {
    body_window_ = 0;
  }
  for (const ActiveExchange* exchange = pipeline_.first; exchange != nullptr;
       exchange = exchange->next) {
    if (exchange->deadline != 0 && !exchange->is_claimed()) consider(exchange->deadline);
  }
  if (output_.is_empty()) {
    write_window_ = 0;
  } else {
    if (write_window_ == 0) {
      write_window_ = loop_.now();
      write_window_bytes_ = output_.total_written();
    }
    consider(write_window_ + in_nanoseconds(limit.write_window));
  }
  if (due != never) loop_.timers().schedule(*this, due);
}

void Connection::on_timer() noexcept {
  if (!is_open()) return;
  check_deadlines(loop_.now());
  if (!is_open()) return;
  if (must_cut_) return cut();
  touch();
}

void Connection::check_deadlines(std::int64_t now) noexcept {
  const Limits& limit = limits();
  const auto has_passed = [now](std::int64_t start, std::chrono::milliseconds time) {
    return now >= start + in_nanoseconds(time);
  };
  if (phase_ == Phase::linger && now >= linger_until_) return cut();
  if (write_window_ != 0 && has_passed(write_window_, limit.write_window)) {
    if (is_too_slow(output_.total_written() - write_window_bytes_, limit.write_rate,
                    limit.write_window))
      return cut();
    write_window_ = 0;
  }
  if (channel_ && has_passed(quiet_since_, limit.event_keep_alive)) {
    static const auto comment = std::make_shared<const std::string>(": keep-alive\n\n");
    if (output_.is_empty()) output_.append(comment);
    quiet_since_ = now;
  }
  for (ActiveExchange* exchange = pipeline_.first; exchange != nullptr; exchange = exchange->next) {
    if (exchange->deadline == 0 || now < exchange->deadline) continue;
    if (exchange == held_) {
      give_up_held();
      continue;
    }
    exchange->deadline = 0;
    exchange->respond_problem(503, "http.timeout",
                              "The request took too long on the server. Try again later.");
  }
  if (phase_ == Phase::body && body_window_ != 0 && has_passed(body_window_, limit.body_window)) {
    if (is_too_slow(body_window_bytes_, limit.body_rate, limit.body_window))
      return fail_body(body_timeout, 408);
    body_window_ = 0;
  }
  if (phase_ != Phase::head || is_deaf_ || channel_) return;
  if (head_started_ != 0 && has_passed(head_started_, limit.head_deadline))
    return refuse(head_timeout);
  if (head_started_ == 0 && pipeline_.size == 0 && output_.is_empty() &&
      has_passed(quiet_since_, limit.idle))
    cut();
}

void Connection::begin_stop() noexcept {
  if (channel_) return cut();
  touch();
}

void Connection::cancel_all(int sink_status) noexcept {
  reading_ = held_ = nullptr;
  for (Queue* queue : {&written_, &pipeline_}) {
    while (queue->size > 0) {
      OwnedExchange exchange = queue->pop();
      exchange->cancel(sink_status);
      finish(std::move(exchange));
    }
  }
}

void Connection::cut() noexcept {
  if (!is_open()) return;
  phase_ = Phase::closed;
  loop_.timers().cancel(*this);
  loop_.forget_sender(*this);
  cancel_all(0);
  if (channel_) {
    LoopCounters& counters = loop_.counters();
    counters.event_streams.store(counters.event_streams.load(std::memory_order_relaxed) - 1,
                                 std::memory_order_relaxed);
    std::exchange(channel_, nullptr)->lost();
  }
  output_.clear();
  if (must_reset_) {
    const linger hard{1, 0};
    ::setsockopt(descriptor_, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
  }
  ::close(std::exchange(descriptor_, -1));
  loop_.abandon(*this);
}

}  // namespace tenon::http
