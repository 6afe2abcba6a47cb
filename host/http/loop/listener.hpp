#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "http/loop/loop.hpp"
#include "http/loop/timers.hpp"

namespace tenon::http {

/// The listening socket. Lives on the first loop and gives every new connection to the loop with
/// the fewest. Pauses while there are as many as Limits::connections, or no descriptor but the
/// reserved ones is left.
class Listener final : public Watched, public Timer {
 public:
  /// Descriptors that stay for databases, plugins and files; a quarter of the limit of open files
  /// where that is less.
  static constexpr unsigned reserved_descriptors = 256;

  /// Takes over a socket that listens. Throws base::Error 500 "http.listen_failed".
  explicit Listener(int descriptor);
  ~Listener() override;

  std::uint16_t port() const noexcept { return port_; }

  // The first loop's thread, once it runs.
  void start(std::vector<std::unique_ptr<Loop>>& loops);
  void stop() noexcept;

  void on_ready(std::uint32_t events) noexcept override;
  void on_timer() noexcept override;

 private:
  void pause() noexcept;
  void beat() noexcept;
  void pause(std::string_view why) noexcept;
  void resume() noexcept;
  std::uint64_t open_connections() const noexcept;
  Loop& emptiest() const noexcept;
  void give(int descriptor, std::string peer) noexcept;

  struct Socket;
  std::unique_ptr<Socket> socket_;
  std::uint16_t port_ = 0;
  std::vector<std::unique_ptr<Loop>>* loops_ = nullptr;
  std::uint64_t room_ = ~std::uint64_t{0};  // connections that the descriptors allow
  std::int64_t said_at_ = 0;                // when accepting_paused() was called
  std::int64_t beat_at_ = 0;                // when the loops last counted
  bool is_accepting_ = false;
};

}  // namespace tenon::http
