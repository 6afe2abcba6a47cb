// Sends requests at a steady rate, whether or not earlier ones have a response, and measures each
// from the moment it was due. Arguments: PORT RATE CONNECTIONS COOKIE TARGETS ACKNOWLEDGED. A line
// of the file TARGETS is GROUP METHOD PATH [BODY], sent one after the other; %n in a body becomes
// the number of the request. Prints "begun", continues until stdin ends, waits for open requests,
// writes a line GROUP NUMBER for every request with status 201 into the file ACKNOWLEDGED, and
// prints JSON: for each group how many were sent, the statuses (0: no response), milliseconds by
// percentile; and by how much the slowest request was sent later than it was due, for which the
// machine or this program is to blame.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

namespace {

constexpr long long second = 1'000'000'000;
constexpr long long timeout = 30 * second;  // for the last responses
constexpr std::uint64_t from_stdin = ~std::uint64_t{0};

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "tenon-bench-steady: %s (%s)\n", what.c_str(), std::strerror(errno));
  std::exit(1);
}

long long now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * second + time.tv_nsec;
}

struct Target {
  std::string group;
  std::string head;  // without the length of the body
  std::string body;
};

struct Request {
  std::size_t target = 0;
  long long number = 0;
  long long due = 0;
};

struct Connection {
  int socket = -1;
  bool is_busy = false;
  Request request;
  std::string response;
};

struct Group {
  std::map<int, long long> statuses;
  std::vector<long long> times;
  std::vector<long long> acknowledged;
};

class Load {
 public:
  Load(int port, std::vector<Target> targets, std::size_t connections)
      : port_(port),
        targets_(std::move(targets)),
        connections_(connections),
        epoll_(epoll_create1(0)) {
    for (std::size_t index = 0; index < connections; ++index) {
      connect(index);
      free_.push_back(index);
    }
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = from_stdin;
    if (epoll_ctl(epoll_, EPOLL_CTL_ADD, STDIN_FILENO, &event) != 0) fail("stdin");
  }

  void run(long long rate) {
    const long long begin = now();
    while (!is_finished_) {
      for (long long due = begin + asked_ * second / rate; due <= now();
           due = begin + asked_ * second / rate)
        ask({static_cast<std::size_t>(asked_) % targets_.size(), asked_, due});
      read_some(std::max(0LL, begin + asked_ * second / rate - now()));
    }
    for (const long long end = now() + timeout; busy_ + waiting_.size() != 0 && now() < end;)
      read_some(second / 10);
    for (const Connection& connection : connections_) {
      if (connection.is_busy) note(connection.request, 0);
    }
  }

  void print(const std::string& acknowledged) {
    std::ofstream file(acknowledged);
    std::printf("{\"late_ms\":%.3f,\"groups\":{", static_cast<double>(latest_) / 1e6);
    const char* comma = "";
    for (auto& [name, group] : groups_) {
      for (const long long number : group.acknowledged)
        file << name << ' ' << number << '\n';
      std::sort(group.times.begin(), group.times.end());
      const auto percentile = [&times = group.times](double share) {
        const auto last = static_cast<double>(times.size() - 1);
        return static_cast<double>(times[static_cast<std::size_t>(last * share)]) / 1e6;
      };
      std::printf("%s\"%s\":{\"asked\":%zu,\"p50\":%.3f,\"p99\":%.3f,\"worst\":%.3f,\"statuses\":{",
                  comma, name.c_str(), group.times.size(), percentile(0.5), percentile(0.99),
                  percentile(1));
      const char* between = "";
      for (const auto& [status, count] : group.statuses) {
        std::printf("%s\"%d\":%lld", between, status, count);
        between = ",";
      }
      std::printf("}}");
      comma = ",";
    }
    std::printf("}}\n");
  }

 private:
  void connect(std::size_t index) {
    Connection& connection = connections_[index];
    if (connection.socket >= 0) ::close(connection.socket);
    connection = Connection();
    connection.socket = ::socket(AF_INET, SOCK_STREAM, 0);
    if (connection.socket < 0) fail("socket");
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(static_cast<std::uint16_t>(port_));
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(connection.socket, reinterpret_cast<sockaddr*>(&to), sizeof to) != 0)
      fail("connect");
    const int yes = 1;
    ::setsockopt(connection.socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = index;
    if (epoll_ctl(epoll_, EPOLL_CTL_ADD, connection.socket, &event) != 0) fail("epoll_ctl");
  }

  void ask(const Request& request) {
    ++asked_;
    if (free_.empty())
      waiting_.push_back(request);
    else
      send(request);
  }

  // In turn, so that none is idle for long.
  void send(const Request& request) {
    const std::size_t index = free_.front();
    free_.pop_front();
    Connection& connection = connections_[index];
    connection.is_busy = true;
    connection.request = request;
    ++busy_;
    latest_ = std::max(latest_, now() - request.due);
    const Target& target = targets_[request.target];
    std::string body = target.body;
    if (const std::size_t at = body.find("%n"); at != std::string::npos)
      body.replace(at, 2, std::to_string(request.number));
    const std::string text =
        target.head + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
    // Small enough for the buffer of a socket that waits for nothing.
    if (::send(connection.socket, text.data(), text.size(), MSG_NOSIGNAL) !=
        static_cast<ssize_t>(text.size()))
      end(index, 0, true);
  }

  void read_some(long long timeout_ns) {
    epoll_event events[256];
    const timespec time{timeout_ns / second, timeout_ns % second};
    const int count = epoll_pwait2(epoll_, events, 256, &time, nullptr);
    if (count < 0 && errno != EINTR) fail("epoll_pwait2");
    for (int i = 0; i < count; ++i) {
      if (events[i].data.u64 == from_stdin) {
        is_finished_ = true;
        epoll_ctl(epoll_, EPOLL_CTL_DEL, STDIN_FILENO, nullptr);
      } else {
        read(events[i].data.u64);
      }
    }
  }

  void read(std::size_t index) {
    Connection& connection = connections_[index];
    char block[16 * 1024];
    const ssize_t got = ::recv(connection.socket, block, sizeof block, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (got <= 0) {
      if (connection.is_busy)
        end(index, 0, true);
      else
        connect(index);
      return;
    }
    std::string& response = connection.response;
    response.append(block, static_cast<std::size_t>(got));
    const std::size_t head = response.find("\r\n\r\n");
    if (head == std::string::npos) return;
    constexpr std::string_view field = "\r\nContent-Length: ";
    const std::size_t at = response.find(field);
    const std::size_t length =
        at < head ? std::strtoul(response.c_str() + at + field.size(), nullptr, 10) : 0;
    if (response.size() < head + 4 + length) return;
    const bool is_last = response.find("\r\nConnection: close") < head;
    end(index, std::atoi(response.c_str() + std::strlen("HTTP/1.1 ")), is_last);
  }

  void end(std::size_t index, int status, bool is_cut) {
    Connection& connection = connections_[index];
    note(connection.request, status);
    connection.is_busy = false;
    connection.response.clear();
    --busy_;
    if (is_cut) connect(index);
    free_.push_back(index);
    if (waiting_.empty()) return;
    const Request next = waiting_.front();
    waiting_.pop_front();
    send(next);
  }

  void note(const Request& request, int status) {
    Group& group = groups_[targets_[request.target].group];
    ++group.statuses[status];
    group.times.push_back(now() - request.due);
    if (status == 201) group.acknowledged.push_back(request.number);
  }

  const int port_;
  const std::vector<Target> targets_;
  std::vector<Connection> connections_;
  const int epoll_;
  std::deque<std::size_t> free_;
  std::deque<Request> waiting_;  // for a connection
  std::map<std::string, Group> groups_;
  std::size_t busy_ = 0;
  long long asked_ = 0;
  long long latest_ = 0;
  bool is_finished_ = false;
};

std::vector<Target> read_targets(const std::string& path, const std::string& cookie) {
  std::vector<Target> targets;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    Target target;
    std::string method;
    std::string location;
    words >> target.group >> method >> location >> std::ws;
    std::getline(words, target.body);
    target.head = method + " " + location + " HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: " + cookie +
                  "\r\nContent-Type: application/json\r\n";
    targets.push_back(std::move(target));
  }
  if (targets.empty()) fail(path + " has no targets");
  return targets;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 7) {
    std::fprintf(stderr,
                 "usage: tenon-bench-steady PORT RATE CONNECTIONS COOKIE TARGETS ACKNOWLEDGED\n");
    return 2;
  }
  Load load(std::atoi(arguments[1]), read_targets(arguments[5], arguments[4]),
            static_cast<std::size_t>(std::atoi(arguments[3])));
  std::puts("begun");
  std::fflush(stdout);
  load.run(std::atoll(arguments[2]));
  load.print(arguments[6]);
}
