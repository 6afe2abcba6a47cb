#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "http/connection/exchange.hpp"
#include "http/loop/mailbox.hpp"

namespace tenon::http {

class Connection;
class Output;

/// Implements EventStream. Outlives the exchange it began with; knows its connection while that is
/// open.
class SseStream final : public EventStream,
                        public LoopTask,
                        public std::enable_shared_from_this<SseStream> {
 public:
  SseStream(std::shared_ptr<Mailbox> mailbox, std::size_t max_waiting);

  // Any thread.
  bool send(std::shared_ptr<const std::string> events) override;
  void on_close(std::function<void()> callback) override;
  void close() override;

  // The connection's thread.
  void deliver() noexcept override;
  void open(Connection& connection) noexcept { connection_ = &connection; }
  /// Moves what waits to the output; false when the channel is to be closed.
  bool take(Output& output);
  /// Says how many bytes of it wait in the connection's output.
  void sent(std::uint64_t bytes_waiting) noexcept;
  /// The connection is gone.
  void lost() noexcept;

 private:
  void post_locked() noexcept;

  const std::shared_ptr<Mailbox> mailbox_;
  const std::size_t max_waiting_;
  Connection* connection_ = nullptr;  // the I/O thread's
  std::mutex mutex_;
  std::vector<std::shared_ptr<const std::string>> waiting_;
  std::size_t bytes_waiting_ = 0;
  std::uint64_t in_output_ = 0;
  std::shared_ptr<SseStream> self_;  // while it is in the mailbox
  std::function<void()> on_close_;
  bool must_close_ = false;
  bool is_lost_ = false;
};

}  // namespace tenon::http
