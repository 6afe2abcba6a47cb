#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include <Poco/Exception.h>
#include <Poco/Net/ServerSocket.h>
#include <Poco/Net/StreamSocket.h>

namespace tenon::http_client::test {

// A server of one connection at a time that sends what its handler writes.
class LyingServer {
 public:
  using Handler = std::function<void(Poco::Net::StreamSocket&, const std::string& target)>;

  explicit LyingServer(Handler handler)
      : handler_(std::move(handler)), thread_([this] { run(); }) {}
  ~LyingServer() {
    stops_ = true;
    try {
      Poco::Net::StreamSocket wakes(socket_.address());
    } catch (const Poco::Exception&) {
    }
    thread_.join();
  }
  LyingServer(const LyingServer&) = delete;
  LyingServer& operator=(const LyingServer&) = delete;

  std::string url() const { return "http://127.0.0.1:" + std::to_string(socket_.address().port()); }
  int requests() const { return requests_; }
  std::string head() const {
    const std::lock_guard lock(mutex_);
    return head_;
  }

 private:
  void run() {
    while (true) {
      Poco::Net::StreamSocket client = socket_.acceptConnection();
      if (stops_) return;
      try {
        std::string head;
        char piece[1024];
        while (head.find("\r\n\r\n") == std::string::npos) {
          const int got = client.receiveBytes(piece, sizeof piece);
          if (got <= 0) break;
          head.append(piece, static_cast<std::size_t>(got));
        }
        {
          const std::lock_guard lock(mutex_);
          head_ = head;
        }
        ++requests_;
        const std::size_t begin = head.find(' ') + 1;
        handler_(client, head.substr(begin, head.find(' ', begin) - begin));
      } catch (const Poco::Exception&) {
      }
    }
  }

  Poco::Net::ServerSocket socket_{Poco::Net::SocketAddress("127.0.0.1", 0)};
  Handler handler_;
  std::atomic<bool> stops_{false};
  std::atomic<int> requests_{0};
  mutable std::mutex mutex_;
  std::string head_;
  std::thread thread_;
};

inline void send(Poco::Net::StreamSocket& client, const std::string& text) {
  std::size_t at = 0;
  while (at < text.size())
    at += static_cast<std::size_t>(
        client.sendBytes(text.data() + at, static_cast<int>(text.size() - at)));
}

}  // namespace tenon::http_client::test
