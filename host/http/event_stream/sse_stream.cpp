#include "http/event_stream/sse_stream.hpp"

#include <utility>

#include "http/connection/connection.hpp"
#include "http/connection/output.hpp"

namespace tenon::http {

SseStream::SseStream(std::shared_ptr<Mailbox> mailbox, std::size_t max_waiting)
    : mailbox_(std::move(mailbox)), max_waiting_(max_waiting) {}

bool SseStream::send(std::shared_ptr<const std::string> events) {
  if (!events || events->empty()) return true;
  const std::lock_guard lock(mutex_);
  if (must_close_ || is_lost_) return false;
  if (bytes_waiting_ + in_output_ + events->size() > max_waiting_) {
    must_close_ = true;
    waiting_.clear();
  } else {
    bytes_waiting_ += events->size();
    waiting_.push_back(std::move(events));
  }
  post_locked();
  return !must_close_;
}

void SseStream::close() {
  const std::lock_guard lock(mutex_);
  must_close_ = true;
  post_locked();
}

void SseStream::on_close(std::function<void()> callback) {
  {
    const std::lock_guard lock(mutex_);
    if (!is_lost_) {
      on_close_ = std::move(callback);
      return;
    }
  }
  callback();
}

void SseStream::post_locked() noexcept {
  if (self_ || is_lost_) return;
  self_ = shared_from_this();
  if (!mailbox_->post(*this)) self_.reset();
}

void SseStream::deliver() noexcept {
  std::shared_ptr<SseStream> self;
  {
    const std::lock_guard lock(mutex_);
    self = std::move(self_);
  }
  if (connection_ != nullptr) connection_->touch();
}

bool SseStream::take(Output& output) {
  const std::lock_guard lock(mutex_);
  for (auto& events : waiting_)
    output.append(std::move(events));
  // An idle channel keeps no memory.
  std::vector<std::shared_ptr<const std::string>>().swap(waiting_);
  bytes_waiting_ = 0;
  in_output_ = output.pending();
  return !must_close_;
}

void SseStream::sent(std::uint64_t bytes_waiting) noexcept {
  const std::lock_guard lock(mutex_);
  in_output_ = bytes_waiting;
}

void SseStream::lost() noexcept {
  std::function<void()> callback;
  {
    const std::lock_guard lock(mutex_);
    connection_ = nullptr;
    if (is_lost_) return;
    is_lost_ = true;
    waiting_.clear();
    callback = std::move(on_close_);
  }
  if (callback) callback();
}

}  // namespace tenon::http
