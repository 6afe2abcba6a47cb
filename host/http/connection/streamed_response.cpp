#include "http/connection/streamed_response.hpp"

#include <array>
#include <charconv>
#include <exception>
#include <utility>

#include "http/connection/active_exchange.hpp"
#include "http/loop/server_context.hpp"

namespace tenon::http {

namespace {
// A slow reader's response waits in the output; the buffer before it is for the next bytes.
constexpr std::size_t max_idle_stream_bytes = 64 * 1024;
}  // namespace

StreamedResponse::StreamedResponse(ActiveExchange& exchange, std::uint64_t content_length,
                                   std::function<void()> on_writable)
    : exchange_(exchange),
      content_length_(content_length),
      max_waiting_(exchange.context().options.limits.write_buffer),
      on_writable_(std::move(on_writable)) {}

WriteResult StreamedResponse::write(std::string_view bytes) {
  WriteResult result = WriteResult::closed;
  {
    const std::lock_guard lock(mutex_);
    if (is_closed_ || state_ != State::open) return WriteResult::closed;
    written_ += bytes.size();
    if (content_length_ != Request::no_length && written_ > content_length_) {
      state_ = State::cut;
    } else {
      waiting_.append(bytes);
      is_full_ = waiting_.size() + in_output_ >= max_waiting_;
      result = is_full_ ? WriteResult::full : WriteResult::accepted;
    }
  }
  exchange_.notify();
  return result;
}

bool StreamedResponse::end() {
  bool is_complete = false;
  {
    const std::lock_guard lock(mutex_);
    if (is_closed_ || state_ != State::open) return false;
    is_complete = content_length_ == Request::no_length || written_ == content_length_ ||
                  exchange_.request().method == Method::head;
    state_ = is_complete ? State::ended : State::cut;
  }
  exchange_.notify();
  return is_complete;
}

void StreamedResponse::abort() {
  {
    const std::lock_guard lock(mutex_);
    if (state_ == State::open) state_ = State::cut;
  }
  exchange_.notify();
}

void StreamedResponse::set_on_writable(std::function<void()> callback) {
  const std::lock_guard lock(mutex_);
  if (!on_writable_ && !is_closed_) on_writable_ = std::move(callback);
}

StreamedResponse::State StreamedResponse::take(TextBuffer& out, bool is_chunked, bool is_dropped) {
  const std::lock_guard lock(mutex_);
  if (is_dropped) {
    waiting_.clear();
    return state_;
  }
  if (!waiting_.empty()) {
    if (is_chunked) {
      std::array<char, 16> digits;
      const auto size =
          std::to_chars(digits.data(), digits.data() + digits.size(), waiting_.size(), 16);
      out.append({digits.data(), static_cast<std::size_t>(size.ptr - digits.data())})
          .append("\r\n")
          .append(waiting_)
          .append("\r\n");
    } else {
      out.append(waiting_);
    }
    if (waiting_.capacity() > max_waiting_) std::string().swap(waiting_);
    waiting_.clear();
  }
  if (state_ == State::ended && is_chunked) out.append("0\r\n\r\n");
  return state_;
}

void StreamedResponse::sent(std::uint64_t bytes_waiting) noexcept {
  const std::lock_guard lock(mutex_);
  in_output_ = bytes_waiting;
  const bool lags = in_output_ > max_waiting_ / 2;
  if (lags && waiting_.empty() && waiting_.capacity() > max_idle_stream_bytes)
    std::string().swap(waiting_);
  if (!is_full_ || state_ != State::open || waiting_.size() + in_output_ > max_waiting_ / 2) return;
  is_full_ = false;
  call_back_locked();
}

void StreamedResponse::close() noexcept {
  std::function<void()> spent;  // often holds the exchange, which holds this: ends outside the lock
  const std::lock_guard lock(mutex_);
  if (is_closed_) return;
  is_closed_ = true;
  std::string().swap(waiting_);
  if (state_ == State::open)
    call_back_locked();
  else if (!is_calling_)
    spent.swap(on_writable_);
}

void StreamedResponse::call_back_locked() noexcept {
  if (!on_writable_) return;
  if (is_calling_) {
    must_call_again_ = true;
    return;
  }
  is_calling_ = true;
  exchange_.add_owner();
  if (exchange_.context().workers.resume(exchange_.share(), *this)) return;
  is_calling_ = false;
  exchange_.drop_owner();
}

void StreamedResponse::run() noexcept {
  std::function<void()> spent;
  std::unique_lock lock(mutex_);
  do {
    must_call_again_ = false;
    lock.unlock();
    try {
      const Entered entered(exchange_.attachment());
      on_writable_();
    } catch (const std::exception& error) {
      exchange_.failed(error.what());
      abort();
    } catch (...) {
      exchange_.failed("an exception of unknown type");
      abort();
    }
    lock.lock();
  } while (must_call_again_);
  is_calling_ = false;
  if (is_closed_) spent = std::move(on_writable_);
  lock.unlock();
  spent = nullptr;
  exchange_.drop_owner();
}

}  // namespace tenon::http
