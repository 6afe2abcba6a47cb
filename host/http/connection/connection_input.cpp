#include <algorithm>
#include <cerrno>
#include <utility>

#include <sys/socket.h>

#include "http/connection/body_intake.hpp"
#include "http/connection/connection.hpp"
#include "http/loop/server_context.hpp"
#include "http/loop/system_calls.hpp"

namespace tenon::http {

namespace {

constexpr unsigned char tls_handshake = 0x16;
constexpr std::size_t max_idle_input_bytes = 1024;  // of an empty buffer
constexpr std::size_t max_begun_in_pass = 4;        // requests; others on this thread follow
constexpr Refusal bad_chunk{400, "http.bad_chunk", "The chunked request body is not valid."};
constexpr Refusal received_body_too_large{413, "http.body_too_large",
                                          "The request body is larger than this route takes."};

}  // namespace

bool Connection::wants_input() const noexcept {
  return (phase_ == Phase::head || phase_ == Phase::body) && held_ == nullptr && !is_deaf_ &&
         !is_held_up_ && !is_input_over_ && !must_cut_ && !loop_.has_inline() &&
         output_.pending() <= limits().write_buffer;
}

// True when something was taken, so that another round may find more to do.
bool Connection::read_some() {
  if (phase_ == Phase::linger) {
    discard_input();
    return false;
  }
  bool has_taken = false;
  if (!input_.empty() && wants_input()) {
    const std::size_t used = take(input_);
    input_.erase(0, used);
    has_taken = used > 0;
  }
  for (int rounds = 0; rounds < 4 && is_readable_ && wants_input(); ++rounds) {
    if (!receive()) break;
    has_taken = true;
  }
  if (input_.empty() && input_.capacity() > max_idle_input_bytes) std::string().swap(input_);
  return has_taken;
}

// Reads once and takes what came; false when nothing came.
bool Connection::receive() {
  const std::string_view scratch = loop_.scratch();
  const ssize_t received =
      system_calls::receive(descriptor_, loop_.scratch().data(), scratch.size());
  if (received <= 0) {
    if (received < 0 && errno == EINTR) return true;
    is_readable_ = false;
    if (received < 0 && errno != EAGAIN && errno != EWOULDBLOCK) must_cut_ = true;
    if (received == 0) on_input_end();
    return received == 0;
  }
  const auto size = static_cast<std::size_t>(received);
  // A short read has emptied the socket, and the next byte is a new edge (epoll(7)); only the end
  // of input is none.
  if (size < scratch.size() && !has_peer_ended_) is_readable_ = false;
  LoopCounters::add(loop_.counters().bytes_received, size);
  if (!input_.empty()) {
    // Grows with what came, not with what might: a slow sender costs what it sent.
    input_.append(scratch.substr(0, size));
    const std::size_t used = take(input_);
    input_.erase(0, used);
  } else {
    const std::size_t used = take(scratch.substr(0, size));
    if (used < size && !is_deaf_)
      input_.assign(scratch.substr(used, size - used));
    else if (used < size)
      has_unread_ = true;
  }
  return true;
}

std::size_t Connection::take(std::string_view bytes) {
  std::size_t used = 0;
  while (used < bytes.size() && wants_input()) {
    const std::string_view rest = bytes.substr(used);
    const std::size_t step = phase_ == Phase::head ? take_head(rest) : take_body(rest);
    if (step == 0) break;
    used += step;
  }
  return used;
}

// Requests with safe methods may run in parallel (RFC 9112, section 9.3.2). Any other request waits
// until all responses before it are sent, and the next request waits for it.
bool Connection::may_begin_next(std::string_view bytes) const noexcept {
  if (pipeline_.size == 0) return true;
  if (pipeline_.size >= limits().pipeline) return false;
  const Method last = pipeline_.last->request().method;
  const bool is_last_safe = last == Method::get || last == Method::head || last == Method::options;
  return is_last_safe &&
         (bytes.starts_with("GET ") || bytes.starts_with("HEAD ") || bytes.starts_with("OPTIONS "));
}

std::size_t Connection::take_head(std::string_view bytes) {
  if (head_started_ == 0) {
    if (loop_.is_stopping() || (pipeline_.size > 0 && pipeline_.last->is_last)) {
      is_deaf_ = true;
      return 0;
    }
    if (static_cast<unsigned char>(bytes[0]) == tls_handshake) {
      // After a request this is garbage, and no reason to lose the responses that are due.
      const bool has_pending_responses = pipeline_.size > 0 || written_.size > 0;
      must_cut_ = !has_pending_responses;
      is_deaf_ = has_unread_ = has_pending_responses;
      return has_pending_responses ? bytes.size() : 0;
    }
    if (!skipped_line_ && bytes[0] == '\r') {
      if (bytes.size() == 1) return 0;
      skipped_line_ = true;
      if (bytes[1] == '\n') return 2;
    }
    if (!may_begin_next(bytes)) {
      is_held_up_ = true;
      return 0;
    }
    if (begun_in_pass_ >= max_begun_in_pass) {
      wants_slot_ = is_held_up_ = true;
      return 0;
    }
    head_started_ = loop_.now();
  }
  std::size_t size = bytes.size();
  HeaderCache::CachedHead known;
  if (scanner_.is_fresh()) known = loop_.heads().find(bytes, limits());
  if (!known) {
    switch (scanner_.scan(bytes, limits())) {
      case HeadScanner::Result::more:
        return 0;
      case HeadScanner::Result::refused:
        refuse(scanner_.refusal());
        return size;
      case HeadScanner::Result::complete:
        break;
    }
    size = scanner_.size();
    scanner_.reset();
  }
  ++begun_in_pass_;
  begin_request(bytes.substr(0, size), known);
  head_started_ = 0;
  skipped_line_ = false;
  return size;
}

std::size_t Connection::take_body(std::string_view bytes) {
  // Null while the body is read for nothing.
  if (reading_ != nullptr) {
    if (reading_->intake() != nullptr && !reading_->intake()->is_free()) {
      is_held_up_ = true;
      return 0;
    }
    reading_->owes_continue = false;
  }
  std::size_t used = 0;
  std::string_view data;
  bool is_complete = false;
  if (decoder_) {
    const ChunkedDecoder::Step step = decoder_->next(bytes);
    if (step.has_failed) {
      fail_body(bad_chunk, 400);
      return bytes.size();
    }
    used = step.consumed;
    data = step.data;
    is_complete = step.is_complete;
  } else {
    used = static_cast<std::size_t>(std::min<std::uint64_t>(body_left_, bytes.size()));
    data = bytes.substr(0, used);
    body_left_ -= used;
    is_complete = body_left_ == 0;
  }
  body_window_bytes_ += data.size();
  body_taken_ += data.size();
  if (reading_ == nullptr) {
    if (used > drop_left_) {
      is_deaf_ = has_unread_ = true;
      return bytes.size();
    }
    drop_left_ -= used;
  } else if (body_taken_ > reading_->body_limit) {
    fail_body(received_body_too_large, 413);
    return bytes.size();
  } else {
    deliver_body(*reading_, data);
  }
  if (is_complete) end_body();
  return used;
}

void Connection::discard_input() noexcept {
  while (is_open() && is_readable_) {
    const ssize_t received =
        system_calls::receive(descriptor_, loop_.scratch().data(), loop_.scratch().size());
    if (received < 0 && errno == EINTR) continue;
    if (received < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      is_readable_ = false;
      return;
    }
    if (received <= 0 || static_cast<std::uint64_t>(received) > drop_left_) {
      must_cut_ = true;
      return;
    }
    drop_left_ -= static_cast<std::uint64_t>(received);
  }
}

void Connection::on_input_end() noexcept {
  is_input_over_ = true;
  is_deaf_ = true;
  head_started_ = 0;
  input_.clear();
  if (phase_ != Phase::body) return;
  // The request can never be complete; the ones before it still get their responses.
  phase_ = Phase::head;
  ActiveExchange* exchange = std::exchange(reading_, nullptr);
  if (exchange == nullptr) return;
  if (exchange->is_claimed()) {
    if (exchange->intake() != nullptr) exchange->intake()->abort(0);
  } else {
    exchange->cancel(0);
  }
}

}  // namespace tenon::http
