// The limit that routes are measured against: one thread, one epoll loop, nothing of HTTP but the
// end of the head and the id in the target. With a database it steps a statement kept prepared and
// appends its rows as JSON: GET /…/tasks lists 50, newest first, GET /…/tasks/{id} gets one. With
// --fixed it returns 1 KB. TABLE is the table of tasks, CONDITION selects those that
// are listed. Prints "ready" when it listens; the first signal ends it. Usage:
// tenon-bench-bare-server PORT DATABASE [TABLE [CONDITION]] | PORT --fixed

#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sqlite3.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "json_bytes.hpp"

namespace {

using bench::append_text;
using bench::Bytes;

[[noreturn]] void fail(const char* what, const char* why) {
  std::fprintf(stderr, "bare server: %s: %s\n", what, why);
  std::exit(1);
}

// A statement kept prepared, with the names of its columns ready to be written.
class Statement {
 public:
  Statement(sqlite3* database, const char* sql) {
    if (sqlite3_prepare_v3(database, sql, -1, SQLITE_PREPARE_PERSISTENT, &statement_, nullptr) !=
        SQLITE_OK)
      fail(sql, sqlite3_errmsg(database));
    for (int column = 0; column < sqlite3_column_count(statement_); ++column)
      names_.push_back(std::string(column == 0 ? "{\"" : ",\"") +
                       sqlite3_column_name(statement_, column) + "\":");
  }

  void bind(std::string_view text) {
    sqlite3_bind_text(statement_, 1, text.data(), static_cast<int>(text.size()), SQLITE_STATIC);
  }

  // Appends the rows as objects with commas between and rewinds; returns how many.
  int append_rows(Bytes& out) {
    int rows = 0;
    int code = SQLITE_ROW;
    while ((code = sqlite3_step(statement_)) == SQLITE_ROW) {
      out.room(1);
      if (rows++ > 0) out.put(',');
      for (int column = 0; column < static_cast<int>(names_.size()); ++column) {
        const std::string& name = names_[static_cast<std::size_t>(column)];
        out.room(name.size() + 32);
        out.put(name);
        append_cell(out, sqlite3_column_value(statement_, column));
      }
      out.room(1);
      out.put('}');
    }
    if (code != SQLITE_DONE) fail("step", sqlite3_errmsg(sqlite3_db_handle(statement_)));
    sqlite3_reset(statement_);
    return rows;
  }

 private:
  // The caller reserves space for a number or null.
  static void append_cell(Bytes& out, sqlite3_value* cell) {
    switch (sqlite3_value_type(cell)) {
      case SQLITE_INTEGER: {
        char digits[24];
        const auto end = std::to_chars(digits, digits + sizeof digits, sqlite3_value_int64(cell));
        out.put({digits, static_cast<std::size_t>(end.ptr - digits)});
        return;
      }
      case SQLITE_TEXT: {
        const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(cell));
        append_text(out, {text, static_cast<std::size_t>(sqlite3_value_bytes(cell))});
        return;
      }
      default:
        out.put("null");
    }
  }

  sqlite3_stmt* statement_ = nullptr;
  std::vector<std::string> names_;
};

constexpr const char* select_from =
    "SELECT id, title, body, status, priority, assignee, created, updated FROM ";

class Responder {
 public:
  Responder(const char* path, const std::string& table, const std::string& where)
      : mark_("/" + table) {
    if (std::strcmp(path, "--fixed") == 0) {
      const std::string kilobyte(1024, 'x');
      body_.room(kilobyte.size());
      body_.put(kilobyte);
      append_response(fixed_, "200 OK", "text/plain");
      return;
    }
    if (sqlite3_open_v2(path, &database_, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, nullptr) !=
        SQLITE_OK)
      fail(path, sqlite3_errmsg(database_));
    sqlite3_exec(database_, "PRAGMA cache_size = -2000; PRAGMA cell_size_check = ON", nullptr,
                 nullptr, nullptr);
    const std::string from = select_from + table;
    const std::string condition = where.empty() ? "" : " WHERE " + where;
    list_.emplace(database_,
                  (from + condition + " ORDER BY created DESC, rowid DESC LIMIT 50").c_str());
    get_.emplace(database_, (from + " WHERE id = ?").c_str());
  }

  void append(Bytes& out, std::string_view head) {
    if (database_ == nullptr) {
      out.room(fixed_.view().size());
      out.put(fixed_.view());
      return;
    }
    const std::string_view mark = mark_;
    const std::string_view target = head.substr(0, head.find(" HTTP/"));
    const auto found = target.find(mark);
    body_.clear();
    body_.room(16);
    if (found == std::string_view::npos) {
      append_response(out, "404 Not Found", "text/plain");
    } else if (found + mark.size() == target.size()) {
      body_.put("{\"items\":[");
      list_->append_rows(body_);
      body_.room(2);
      body_.put("]}");
      append_response(out, "200 OK", "application/json");
    } else {
      get_->bind(target.substr(found + mark.size() + 1));
      const bool is_found = get_->append_rows(body_) > 0;
      append_response(out, is_found ? "200 OK" : "404 Not Found", "application/json");
    }
  }

 private:
  void append_response(Bytes& out, std::string_view status, std::string_view type) const {
    const std::string_view body = body_.view();
    out.room(body.size() + 256);
    const std::string length = std::to_string(body.size());
    for (const std::string_view part :
         {std::string_view("HTTP/1.1 "), status, std::string_view("\r\nContent-Type: "), type,
          std::string_view("\r\nContent-Length: "), std::string_view(length),
          std::string_view("\r\n\r\n"), body})
      out.put(part);
  }

  const std::string mark_;
  sqlite3* database_ = nullptr;
  std::optional<Statement> list_;
  std::optional<Statement> get_;
  Bytes body_;
  Bytes fixed_;
};

struct Peer {
  std::string in;
  Bytes out;
};

// Sends pending bytes; false if the connection has ended.
bool send_out(int socket, Peer& peer) {
  std::size_t sent = 0;
  const std::string_view out = peer.out.view();
  while (sent < out.size()) {
    const ssize_t count = send(socket, out.data() + sent, out.size() - sent, MSG_NOSIGNAL);
    if (count < 0 && errno == EAGAIN) break;
    if (count < 0) return false;
    sent += static_cast<std::size_t>(count);
  }
  peer.out.drop(sent);
  return true;
}

// Reads once and responds to every whole request; false if the connection has ended.
bool serve(int socket, Peer& peer, Responder& responder) {
  char piece[16384];
  const ssize_t count = recv(socket, piece, sizeof piece, 0);
  if (count == 0 || (count < 0 && errno != EAGAIN)) return false;
  if (count > 0) {
    peer.in.append(piece, static_cast<std::size_t>(count));
    std::string_view rest = peer.in;
    for (auto end = rest.find("\r\n\r\n"); end != std::string_view::npos;
         end = rest.find("\r\n\r\n")) {
      responder.append(peer.out, rest.substr(0, end));
      rest.remove_prefix(end + 4);
    }
    peer.in.erase(0, peer.in.size() - rest.size());
  }
  return send_out(socket, peer);
}

int listen_on(int port) {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  const int on = 1;
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
    fail("bind", std::strerror(errno));
  if (listen(listener, 4096) != 0) fail("listen", std::strerror(errno));
  return listener;
}

[[noreturn]] void loop(int listener, Responder& responder) {
  const int poll = epoll_create1(EPOLL_CLOEXEC);
  epoll_event wanted{};
  wanted.events = EPOLLIN;
  wanted.data.fd = listener;
  epoll_ctl(poll, EPOLL_CTL_ADD, listener, &wanted);
  std::vector<Peer> peers;
  for (;;) {
    epoll_event events[256];
    const int ready = epoll_wait(poll, events, 256, -1);
    for (int i = 0; i < ready; ++i) {
      const int socket = events[i].data.fd;
      if (socket != listener) {
        Peer& peer = peers[static_cast<std::size_t>(socket)];
        const bool was_held = !peer.out.view().empty();
        if (was_held ? !send_out(socket, peer) : !serve(socket, peer, responder)) {
          close(socket);
          peer = Peer();
        } else if (was_held != !peer.out.view().empty()) {
          // Nothing is read from a slow reader until it has taken its response.
          wanted.events = was_held ? EPOLLIN : EPOLLOUT;
          wanted.data.fd = socket;
          epoll_ctl(poll, EPOLL_CTL_MOD, socket, &wanted);
        }
        continue;
      }
      for (int client = accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
           client >= 0;
           client = accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)) {
        const int on = 1;
        setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        if (peers.size() <= static_cast<std::size_t>(client))
          peers.resize(static_cast<std::size_t>(client) + 1);
        wanted.events = EPOLLIN;
        wanted.data.fd = client;
        epoll_ctl(poll, EPOLL_CTL_ADD, client, &wanted);
      }
    }
  }
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 3 || count > 5) {
    std::fputs("usage: tenon-bench-bare-server PORT DATABASE [TABLE [CONDITION]] | PORT --fixed\n",
               stderr);
    return 2;
  }
  const auto argument = [&](int at, const char* absent) {
    return std::string(count > at ? arguments[at] : absent);
  };
  Responder responder(arguments[2], argument(3, "tasks"), argument(4, ""));
  const int listener = listen_on(std::atoi(arguments[1]));
  std::puts("ready");
  std::fflush(stdout);
  loop(listener, responder);
}
