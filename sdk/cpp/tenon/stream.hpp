#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <tenon/detail/link.hpp>
#include <tenon/http.h>
#include <tenon/response.hpp>

namespace tenon {

/// A streamed response that is being sent; the argument of its producer. Valid only inside the
/// producer.
class Stream {
 public:
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  /// Sends bytes. All bytes are accepted, even if the result is false. False: return from the
  /// producer, because the client cannot take more data now or has disconnected. Pieces of 16…64
  /// KiB are most efficient.
  bool write(std::string_view bytes) {
    if (is_stalled_ || is_closed_) {
      if (!is_closed_) waiting_.append(bytes);
      return false;
    }
    while (!bytes.empty()) {
      const std::string_view piece = bytes.substr(0, max_piece_bytes);
      bytes.remove_prefix(piece.size());
      const tenon_code code = TENON_CALL(*link_, tenon_http, write, handle_, detail::span(piece));
      if (code < 0) is_closed_ = true;
      if (code == TENON_FULL) is_stalled_ = true;
      if (code != TENON_OK) {
        if (!is_closed_) waiting_.append(bytes);
        return false;
      }
    }
    return true;
  }

  /// Returns true if the client has disconnected.
  bool is_closed() const noexcept { return is_closed_; }

  /// Internal to the SDK: begins the response and sends its first pieces. Returns TENON_OK if it is
  /// complete, TENON_PENDING if more follows, an error if it did not begin.
  static tenon_code run(detail::Link& link, tenon_handle handle, Response& response,
                        const tenon_http_response& head) {
    const tenon_http& http =
        link.need<tenon_http>(TENON_NEED(tenon_http, end), "streamed responses");
    const auto stream = std::shared_ptr<Stream>(new Stream(link, handle, response.take_producer()));
    const tenon_callback writable{&writable_again, new std::shared_ptr<Stream>(stream), &drop};
    const tenon_code code = http.begin(link.host(), handle, &head, response.length(), &writable);
    if (code < 0) return code;
    stream->wake();
    return stream->is_finished_.load(std::memory_order_acquire) ? TENON_OK : TENON_PENDING;
  }

 private:
  static constexpr std::size_t max_piece_bytes = std::size_t{1} << 20;  // limit of tenon_http.write

  Stream(detail::Link& link, tenon_handle handle, std::unique_ptr<detail::Producer> producer)
      : link_(&link), handle_(handle), producer_(std::move(producer)) {}

  static void writable_again(void* ctx) noexcept {
    const std::shared_ptr<Stream> stream = *static_cast<std::shared_ptr<Stream>*>(ctx);
    stream->wake();
  }
  static void drop(void* ctx) noexcept { delete static_cast<std::shared_ptr<Stream>*>(ctx); }

  // The host may call `writable` on another thread while the producer runs. The thread that finds
  // the stream idle runs the producer; other threads increment `signs_` to request another pass.
  void wake() noexcept {
    std::uint32_t signs = signs_.fetch_add(1, std::memory_order_acq_rel) + 1;
    if (signs != 1) return;
    do {
      pump();
    } while (!signs_.compare_exchange_strong(signs, 0, std::memory_order_acq_rel));
  }

  void pump() noexcept {
    if (producer_ == nullptr) return;
    try {
      is_stalled_ = false;
      if (TENON_CALL(*link_, tenon_http, check, handle_) < 0) is_closed_ = true;
      if (!waiting_.empty() && !is_closed_) write(std::exchange(waiting_, {}));
      while (!is_closed_) {
        if (!has_more_ && waiting_.empty()) return finish(TENON_OK);
        if (is_stalled_) return;
        has_more_ = producer_->produce(*this);
      }
      finish(TENON_E_CLOSED);
    } catch (const std::exception& error) {
      link_->report(TENON_LOG_ERROR, "a streamed response failed", error.what(), handle_);
      finish(TENON_E_INTERNAL);
    } catch (...) {
      link_->report(TENON_LOG_ERROR, "a streamed response failed", {}, handle_);
      finish(TENON_E_INTERNAL);
    }
  }

  void finish(tenon_code how) noexcept {
    try {
      producer_.reset();
    } catch (...) {
      link_->report(TENON_LOG_ERROR, "a producer's destructor threw", {}, handle_);
    }
    is_finished_.store(true, std::memory_order_release);
    const tenon_http* http = link_->find<tenon_http>();
    if (http != nullptr) http->end(link_->host(), handle_, how);
  }

  detail::Link* link_;
  tenon_handle handle_;
  std::unique_ptr<detail::Producer> producer_;
  std::string waiting_;  // bytes written while the stream was full
  bool is_stalled_ = false;
  bool is_closed_ = false;
  bool has_more_ = true;
  std::atomic<bool> is_finished_{false};
  std::atomic<std::uint32_t> signs_{0};
};

}  // namespace tenon
