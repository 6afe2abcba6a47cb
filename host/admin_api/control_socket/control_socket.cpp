#include "admin_api/control_socket/control_socket.hpp"

#include <cerrno>
#include <condition_variable>
#include <list>
#include <mutex>
#include <sstream>
#include <thread>
#include <utility>
#include <vector>

#include <Poco/JSON/Object.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "admin_api/control_socket/commands.hpp"
#include "admin_api/control_socket/local_socket.hpp"
#include "base/error.hpp"
#include "base/json.hpp"
#include "base/json_writer.hpp"
#include "base/problem.hpp"
#include "observability/log.hpp"

namespace tenon::console {

namespace {

std::string refusal(const base::Error& error) {
  std::string text;
  base::JsonWriter(text)
      .begin_object()
      .member("ok", false)
      .key("error")
      .raw(base::problem_json(error, {}))
      .end_object();
  return text;
}

std::string run_request(const Commands& commands, const std::string& line) {
  try {
    const auto request =
        base::parse_json_object(line, {.max_bytes = ControlServer::max_request_bytes});
    std::ostringstream arguments;
    if (const auto object = request->getObject("arguments"))
      object->stringify(arguments);
    else
      arguments << "{}";
    const std::string result =
        commands.run(request->optValue<std::string>("command", ""), arguments.str());
    std::string text;
    base::JsonWriter(text).begin_object().member("ok", true).key("result").raw(result).end_object();
    return text;
  } catch (const base::Error& error) {
    return refusal(error);
  } catch (const std::exception& failure) {
    observability::log_error("a command of the control socket failed",
                             {{"reason", failure.what()}});
    return refusal({500, "console.internal", "The command failed; the server's log says more."});
  }
}

}  // namespace

class ControlServer::Implementation {
 public:
  Implementation(const std::string& data_directory, const Commands& commands)
      : commands_(commands),
        path_(data_directory + "/" + std::string(control_socket_name)),
        listening_(listen_local(data_directory, control_socket_name)),
        wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (!wake_) throw_socket_failure("An event descriptor cannot be made", errno);
    thread_ = std::thread([this] { accept_all(); });
  }

  ~Implementation() {
    const std::uint64_t one = 1;
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
      for (Connection& connection : connections_)
        connection.socket.shut_down_reading();
    }
    free_.notify_all();
    if (::write(wake_.get(), &one, sizeof one) < 0)
      observability::log_error("the control socket could not be woken");
    thread_.join();
    // No new connections from here on; a running command finishes and gets its response.
    for (Connection& connection : connections_)
      connection.thread.join();
    ::unlink(path_.c_str());
  }

 private:
  struct Connection {
    explicit Connection(base::UniqueFd descriptor)
        : socket(std::move(descriptor), max_request_bytes) {}
    LineSocket socket;
    std::thread thread;
    bool is_done = false;
  };

  void accept_all() {
    while (wait_for_room()) {
      pollfd waiting[] = {{listening_.get(), POLLIN, 0}, {wake_.get(), POLLIN, 0}};
      if (::poll(waiting, 2, -1) < 0 && errno != EINTR) return;
      if (waiting[0].revents == 0) continue;
      base::UniqueFd accepted(::accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (!accepted) {
        // Out of descriptors, most likely: the connection waits in the queue, and so does this
        // thread.
        std::unique_lock lock(mutex_);
        free_.wait_for(lock, std::chrono::milliseconds(100), [this] { return stopping_; });
        continue;
      }
      if (is_peer_trusted(accepted.get()))
        serve(std::move(accepted));
      else
        observability::log_warning("refused a process of another user at the control socket");
    }
  }

  // False when the server stops.
  bool wait_for_room() {
    std::list<Connection> done;
    {
      std::unique_lock lock(mutex_);
      free_.wait(lock, [this] { return stopping_ || open_ < max_connections; });
      for (auto connection = connections_.begin(); connection != connections_.end();) {
        const auto next = std::next(connection);
        if (connection->is_done) done.splice(done.end(), connections_, connection);
        connection = next;
      }
      if (stopping_) {
        connections_.splice(connections_.end(), done);
        return false;
      }
    }
    for (Connection& connection : done)
      connection.thread.join();
    return true;
  }

  void serve(base::UniqueFd descriptor) {
    const std::lock_guard lock(mutex_);
    Connection& connection = connections_.emplace_back(std::move(descriptor));
    ++open_;
    connection.thread = std::thread([this, &connection] {
      talk(connection.socket);
      const std::lock_guard done(mutex_);
      connection.is_done = true;
      --open_;
      free_.notify_all();
    });
    if (stopping_) connection.socket.shut_down_reading();
  }

  void talk(LineSocket& socket) {
    std::string line;
    while (true) {
      switch (socket.read_line(line, io_timeout)) {
        case LineSocket::Result::line:
          break;
        case LineSocket::Result::too_long:
          socket.write_line(
              refusal({413, "console.request_too_large", "The request has more than 1 MiB."}),
              io_timeout);
          socket.shut_down();
          return;
        case LineSocket::Result::closed:
        case LineSocket::Result::timeout:
          socket.shut_down();
          return;
      }
      if (!socket.write_line(run_request(commands_, line), io_timeout)) return;
    }
  }

  const Commands& commands_;
  const std::string path_;
  base::UniqueFd listening_;
  base::UniqueFd wake_;
  std::mutex mutex_;
  std::condition_variable free_;
  std::list<Connection> connections_;
  std::size_t open_ = 0;
  bool stopping_ = false;
  std::thread thread_;
};

ControlServer::ControlServer(const std::string& data_directory, const Commands& commands)
    : implementation_(std::make_unique<Implementation>(data_directory, commands)) {}
ControlServer::~ControlServer() = default;

namespace {

[[noreturn]] void throw_refusal(const Poco::JSON::Object& problem) {
  std::vector<base::FieldError> fields;
  if (const auto errors = problem.getArray("errors")) {
    for (unsigned i = 0; i < errors->size(); ++i) {
      const auto field = errors->getObject(i);
      fields.push_back({field->optValue<std::string>("field", ""),
                        field->optValue<std::string>("code", ""),
                        field->optValue<std::string>("message", "")});
    }
  }
  throw base::Error(problem.optValue<int>("status", 500),
                    problem.optValue<std::string>("code", "console.internal"),
                    problem.optValue<std::string>("detail", "The command failed."),
                    std::move(fields));
}

// The text of a member "result" of an object whose first members are known: what the command wrote,
// byte for byte.
std::string take_result(const std::string& line) {
  static constexpr std::string_view before = R"({"ok":true,"result":)";
  if (!line.starts_with(before) || !line.ends_with('}')) {
    throw base::Error(500, "console.socket_failed", "The response of the server is invalid.");
  }
  return line.substr(before.size(), line.size() - before.size() - 1);
}

}  // namespace

std::optional<std::string> call_server(const std::string& data_directory, std::string_view command,
                                       std::string_view arguments,
                                       std::chrono::milliseconds timeout) {
  base::UniqueFd connected = connect_local(data_directory, control_socket_name);
  if (!connected) return std::nullopt;
  // Arguments hold passwords, which must not reach a stranger's socket. Root may talk to the
  // service's own user.
  if (::geteuid() != 0 && !is_peer_trusted(connected.get())) {
    throw base::Error(403, "console.not_allowed",
                      "The socket in " + data_directory + " belongs to another user.");
  }
  static constexpr std::size_t max_response_bytes = 64 * 1024 * 1024;
  LineSocket socket(std::move(connected), max_response_bytes);
  std::string request;
  base::JsonWriter(request)
      .begin_object()
      .member("command", command)
      .key("arguments")
      .raw(arguments)
      .end_object();
  std::string line;
  if (!socket.write_line(std::move(request), timeout) ||
      socket.read_line(line, timeout) != LineSocket::Result::line) {
    throw base::Error(500, "console.socket_failed", "The server did not respond; see its log.");
  }
  const auto response = base::parse_json_object(line, {.max_bytes = max_response_bytes});
  if (!response->optValue<bool>("ok", false)) {
    const auto problem = response->getObject("error");
    throw_refusal(problem ? *problem : Poco::JSON::Object());
  }
  return take_result(line);
}

}  // namespace tenon::console
