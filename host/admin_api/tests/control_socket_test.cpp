#include "admin_api/control_socket/control_socket.hpp"

#include <atomic>
#include <filesystem>
#include <fstream>
#include <future>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "admin_api/control_socket/commands.hpp"
#include "admin_api/control_socket/local_socket.hpp"
#include "base/error.hpp"

namespace tenon::console {

namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

class ControlSocket : public testing::Test {
 protected:
  ControlSocket() {
    // Longer than the address of a Unix socket may be.
    folder_ = fs::path(testing::TempDir()) / ("tenon-control-" + std::to_string(::getpid())) /
              std::string(120, 'd');
    fs::create_directories(folder_);
    commands_.add("echo", [](std::string_view arguments) { return std::string(arguments); });
    commands_.add("refuse", [](std::string_view) -> std::string {
      throw base::Error(409, "plugins.busy", "Not \"now\".\nLater.",
                        {{"id", "taken", "It is taken."}});
    });
    commands_.add("crash", [](std::string_view) -> std::string {
      throw std::runtime_error("secret inside");
    });
    commands_.add("wait", [this](std::string_view) -> std::string {
      ++waiting_;
      release_.get_future().wait();
      return "{}";
    });
  }
  ~ControlSocket() override { fs::remove_all(folder_.parent_path()); }

  std::optional<std::string> call(std::string_view command, std::string_view arguments = "{}") {
    return call_server(folder_, command, arguments, 30s);
  }

  LineSocket connect() {
    return LineSocket(connect_local(folder_, control_socket_name), 1024 * 1024);
  }

  fs::path folder_;
  Commands commands_;
  std::atomic<int> waiting_{0};
  std::promise<void> release_;
};

}  // namespace

TEST_F(ControlSocket, RunsCommandsOfTheServer) {
  EXPECT_EQ(call("echo"), std::nullopt) << "no server";
  {
    const ControlServer server(folder_, commands_);
    EXPECT_EQ(call("echo", R"({"a":[1,2.5,"x\n\"y"],"b":{}})"), R"({"a":[1,2.5,"x\n\"y"],"b":{}})");
    EXPECT_EQ(call("echo", "{}"), "{}");
  }
  EXPECT_EQ(call("echo"), std::nullopt) << "no server any more";
  EXPECT_FALSE(fs::exists(folder_ / control_socket_name));
}

TEST_F(ControlSocket, CarriesRefusalsWhole) {
  const ControlServer server(folder_, commands_);
  try {
    call("refuse");
    ADD_FAILURE() << "not refused";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.status(), 409);
    EXPECT_EQ(error.code(), "plugins.busy");
    EXPECT_EQ(error.message(), "Not \"now\".\nLater.");
    ASSERT_EQ(error.fields().size(), 1U);
    EXPECT_EQ(error.fields()[0].field, "id");
  }
  const auto code = [&](std::string_view command) {
    try {
      call(command);
    } catch (const base::Error& error) {
      EXPECT_EQ(error.message().find("secret"), std::string::npos);
      return error.code();
    }
    return std::string();
  };
  EXPECT_EQ(code("crash"), "console.internal");
  EXPECT_EQ(code("no such command"), "console.unknown_command");
  EXPECT_EQ(call("echo"), "{}") << "and continues";
}

TEST_F(ControlSocket, IsForItsOwnUserOnly) {
  const ControlServer server(folder_, commands_);
  struct stat status {};
  ASSERT_EQ(::stat((folder_ / control_socket_name).c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
  EXPECT_TRUE(S_ISSOCK(status.st_mode));
}

TEST_F(ControlSocket, AnotherUserIsNotHeard) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root to become another user";
  const ControlServer server(folder_, commands_);
  // The walls around it are opened, so that only the question who is there is left.
  for (const fs::path& wall : {folder_, folder_.parent_path()})
    ::chmod(wall.c_str(), 0777);
  ::chmod((folder_ / control_socket_name).c_str(), 0777);
  const pid_t child = ::fork();
  if (child == 0) {
    if (::setuid(65'534) != 0) ::_exit(3);
    const base::UniqueFd socket = connect_local(folder_, control_socket_name);
    if (!socket) ::_exit(4);
    const std::string_view request = "{\"command\":\"echo\"}\n";
    static_cast<void>(!::send(socket.get(), request.data(), request.size(), MSG_NOSIGNAL));
    char response = 0;
    ::_exit(::recv(socket.get(), &response, 1, 0) > 0 ? 1 : 0);
  }
  int result = 0;
  ASSERT_EQ(::waitpid(child, &result, 0), child);
  // 4: a folder above keeps the other user out, which is as good.
  EXPECT_TRUE(WEXITSTATUS(result) == 0 || WEXITSTATUS(result) == 4) << WEXITSTATUS(result);
}

TEST_F(ControlSocket, ReplacesASocketThatACrashLeft) {
  { const base::UniqueFd left = listen_local(folder_, control_socket_name); }
  EXPECT_TRUE(fs::exists(folder_ / control_socket_name));
  EXPECT_EQ(call("echo"), std::nullopt);
  const ControlServer server(folder_, commands_);
  EXPECT_EQ(call("echo"), "{}");
}

TEST_F(ControlSocket, SaysWhatIsWrongWithARequest) {
  const ControlServer server(folder_, commands_);
  LineSocket socket = connect();
  std::string line;
  for (const char* request :
       {"", "no json", "[]", "{}", R"({"command":1})", R"({"command":"echo","command":"echo"})"}) {
    ASSERT_TRUE(socket.write_line(request, 10s));
    ASSERT_EQ(socket.read_line(line, 10s), LineSocket::Result::line) << request;
    EXPECT_TRUE(line.starts_with(R"({"ok":false,"error":{)")) << line;
  }
  ASSERT_TRUE(socket.write_line(R"({"command":"echo","arguments":{"a":1}})", 10s));
  ASSERT_EQ(socket.read_line(line, 10s), LineSocket::Result::line);
  EXPECT_EQ(line, R"({"ok":true,"result":{"a":1}})");
}

TEST_F(ControlSocket, RefusesEndlessRequests) {
  const ControlServer server(folder_, commands_);
  LineSocket socket = connect();
  // Whether all of it is taken depends on when the server stops listening.
  static_cast<void>(
      socket.write_line(std::string(ControlServer::max_request_bytes + 100'000, 'x'), 10s));
  std::string line;
  if (socket.read_line(line, 10s) == LineSocket::Result::line) {
    EXPECT_NE(line.find("console.request_too_large"), std::string::npos);
  }
  EXPECT_NE(socket.read_line(line, 10s), LineSocket::Result::line);
  EXPECT_EQ(call("echo"), "{}");
}

TEST_F(ControlSocket, ServesSeveralAtOnceAndTheRestAfterwards) {
  const ControlServer server(folder_, commands_);
  std::atomic<int> response_count{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 40; ++i) {
    threads.emplace_back([&, i] {
      const std::string arguments = "{\"i\":" + std::to_string(i) + "}";
      if (call("echo", arguments) == arguments) ++response_count;
    });
  }
  for (auto& thread : threads)
    thread.join();
  EXPECT_EQ(response_count, 40);
}

TEST_F(ControlSocket, FinishesWhatRunsBeforeItEnds) {
  auto server = std::make_unique<ControlServer>(folder_, commands_);
  auto response = std::async(std::launch::async, [&] { return call("wait"); });
  while (waiting_ == 0)
    std::this_thread::yield();
  auto ended = std::async(std::launch::async, [&] { server.reset(); });
  EXPECT_EQ(ended.wait_for(50ms), std::future_status::timeout);
  release_.set_value();
  EXPECT_EQ(response.get(), "{}");
  ended.get();
}

TEST_F(ControlSocket, StopsDespiteSilentClient) {
  auto server = std::make_unique<ControlServer>(folder_, commands_);
  std::vector<LineSocket> silent;
  for (std::size_t i = 0; i < ControlServer::max_connections + 2; ++i)
    silent.push_back(connect());
  server.reset();
  EXPECT_FALSE(fs::exists(folder_ / control_socket_name));
}

TEST_F(ControlSocket, NeedsItsFolder) {
  try {
    const ControlServer server(folder_ / "missing", commands_);
    ADD_FAILURE();
  } catch (const base::Error& error) {
    EXPECT_EQ(error.code(), "console.socket_failed");
  }
  EXPECT_EQ(call_server(folder_ / "missing", "echo", "{}"), std::nullopt);
}

}  // namespace tenon::console
