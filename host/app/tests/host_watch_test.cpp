#include "app/supervisor/host_watch.hpp"

#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <memory>
#include <vector>

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tenon::app {
namespace {

using std::chrono::seconds;

std::size_t open_descriptors() {
  return static_cast<std::size_t>(
      std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {}));
}

// A socket that listens, the memory of two I/O threads, and a process that only exists.
class Watched : public testing::Test {
 protected:
  Watched() {
    EXPECT_EQ(::ftruncate(area_, sizeof(plugins::CrashArea)), 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::bind(listening_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(::listen(listening_, 1), 0);
    beat();
    host_ = ::fork();
    if (host_ == 0) {
      for (;;)
        ::pause();
    }
    watch_ = std::make_unique<HostWatch>(host_, listening_, area_, seconds(0));
  }
  ~Watched() override {
    ::kill(host_, SIGKILL);
    ::waitpid(host_, nullptr, 0);
    ::close(listening_);
    ::close(area_);
  }
  void beat(std::size_t threads = 2) {
    ++count_;
    for (std::size_t i = 0; i < threads; ++i) {
      const auto offset = offsetof(plugins::CrashArea, beats) + i * sizeof count_;
      EXPECT_EQ(::pwrite(area_, &count_, sizeof count_, static_cast<off_t>(offset)),
                static_cast<ssize_t>(sizeof count_));
    }
  }

  std::unique_ptr<HostWatch> watch_;
  const int listening_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int area_ = ::memfd_create("tenon-test", MFD_CLOEXEC);
  pid_t host_ = -1;
  std::uint64_t count_ = 0;
};

TEST_F(Watched, IsSilentWhenOneThreadStalls) {
  beat(1);
  EXPECT_FALSE(watch_->is_silent(seconds(2)));
  EXPECT_FALSE(watch_->is_silent(seconds(4)));
  EXPECT_TRUE(watch_->is_silent(seconds(6)));
  beat();
  EXPECT_FALSE(watch_->is_silent(seconds(8)));
  EXPECT_FALSE(watch_->is_silent(seconds(12)));
}

TEST_F(Watched, IsNotSilentBecauseItsSupervisorSlept) {
  EXPECT_FALSE(watch_->is_silent(seconds(60)));
  beat();
  EXPECT_FALSE(watch_->is_silent(seconds(62)));
  EXPECT_FALSE(watch_->is_silent(seconds(120)));
  EXPECT_FALSE(watch_->is_silent(seconds(122)));
  EXPECT_TRUE(watch_->is_silent(seconds(124)));
}

TEST_F(Watched, IsNotSilentInADebugger) {
  ASSERT_EQ(::ptrace(PTRACE_SEIZE, host_, nullptr, nullptr), 0);
  for (int look = 1; look < 10; ++look)
    EXPECT_FALSE(watch_->is_silent(seconds(2 * look)));
  ASSERT_EQ(::ptrace(PTRACE_INTERRUPT, host_, nullptr, nullptr), 0);
  ASSERT_EQ(::waitpid(host_, nullptr, __WALL), host_);
  ASSERT_EQ(::ptrace(PTRACE_DETACH, host_, nullptr, nullptr), 0);
  EXPECT_FALSE(watch_->is_silent(seconds(20)));
  EXPECT_FALSE(watch_->is_silent(seconds(22)));
  EXPECT_TRUE(watch_->is_silent(seconds(24)));
}

TEST_F(Watched, ServesWithAFullBacklogAndOneDescriptor) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  ASSERT_EQ(::getsockname(listening_, reinterpret_cast<sockaddr*>(&address), &size), 0);
  std::vector<int> waiting;
  for (int i = 0; i < 8; ++i) {
    waiting.push_back(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    static_cast<void>(::connect(waiting.back(), reinterpret_cast<const sockaddr*>(&address), size));
  }
  const std::size_t open = open_descriptors();
  for (int look = 1; look < 10; ++look) {
    beat();
    EXPECT_FALSE(watch_->is_silent(seconds(2 * look)));
  }
  EXPECT_EQ(open_descriptors(), open);
  for (const int socket : waiting)
    ::close(socket);
}

}  // namespace
}  // namespace tenon::app
