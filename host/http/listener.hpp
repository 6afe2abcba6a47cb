#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "http/loop.hpp"
#include "http/timers.hpp"

namespace tenon::http {

/// The listening socket. Lives on the first loop and gives every new connection to the loop with
/// the fewest.
class Listener final : public Watched, public Timer {
 public:
  /// Binds at once; throws base::Error 500 "http.listen_failed".
  Listener(const std::string& host, std::uint16_t port);
  ~Listener() override;

  std::uint16_t port() const noexcept { return port_; }

  // The first loop's thread, once it runs.
  void start(std::vector<std::unique_ptr<Loop>>& loops);
  void stop() noexcept;

  void on_ready(std::uint32_t events) noexcept override;
  void on_timer() noexcept override;

 private:
  void pause() noexcept;
  void resume() noexcept;
  std::uint64_t open_connections() const noexcept;
  Loop& emptiest() const noexcept;
  void give(int descriptor, std::string peer) noexcept;

  struct Socket;
  std::unique_ptr<Socket> socket_;
  std::uint16_t port_ = 0;
  std::vector<std::unique_ptr<Loop>>* loops_ = nullptr;
  std::size_t next_ = 0;
  bool is_accepting_ = false;
};

}  // namespace tenon::http
