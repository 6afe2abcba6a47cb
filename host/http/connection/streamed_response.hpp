#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>

#include "http/connection/exchange.hpp"
#include "http/response/text_buffer.hpp"
#include "http/workers/worker_pool.hpp"

namespace tenon::http {

class ActiveExchange;

/// The body of a streamed response between the thread that writes it and the I/O thread that sends
/// it.
class StreamedResponse final : public WorkerJob {
 public:
  StreamedResponse(ActiveExchange& exchange, std::uint64_t content_length,
                   std::function<void()> on_writable);

  // Any thread.
  WriteResult write(std::string_view bytes);
  bool end();
  void abort();
  void set_on_writable(std::function<void()> callback);
  void run() noexcept override;

  // The connection's thread.
  enum class State : std::uint8_t { open, ended, cut };
  /// Appends what waits to `out`, framed as chunks where asked (with the last chunk once ended), or
  /// dropped where nothing may be sent (HEAD).
  State take(TextBuffer& out, bool is_chunked, bool is_dropped);
  /// Says how many bytes of it wait in the connection's output.
  void sent(std::uint64_t bytes_waiting) noexcept;
  /// No client receives it any more, or all of it was taken.
  void close() noexcept;
  std::uint64_t content_length() const noexcept { return content_length_; }

 private:
  void call_back_locked() noexcept;

  ActiveExchange& exchange_;
  const std::uint64_t content_length_;
  const std::size_t max_waiting_;
  std::mutex mutex_;
  std::string waiting_;
  std::uint64_t in_output_ = 0;
  std::uint64_t written_ = 0;
  State state_ = State::open;
  bool is_closed_ = false;
  bool is_full_ = false;  // the writer was asked to wait
  bool is_calling_ = false;
  bool must_call_again_ = false;
  std::function<void()> on_writable_;
};

}  // namespace tenon::http
