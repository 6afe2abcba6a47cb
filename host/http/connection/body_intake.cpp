#include "http/connection/body_intake.hpp"

#include <exception>
#include <utility>

#include "base/error.hpp"
#include "http/connection/active_exchange.hpp"
#include "http/loop/server_context.hpp"

namespace tenon::http {

void BodyIntake::set_sink(std::unique_ptr<BodySink> sink) {
  {
    const std::lock_guard lock(mutex_);
    if (has_sink() || !sink) return;
    sink_ = std::move(sink);
    handle_ = ExchangePtr(&exchange_);
    has_sink_.store(true, std::memory_order_release);
    if (must_abort_) schedule();
  }
  exchange_.notify();
}

// With the mutex held, and nothing under way.
void BodyIntake::schedule() noexcept {
  is_busy_.store(true, std::memory_order_release);
  exchange_.add_owner();
  if (exchange_.context().workers.resume(exchange_.share(), *this)) return;
  is_finished_ = true;
  sink_.reset();
  handle_.reset();
  exchange_.drop_owner();
}

void BodyIntake::send(bool is_end) {
  const std::lock_guard lock(mutex_);
  if (is_finished_) return;
  must_end_ = is_end;
  schedule();
}

void BodyIntake::abort(int status) noexcept {
  const std::lock_guard lock(mutex_);
  if (is_finished_ || must_abort_) return;
  must_abort_ = true;
  abort_status_ = status;
  if (has_sink() && !is_busy_.load(std::memory_order_relaxed)) schedule();
}

// False when the sink threw.
bool BodyIntake::make(Call call) noexcept {
  const Entered entered(exchange_.attachment());
  try {
    switch (call) {
      case Call::data:
        sink_->on_data(bytes_);
        break;
      case Call::end:
        sink_->on_end();
        break;
      case Call::abort:
        sink_->on_abort(abort_status_);
        break;
    }
    return true;
  } catch (const base::Error& error) {
    exchange_.respond_error(error);
  } catch (const std::exception& error) {
    exchange_.failed(error.what());
  } catch (...) {
    exchange_.failed("an exception of unknown type");
  }
  exchange_.abort();
  return false;
}

void BodyIntake::run() noexcept {
  std::unique_lock lock(mutex_);
  bool is_good = true;
  if (!bytes_.empty() && !must_abort_) {
    lock.unlock();
    is_good = make(Call::data);
    lock.lock();
  }
  if (!is_good && !must_abort_) {
    must_abort_ = true;
    abort_status_ = 500;
  }
  bytes_.clear();
  is_finished_ = must_abort_ || must_end_;
  std::unique_ptr<BodySink> spent;
  ExchangePtr handle;
  if (is_finished_) {
    lock.unlock();
    make(must_abort_ ? Call::abort : Call::end);
    lock.lock();
    spent = std::move(sink_);
    handle = std::move(handle_);
  }
  is_busy_.store(false, std::memory_order_release);
  lock.unlock();
  spent.reset();
  handle.reset();
  exchange_.notify();
  exchange_.drop_owner();
}

}  // namespace tenon::http
