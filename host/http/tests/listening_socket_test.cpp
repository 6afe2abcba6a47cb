#include "http/loop/listening_socket.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/error.hpp"
#include "raw_client.hpp"
#include "test_server.hpp"

namespace tenon::http::test {

namespace {

std::uint16_t port_of(int descriptor) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  ::getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &size);
  return ntohs(address.sin_port);
}

}  // namespace

TEST(ListeningSocket, OutlivesTheServerThatAccepts) {
  const int kept = open_listening_socket("127.0.0.1", 0);
  const auto takes_it = [kept](ServerOptions& options) { options.listening = ::dup(kept); };
  {
    TestServer first(takes_it);
    first.echo("/first").start();
    EXPECT_EQ(first.http_server->port(), port_of(kept));
    RawClient client(port_of(kept));
    client.send("GET /first HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_EQ(client.read_reply().status, 200);
  }
  RawClient waiting(port_of(kept));
  waiting.send("GET /second HTTP/1.1\r\nHost: x\r\n\r\n");
  TestServer second(takes_it);
  second.echo("/second").start();
  EXPECT_EQ(waiting.read_reply().body, "/second:");
  ::close(kept);
}

TEST(ListeningSocket, PrefersTheFirstIpVersion) {
  const int descriptor = open_listening_socket("localhost", 0);
  EXPECT_EQ(RawClient(port_of(descriptor)).send(""), true);
  ::close(descriptor);
}

TEST(ListeningSocket, NamesAnUnknownHost) {
  try {
    open_listening_socket("no such host", 80);
    FAIL() << "it listens";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.code(), "http.listen_failed");
    EXPECT_NE(error.message().find("no such host:80: "), std::string::npos) << error.message();
  }
}

}  // namespace tenon::http::test
