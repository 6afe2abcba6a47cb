#include <atomic>
#include <filesystem>
#include <thread>

#include <Poco/Exception.h>
#include <Poco/Net/StreamSocket.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "http_client/limits.hpp"
#include "http_client/tests/lying_server.hpp"
#include "packages/signature/signature.hpp"
#include "packages/tests/plugin_folder.hpp"
#include "registry/fetch.hpp"
#include "registry/limits.hpp"
#include "registry/tests/registry_fixture.hpp"

namespace tenon::plugins {
namespace {

using namespace std::chrono_literals;

constexpr const char* unreachable = "plugins.registry_unreachable";
constexpr const char* download_too_large = "plugins.registry_too_large";
constexpr const char* download_damaged = "plugins.registry_damaged";

using http_client::test::LyingServer;
using http_client::test::send;

std::string response_of(const std::string& body, const std::string& fields = {}) {
  return "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" + fields +
         "\r\n" + body;
}

FetchBounds bounds(std::chrono::milliseconds time = 30s) {
  return {std::chrono::steady_clock::now() + time};
}

std::string fetched(const std::string& url, std::uint64_t max_bytes = 1000,
                    const FetchBounds& within = bounds()) {
  std::string content;
  fetch_file(RegistryLocation(url), "x", max_bytes, within,
             [&content](std::string_view piece) { content += piece; });
  return content;
}
std::string refused_fetch(const std::string& url, std::uint64_t max_bytes = 1000,
                          const FetchBounds& within = bounds()) {
  return test::refused([&] { fetched(url, max_bytes, within); });
}
// Returns the error for a server that sends this response to every request.
std::string refused_response(const std::string& response, std::uint64_t max_bytes = 1000) {
  LyingServer server(
      [&](Poco::Net::StreamSocket& client, const std::string&) { send(client, response); });
  return refused_fetch(server.url(), max_bytes);
}

TEST(RegistryFetch, ReadsAFileFromAServer) {
  LyingServer server([](Poco::Net::StreamSocket& client, const std::string& target) {
    send(client, response_of("content of " + target));
  });
  EXPECT_EQ(fetched(server.url() + "/some/where/"), "content of /some/where/x");
  EXPECT_NE(server.head().find("Accept-Encoding: identity\r\n"), std::string::npos);
  EXPECT_NE(server.head().find("Host: 127.0.0.1:"), std::string::npos);
  EXPECT_EQ(fetched(server.url(), 13), "content of /x");
  EXPECT_EQ(refused_fetch(server.url(), 12), download_too_large);
}

TEST(RegistryFetch, ReadsOtherFramings) {
  LyingServer chunked([](Poco::Net::StreamSocket& client, const std::string&) {
    send(client,
         "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nfour\r\n3\r\nand\r\n0\r\n\r\n");
  });
  EXPECT_EQ(fetched(chunked.url()), "fourand");
  LyingServer closed([](Poco::Net::StreamSocket& client, const std::string&) {
    send(client, "HTTP/1.0 200 OK\r\n\r\nuntil the end");
  });
  EXPECT_EQ(fetched(closed.url()), "until the end");
}

TEST(RegistryFetch, RefusesInvalidResponses) {
  EXPECT_EQ(refused_response("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"), unreachable);
  EXPECT_EQ(refused_response("HTTP/1.1 204 No Content\r\n\r\n"), unreachable);
  EXPECT_EQ(refused_response("220 mail ready\r\n"), unreachable);
  EXPECT_EQ(refused_response(""), unreachable);
  EXPECT_EQ(refused_response("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\ncut off"), unreachable);
  EXPECT_EQ(refused_response(response_of("x", "Content-Encoding: gzip\r\n")), unreachable);
  EXPECT_EQ(refused_response("HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\nx"),
            unreachable);
  EXPECT_EQ(refused_response("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\nx"),
            download_too_large);
  std::string fields;
  for (int i = 0; i <= static_cast<int>(http_client::Limits::head_fields); ++i)
    fields += "X-" + std::to_string(i) + ": y\r\n";
  EXPECT_EQ(refused_response(response_of("x", fields)), unreachable);
  // The port is closed.
  std::string gone;
  {
    LyingServer server([](Poco::Net::StreamSocket&, const std::string&) {});
    gone = server.url();
  }
  EXPECT_EQ(refused_fetch(gone), unreachable);
}

TEST(RegistryFetch, EndsAnEndlessResponse) {
  LyingServer endless([](Poco::Net::StreamSocket& client, const std::string&) {
    send(client, "HTTP/1.0 200 OK\r\n\r\n");
    while (true)
      send(client, std::string(1000, 'x'));
  });
  EXPECT_EQ(refused_fetch(endless.url(), 100'000), download_too_large);
  LyingServer endless_head([](Poco::Net::StreamSocket& client, const std::string&) {
    send(client, "HTTP/1.0 200 OK\r\nX: ");
    while (true)
      send(client, std::string(1000, 'x'));
  });
  EXPECT_EQ(refused_fetch(endless_head.url()), unreachable);
}

// A byte now and then: no single wait is long.
void drip(Poco::Net::StreamSocket& client, const std::string& beginning,
          const std::atomic<bool>& stops) {
  send(client, beginning);
  while (!stops) {
    send(client, "x");
    std::this_thread::sleep_for(5ms);
  }
}

TEST(RegistryFetch, EndsAtItsDeadline) {
  for (const char* beginning : {"HTTP/1.1 200 OK\r\nX-Slow: ", "HTTP/1.0 200 OK\r\n\r\n"}) {
    std::atomic<bool> stops{false};
    LyingServer slow([&](Poco::Net::StreamSocket& client, const std::string&) {
      drip(client, beginning, stops);
    });
    EXPECT_EQ(refused_fetch(slow.url(), 1'000'000'000, bounds(200ms)), unreachable);
    stops = true;
  }
  LyingServer silent([&](Poco::Net::StreamSocket& client, const std::string&) {
    char byte = 0;
    client.receiveBytes(&byte, 1);
  });
  EXPECT_EQ(refused_fetch(silent.url(), 1000, bounds(200ms)), unreachable);
  EXPECT_EQ(refused_fetch(silent.url(), 1000, bounds(-1s)), unreachable);
}

TEST(RegistryFetch, StopsOnRequest) {
  std::stop_source source;
  LyingServer silent([&](Poco::Net::StreamSocket& client, const std::string&) {
    source.request_stop();
    char byte = 0;
    client.receiveBytes(&byte, 1);
  });
  FetchBounds within = bounds();
  within.stop = source.get_token();
  EXPECT_EQ(refused_fetch(silent.url(), 1000, within), unreachable);
  // And does not begin when it was asked before.
  EXPECT_EQ(refused_fetch(silent.url(), 1000, within), unreachable);
  EXPECT_EQ(silent.requests(), 1);
}

TEST(RegistryFetch, FollowsAFewRedirects) {
  LyingServer server([&](Poco::Net::StreamSocket& client, const std::string& target) {
    if (target == "/moved/x" || target == "/1?a=b") return send(client, response_of("here"));
    std::string to = "/loop" + target;
    if (target == "/once/x") to = "/moved/x";
    if (target == "/twice/x") to = "../once/x";
    if (target == "/signed/x") to = "/1?a=b";
    if (target == "/file/x") to = "file:///etc/hostname";
    if (target == "/user/x") to = "http://user:word@127.0.0.1/";
    if (target == "/nothing/x") to = "";
    if (target.size() > 1 && target[1] >= '1' && target[1] <= '9')
      to = target[1] == '1' ? "/moved/x" : "/" + std::to_string(target[1] - '1') + "/x";
    send(client, "HTTP/1.1 302 Found\r\nLocation: " + to + "\r\nContent-Length: 0\r\n\r\n");
  });
  EXPECT_EQ(fetched(server.url() + "/once"), "here");
  EXPECT_EQ(fetched(server.url() + "/twice"), "here");
  EXPECT_EQ(fetched(server.url() + "/signed"), "here");
  EXPECT_EQ(fetched(server.url() + "/" + std::to_string(RegistryLimits::redirects)), "here");
  EXPECT_EQ(refused_fetch(server.url() + "/" + std::to_string(RegistryLimits::redirects + 1)),
            unreachable);
  EXPECT_EQ(refused_fetch(server.url() + "/file"), unreachable);
  EXPECT_EQ(refused_fetch(server.url() + "/user"), unreachable);
  const int before = server.requests();
  EXPECT_EQ(refused_fetch(server.url() + "/endless"), unreachable);
  EXPECT_EQ(server.requests() - before, RegistryLimits::redirects + 1);
  EXPECT_EQ(refused_fetch(server.url() + "/nothing"), unreachable);
}

TEST(RegistryFetch, RetriesAnIndexThatIsBeingReplaced) {
  const SecretKey key = make_key();
  PackageIndex index = test::sample_index();
  const std::string older = write_index(index);
  index.serial = 8;
  const std::string newer = write_index(index);
  const std::string signature = sign_text(newer, key, "-").to_text();
  std::atomic<int> asked{0};
  std::atomic<bool> is_stuck{false};
  LyingServer server([&](Poco::Net::StreamSocket& client, const std::string& target) {
    if (target.ends_with(".minisig")) return send(client, response_of(signature));
    send(client, response_of(asked++ == 0 || is_stuck ? older : newer));
  });
  const RegistryLocation folder(server.url());
  EXPECT_EQ(fetch_index(folder, key.public_key(), bounds()).index.serial, 8U);
  EXPECT_EQ(asked, 2);
  is_stuck = true;
  EXPECT_EQ(test::refused([&] { fetch_index(folder, key.public_key(), bounds()); }),
            "plugins.signature_invalid");
  EXPECT_EQ(asked, 4);
}

class RegistryDownload : public testing::Test {
 protected:
  RegistryDownload() {
    version_.size = content_.size();
    version_.hash = hash_of(content_);
  }
  std::string refused_download(const std::string& response) const {
    LyingServer server(
        [&](Poco::Net::StreamSocket& client, const std::string&) { send(client, response); });
    return refused_from(server.url());
  }
  std::string refused_from(const std::string& folder, const FetchProgress& progress = {}) const {
    const std::string code = test::refused([&] {
      fetch_package(RegistryLocation(folder), version_, folder_.path(), bounds(), progress);
    });
    EXPECT_TRUE(std::filesystem::is_empty(folder_.path())) << code;
    return code;
  }

  const std::string content_ = std::string(200'000, 'a') + "z";
  IndexedVersion version_ = test::version_of("notes", "1.0.0");
  test::TemporaryFolder folder_;
  test::TemporaryFolder registry_;
};

TEST_F(RegistryDownload, DownloadsAPackage) {
  LyingServer server([&](Poco::Net::StreamSocket& client, const std::string& target) {
    EXPECT_EQ(target, "/notes-1.0.0.tenon");
    send(client, response_of(content_));
  });
  std::uint64_t last = 0;
  int calls = 0;
  std::string kept;
  {
    FetchedPackage package = fetch_package(RegistryLocation(server.url()), version_, folder_.path(),
                                           bounds(), [&](std::uint64_t done, std::uint64_t total) {
                                             EXPECT_GE(done, last);
                                             EXPECT_EQ(total, content_.size());
                                             last = done;
                                             ++calls;
                                           });
    EXPECT_EQ(test::read_file(package.path()), content_);
    EXPECT_EQ(last, content_.size());
    EXPECT_GT(calls, 1);
    kept = package.take();
  }
  EXPECT_TRUE(std::filesystem::exists(kept));
  std::filesystem::remove(kept);
}

TEST_F(RegistryDownload, RemovesADamagedDownload) {
  std::string other = content_;
  other[100'000] = 'b';
  EXPECT_EQ(refused_download(response_of(other)), download_damaged);
  EXPECT_EQ(refused_download(response_of(content_ + "x")), download_damaged);
  EXPECT_EQ(refused_download(response_of(content_.substr(1))), download_damaged);
  EXPECT_EQ(refused_download("HTTP/1.0 200 OK\r\n\r\n" + content_ + "x"), download_damaged);
  EXPECT_EQ(refused_download("HTTP/1.0 200 OK\r\n\r\n" + content_.substr(1)), download_damaged);
  EXPECT_EQ(refused_download("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"), unreachable);
  test::write_file(registry_.path() + "/notes-1.0.0.tenon", other);
  EXPECT_EQ(refused_from(registry_.path()), download_damaged);
  test::write_file(registry_.path() + "/notes-1.0.0.tenon", content_ + "x");
  EXPECT_EQ(refused_from(registry_.path()), download_damaged);
  test::write_file(registry_.path() + "/notes-1.0.0.tenon", content_);
  EXPECT_EQ(refused_from(registry_.path(),
                         [](std::uint64_t, std::uint64_t) {
                           throw base::Error(499, "test.cancelled", "cancelled");
                         }),
            "test.cancelled");
  EXPECT_EQ(refused_from(registry_.path()), "");
  EXPECT_EQ(test::refused([&] {
              fetch_package(RegistryLocation(registry_.path()), version_, "/nowhere/at/all",
                            bounds(), {});
            }),
            "plugins.package_write_failed");
}

TEST(RegistryLocation, AcceptsAFolderOrAUrl) {
  EXPECT_EQ(RegistryLocation("https://plugins.example/tenon//").at("a/b"),
            "https://plugins.example/tenon/a/b");
  EXPECT_TRUE(RegistryLocation("http://[::1]:80").is_remote());
  EXPECT_EQ(RegistryLocation("/srv/registry/").at("index.json"), "/srv/registry/index.json");
  EXPECT_FALSE(RegistryLocation("registry").is_remote());
  for (const char* wrong : {"", "ftp://a/b", "file:///srv", "http://", "http:///path",
                            "http://user@host/", "http://host/?query", "http://host/#part",
                            "http://ho st/", "https://host:port/", "http://h\xc3\xb6st/"}) {
    EXPECT_EQ(test::refused([&] { RegistryLocation{wrong}; }), "plugins.registry_place_invalid")
        << wrong;
  }
  const std::string host = "http://host/";
  EXPECT_EQ(test::refused([&] {
              RegistryLocation(host + std::string(RegistryLimits::url - host.size(), 'x'));
            }),
            "");
  EXPECT_EQ(test::refused([&] {
              RegistryLocation(host + std::string(RegistryLimits::url + 1 - host.size(), 'x'));
            }),
            "plugins.registry_place_invalid");
}

}  // namespace
}  // namespace tenon::plugins
