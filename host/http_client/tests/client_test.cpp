#include "http_client/client.hpp"

#include <atomic>
#include <chrono>
#include <stop_token>

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "http_client/limits.hpp"
#include "http_client/tests/lying_server.hpp"
#include "observability/metrics.hpp"

namespace tenon::http_client {
namespace {

using namespace std::chrono_literals;
using test::LyingServer;

const std::string ok = "HTTP/1.1 200 OK\r\nX-Name: value\r\nContent-Length: 2\r\n\r\nok";

std::string redirect_to(const std::string& location, int status = 302) {
  return "HTTP/1.1 " + std::to_string(status) + " Moved\r\nLocation: " + location +
         "\r\nContent-Length: 0\r\n\r\n";
}

class ClientTest : public testing::Test {
 protected:
  static ClientOptions options() {
    ClientOptions made;
    made.networks = {"127.0.0.1"};
    return made;
  }
  ClientRequest request(std::string_view url) const {
    ClientRequest made;
    made.plugin = "probe";
    made.allowed = allowed_;
    made.method = "GET";
    made.url = url;
    return made;
  }
  // Returns the code of the error, or the status.
  std::string result(const ClientRequest& request, Client& client) {
    try {
      return std::to_string(client.send(request, running_).status);
    } catch (const base::Error& error) {
      return error.code();
    }
  }
  std::string result(const ClientRequest& request) { return result(request, client_); }
  std::string result(const std::string& url) { return result(request(url)); }

  std::vector<OriginPattern> allowed_{OriginPattern("http://127.0.0.1:*")};
  observability::Metrics metrics_;
  Client client_{options(), metrics_};
  std::atomic<std::size_t> running_{0};
};

TEST_F(ClientTest, SendsARequest) {
  LyingServer server(
      [](Poco::Net::StreamSocket& client, const std::string&) { test::send(client, ok); });
  const std::string url = server.url() + "/a%2Fb?c=d";
  ClientRequest sent = request(url);
  sent.method = "POST";
  sent.fields = {{"X-Key", "secret"}};
  const ClientResponse response = client_.send(sent, running_);
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, "ok");
  EXPECT_EQ(response.url, url);
  EXPECT_EQ(response.fields.front().name, "X-Name");
  EXPECT_EQ(running_, 0U);
  const std::string head = server.head();
  EXPECT_TRUE(head.starts_with("POST /a%2Fb?c=d HTTP/1.1\r\nHost: 127.0.0.1:")) << head;
  for (const char* field : {"X-Key: secret\r\n", "User-Agent: Tenon (probe)\r\n",
                            "Accept-Encoding: identity\r\n", "Content-Length: 0\r\n"})
    EXPECT_NE(head.find(field), std::string::npos) << field;
}

TEST_F(ClientTest, RefusesWhatIsNotAllowed) {
  LyingServer server(
      [](Poco::Net::StreamSocket& client, const std::string&) { test::send(client, ok); });
  const std::string port = server.url().substr(server.url().rfind(':'));
  EXPECT_EQ(result("http://localhost" + port), "http_client.not_allowed");
  EXPECT_EQ(result("https://127.0.0.1" + port), "http_client.not_allowed");
  // Its name may be used, its address may not.
  allowed_ = {OriginPattern("http://*:*")};
  Client other({}, metrics_);
  for (const char* host : {"127.0.0.1", "localhost", "2130706433", "127.1", "[::ffff:127.0.0.1]",
                           "169.254.169.254", "0", "[::1]"})
    EXPECT_EQ(result(request("http://" + std::string(host) + port), other),
              "http_client.address_refused")
        << host;
  EXPECT_EQ(server.requests(), 0);
}

TEST_F(ClientTest, ChecksRedirects) {
  std::string location;
  LyingServer server([&](Poco::Net::StreamSocket& client, const std::string& target) {
    test::send(client, target == "/from" ? redirect_to(location) : ok);
  });
  location = "/to";
  EXPECT_EQ(client_.send(request(server.url() + "/from"), running_).url, server.url() + "/to");
  location = "http://localhost/";
  EXPECT_EQ(result(server.url() + "/from"), "http_client.not_allowed");
  location = "http://169.254.169.254/latest/meta-data/";
  allowed_.emplace_back("http://*");
  EXPECT_EQ(result(server.url() + "/from"), "http_client.address_refused");
  location = "file:///etc/passwd";
  EXPECT_EQ(result(server.url() + "/from"), "http_client.url_invalid");
  location = "/from";
  EXPECT_EQ(result(server.url() + "/from"), "http_client.too_many_redirects");
  const std::string url = server.url() + "/from";
  ClientRequest first = request(url);
  first.follows_redirects = false;
  EXPECT_EQ(result(first), "302");
}

TEST_F(ClientTest, KeepsSecretsFromOtherOrigins) {
  LyingServer other(
      [](Poco::Net::StreamSocket& client, const std::string&) { test::send(client, ok); });
  LyingServer server([&](Poco::Net::StreamSocket& client, const std::string&) {
    test::send(client, redirect_to(other.url() + "/", 303));
  });
  const std::string url = server.url();
  ClientRequest sent = request(url);
  sent.method = "PUT";
  sent.fields = {{"authorization", "Bearer x"}, {"Content-Type", "text/plain"}, {"X-Key", "y"}};
  EXPECT_EQ(result(sent), "200");
  EXPECT_TRUE(other.head().starts_with("GET / ")) << other.head();
  EXPECT_EQ(other.head().find("Bearer"), std::string::npos);
  EXPECT_EQ(other.head().find("Content-Type"), std::string::npos);
  EXPECT_NE(other.head().find("X-Key: y"), std::string::npos);
}

TEST_F(ClientTest, ChecksRequests) {
  const std::string url = "http://127.0.0.1:1/";
  const auto invalid = [&](auto change) {
    ClientRequest changed = request(url);
    change(changed);
    EXPECT_EQ(result(changed), "http_client.invalid");
  };
  for (const char* method : {"", "GET /", "CONNECT", "TRACE", "G\r\n"})
    invalid([method](ClientRequest& one) { one.method = method; });
  for (const Field& field : std::initializer_list<Field>{{"Host", "x"},
                                                         {"content-length", "1"},
                                                         {"Transfer-Encoding", "chunked"},
                                                         {"X", "a\r\nY: b"},
                                                         {"X Y", "z"},
                                                         {"", "z"},
                                                         {"X", std::string(9000, 'x')}})
    invalid([&field](ClientRequest& one) { one.fields = {field}; });
  invalid([](ClientRequest& one) { one.fields.assign(Limits::fields + 1, {"X", "y"}); });
  invalid([](ClientRequest& one) { one.timeout = 60'001ms; });
  invalid([](ClientRequest& one) { one.max_response = 16 * 1024 * 1024 + 1; });
  const std::string body(Limits::request_body + 1, 'x');
  ClientRequest large = request(url);
  large.body = body;
  EXPECT_EQ(result(large), "http_client.request_too_large");
}

TEST_F(ClientTest, EndsAtItsTimeout) {
  LyingServer silent([](Poco::Net::StreamSocket& client, const std::string&) {
    char byte = 0;
    client.receiveBytes(&byte, 1);
  });
  const std::string url = silent.url();
  ClientRequest sent = request(url);
  sent.timeout = 50ms;
  EXPECT_EQ(result(sent), "http_client.timeout");
}

TEST_F(ClientTest, EndsWhenItsPluginStops) {
  std::stop_source stop;
  LyingServer silent([&stop](Poco::Net::StreamSocket& client, const std::string&) {
    stop.request_stop();
    char byte = 0;
    client.receiveBytes(&byte, 1);
  });
  const std::string url = silent.url();
  ClientRequest sent = request(url);
  sent.stop = stop.get_token();
  EXPECT_EQ(result(sent), "http_client.cancelled");
}

TEST_F(ClientTest, BoundsCallsAtOnce) {
  ClientOptions one_call = options();
  one_call.plugin_calls = 1;
  Client bounded(one_call, metrics_);
  std::string inner;
  LyingServer server([&](Poco::Net::StreamSocket& client, const std::string&) {
    inner = result(request("http://127.0.0.1:1/"), bounded);
    test::send(client, ok);
  });
  EXPECT_EQ(result(request(server.url()), bounded), "200");
  EXPECT_EQ(inner, "http_client.busy");
  // All plugins share another limit.
  one_call.plugin_calls = 8;
  one_call.all_calls = 1;
  Client shared(one_call, metrics_);
  LyingServer second([&](Poco::Net::StreamSocket& client, const std::string&) {
    inner = result(request("http://127.0.0.1:1/"), shared);
    test::send(client, ok);
  });
  inner.clear();
  EXPECT_EQ(result(request(second.url()), shared), "200");
  EXPECT_EQ(inner, "http_client.busy");
}

TEST_F(ClientTest, CountsByResult) {
  LyingServer server([](Poco::Net::StreamSocket& client, const std::string& target) {
    test::send(client, target == "/gone" ? "HTTP/1.1 404 Gone\r\nContent-Length: 0\r\n\r\n" : ok);
  });
  result(server.url() + "/");
  result(server.url() + "/gone");
  result("http://127.0.0.1:1/");
  const auto count = [this](std::string_view result) {
    return metrics_
        .counter("tenon_http_client_requests_total",
                 "Requests of plugins to other servers, by class of status or by error.",
                 {{"plugin", "probe"}, {"result", result}})
        .value();
  };
  EXPECT_EQ(count("2xx"), 1U);
  EXPECT_EQ(count("4xx"), 1U);
  EXPECT_EQ(count("unreachable"), 1U);
}

}  // namespace
}  // namespace tenon::http_client
