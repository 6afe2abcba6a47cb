// Holds many event streams open and says when the last of them has read an event.
// Arguments: PORT COUNT TOPICS FILE; FILE has a session cookie a line, which the streams share out
// in turn. Prints {"open":COUNT} when every stream has had its hello. Then, for each line on stdin,
// which has a number of events: prints "armed", waits until every stream has read so many more and
// prints when the first stream had the first of them and when the last stream had each, in
// nanoseconds of CLOCK_MONOTONIC. Ends with stdin.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

namespace {

constexpr std::size_t opening_at_once = 64;
constexpr std::size_t streams_an_address = 20'000;  // of the ports of one source address
constexpr int timeout_ms = 20'000;

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "tenon-bench-streams: %s (%s)\n", what.c_str(), std::strerror(errno));
  std::exit(1);
}

long long now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1'000'000'000LL + time.tv_nsec;
}

struct Stream {
  int socket = -1;
  std::size_t events = 0;
  std::string text;  // from the last complete event on
};

class Clients {
 public:
  Clients(int port, std::string topics, std::vector<std::string> cookies)
      : port_(port),
        topics_(std::move(topics)),
        cookies_(std::move(cookies)),
        epoll_(epoll_create1(0)) {}

  void open(std::size_t count) {
    streams_.resize(count);
    std::size_t begun = 0;
    arm(1);
    while (arrived_ < count) {
      while (begun < count && begun - arrived_ < opening_at_once)
        begin(begun++);
      read_some();
    }
  }

  void arm(std::size_t events) {
    arrived_ = 0;
    first_ = 0;
    last_.assign(events, 0);
    for (Stream& stream : streams_)
      stream.events = 0;
  }

  void wait_all() {
    while (arrived_ < streams_.size())
      read_some();
  }

  long long first() const { return first_; }
  const std::vector<long long>& last() const { return last_; }

 private:
  void begin(std::size_t index) {
    Stream& stream = streams_[index];
    stream.socket = ::socket(AF_INET, SOCK_STREAM, 0);
    if (stream.socket < 0) fail("socket");
    sockaddr_in from{};
    from.sin_family = AF_INET;
    from.sin_addr.s_addr =
        htonl(INADDR_LOOPBACK + 1 + static_cast<std::uint32_t>(index / streams_an_address));
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<std::uint16_t>(port_));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int yes = 1;
    ::setsockopt(stream.socket, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &yes, sizeof yes);
    if (::bind(stream.socket, reinterpret_cast<sockaddr*>(&from), sizeof from) != 0) fail("bind");
    if (::connect(stream.socket, reinterpret_cast<sockaddr*>(&to), sizeof to) != 0) fail("connect");
    const std::string request =
        "GET /api/core/events?topics=" + topics_ +
        " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port_) +
        "\r\nAccept: text/event-stream\r\nCookie: " + cookies_[index % cookies_.size()] +
        "\r\n\r\n";
    if (::send(stream.socket, request.data(), request.size(), 0) !=
        static_cast<ssize_t>(request.size()))
      fail("send");
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = index;
    if (epoll_ctl(epoll_, EPOLL_CTL_ADD, stream.socket, &event) != 0) fail("epoll_ctl");
  }

  void read_some() {
    epoll_event events[256];
    const int count = epoll_wait(epoll_, events, 256, timeout_ms);
    if (count <= 0)
      fail("only " + std::to_string(arrived_) + " of " + std::to_string(streams_.size()) +
           " streams have read the events");
    for (int i = 0; i < count; ++i)
      read(streams_[events[i].data.u64]);
  }

  void read(Stream& stream) {
    char block[4096];
    const ssize_t got = ::recv(stream.socket, block, sizeof block, 0);
    if (got <= 0) fail("a stream ended after: " + stream.text);
    stream.text.append(block, static_cast<std::size_t>(got));
    const std::size_t end = stream.text.rfind("\n\n");
    if (end == std::string::npos) return;
    for (std::size_t at = stream.text.find("event: "); at < end;
         at = stream.text.find("event: ", at + 1)) {
      if (stream.events == last_.size()) break;
      last_[stream.events] = now();
      if (first_ == 0) first_ = last_[stream.events];
      if (++stream.events == last_.size()) ++arrived_;
    }
    stream.text.erase(0, end + 2);
  }

  const int port_;
  const std::string topics_;
  const std::vector<std::string> cookies_;
  const int epoll_;
  std::vector<Stream> streams_;
  std::size_t arrived_ = 0;
  long long first_ = 0;
  std::vector<long long> last_;
};

}  // namespace

int main(int count, char** arguments) {
  if (count != 5) {
    std::fprintf(stderr, "usage: tenon-bench-streams PORT COUNT TOPICS FILE\n");
    return 2;
  }
  const auto streams = static_cast<std::size_t>(std::atoi(arguments[2]));
  const rlimit files{streams + 64, streams + 64};
  rlimit allowed{};
  ::getrlimit(RLIMIT_NOFILE, &allowed);
  if (allowed.rlim_cur < files.rlim_cur && ::setrlimit(RLIMIT_NOFILE, &files) != 0) {
    const rlimit all{allowed.rlim_max, allowed.rlim_max};
    if (allowed.rlim_max < files.rlim_cur || ::setrlimit(RLIMIT_NOFILE, &all) != 0)
      fail("needs " + std::to_string(files.rlim_cur) + " open files; ulimit -Hn allows " +
           std::to_string(allowed.rlim_max));
  }
  std::vector<std::string> cookies;
  std::ifstream file(arguments[4]);
  for (std::string line; std::getline(file, line);)
    cookies.push_back(line);
  if (cookies.empty()) fail(std::string(arguments[4]) + " holds no cookie");
  Clients clients(std::atoi(arguments[1]), arguments[3], cookies);
  clients.open(streams);
  std::printf("{\"open\":%zu}\n", streams);
  std::fflush(stdout);
  for (std::string line; std::getline(std::cin, line);) {
    clients.arm(static_cast<std::size_t>(std::max(1, std::atoi(line.c_str()))));
    std::puts("armed");
    std::fflush(stdout);
    clients.wait_all();
    std::printf("{\"first\":%lld,\"last\":[", clients.first());
    for (std::size_t i = 0; i < clients.last().size(); ++i)
      std::printf("%s%lld", i == 0 ? "" : ",", clients.last()[i]);
    std::puts("]}");
    std::fflush(stdout);
  }
  return 0;
}
