#include "http/connection/output.hpp"

#include <string>

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

namespace tenon::http {
namespace {

class OutputTest : public testing::Test {
 protected:
  OutputTest() { EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends_), 0); }
  ~OutputTest() override {
    ::close(ends_[0]);
    ::close(ends_[1]);
  }
  // Returns up to `max` bytes that are in the socket.
  std::string read(std::size_t max) {
    std::string block(max, '\0');
    const ssize_t got = ::recv(ends_[1], block.data(), block.size(), 0);
    block.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return block;
  }

  int ends_[2];
  BufferPool pool_;
  Output output_{pool_};
};

TEST_F(OutputTest, BoundsTheMemoryForASlowReader) {
  const std::string block = "0123456789abcdef" + std::string(16 * 1024, 'x');
  std::string expected;
  std::string read_so_far;
  std::size_t max = 0;
  for (int i = 0; i < 2000; ++i) {
    while (output_.pending() < 256 * 1024) {
      output_.text().append(block);
      output_.appended();
      expected += block;
    }
    ASSERT_NE(output_.write_to(ends_[0]), Output::Result::failed);
    ASSERT_FALSE(output_.is_empty()) << "the reader is not slower than the writer";
    read_so_far += read(20'000);
    max = std::max(max, output_.memory());
  }
  EXPECT_LT(max, 1024U * 1024);
  while (!output_.is_empty()) {
    read_so_far += read(1 << 20);
    ASSERT_NE(output_.write_to(ends_[0]), Output::Result::failed);
  }
  for (std::string more = read(1 << 20); !more.empty(); more = read(1 << 20))
    read_so_far += more;
  EXPECT_TRUE(read_so_far == expected);
  EXPECT_EQ(output_.memory(), 0U);
}

TEST_F(OutputTest, KeepsTheOrderOfTextsOfEveryKind) {
  output_.text().append("a");
  output_.appended();
  output_.append(std::make_shared<const std::string>("b"));
  output_.text().append("c");
  output_.appended();
  output_.append(std::string("d"));
  output_.text().append("e");
  output_.appended();
  EXPECT_EQ(output_.pending(), 5U);
  EXPECT_EQ(output_.write_to(ends_[0]), Output::Result::done);
  EXPECT_EQ(read(100), "abcde");
  EXPECT_EQ(output_.total_written(), 5U);
}

}  // namespace
}  // namespace tenon::http
