#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "running_plugin.hpp"

namespace tenon::test {
namespace {

class StreamTest : public testing::Test {
 protected:
  template <class F>
  void serve(F handle) {
    plugin.emplace(host, [&](Scripted& self) {
      self.host().http().get("/x", access::everyone, handle);
      self.host().http().put("/up", access::everyone,
                             {.body = Body::streamed, .body_limit = 1 << 20}, handle);
    });
    ASSERT_EQ(plugin->started, TENON_OK) << plugin->error.message;
  }
  tenon_handle start() { return host.start({.pattern = "/x"}); }
  tenon_handle start_upload() { return host.start({.method = TENON_HTTP_PUT, .pattern = "/up"}); }

  FakeHost host;
  std::optional<RunningPlugin> plugin;
};

/// Counts to `last`, a number a call of the producer or as many as fit.
auto counter(int last, std::shared_ptr<int> alive = {}) {
  return [last, alive, i = std::make_unique<int>(0)](Stream& out) {
    while (*i < last) {
      ++*i;
      if (!out.write(std::to_string(*i) + ";")) break;
    }
    return *i < last;
  };
}

TEST_F(StreamTest, AShortStreamEndsInTheHandler) {
  serve([](const Request&) { return Response::stream("text/csv", counter(3)); });
  const RecordedResponse response = host.response(start());
  EXPECT_EQ(response.returned, TENON_OK);
  EXPECT_EQ(response.body, "1;2;3;");
  EXPECT_EQ(response.content_type, "text/csv");
  EXPECT_EQ(response.ended, TENON_OK);
  EXPECT_EQ(response.length, TENON_HTTP_NO_LENGTH);
}

TEST_F(StreamTest, AFullStreamWaitsForRoom) {
  host.set_room(4);
  serve([](const Request&) { return Response::stream("text/csv", counter(6)); });
  const tenon_handle request = start();
  EXPECT_EQ(host.response(request).returned, TENON_PENDING);
  EXPECT_EQ(host.response(request).body, "1;2;");
  host.drain(request);
  EXPECT_EQ(host.response(request).body, "1;2;3;4;");
  EXPECT_FALSE(host.response(request).ended);
  host.drain(request);
  EXPECT_EQ(host.response(request).body, "1;2;3;4;5;6;");
  EXPECT_EQ(host.response(request).ended, TENON_OK)
      << "the last piece filled the stream; nothing more is to come";
}

TEST_F(StreamTest, KeepsWritesIntoAFullStream) {
  host.set_room(1);
  serve([](const Request&) {
    return Response::stream("text/plain", [](Stream& out) {
      out.write("a");
      out.write("b");
      out.write("c");
      return false;
    });
  });
  const tenon_handle request = start();
  EXPECT_EQ(host.response(request).body, "a");
  host.drain(request);
  EXPECT_EQ(host.response(request).body, "abc");
  EXPECT_EQ(host.response(request).ended, TENON_OK);
}

TEST_F(StreamTest, LargePiecesAreSplit) {
  serve([](const Request&) {
    return Response::stream("text/plain", [](Stream& out) {
      out.write(std::string(5 << 19, 'x'));
      return false;
    });
  });
  EXPECT_EQ(host.response(start()).body.size(), std::size_t{5} << 19);
}

TEST_F(StreamTest, CutsResponseIfProducerThrows) {
  auto alive = std::make_shared<int>(0);
  serve([alive](const Request&) {
    return Response::stream("text/plain", [alive](Stream& out) -> bool {
      out.write("half");
      throw std::runtime_error("disk gone");
    });
  });
  const RecordedResponse response = host.response(start());
  EXPECT_EQ(response.body, "half");
  EXPECT_EQ(response.ended, TENON_E_INTERNAL);
  EXPECT_TRUE(host.logged("disk gone"));
  plugin.reset();
  EXPECT_EQ(alive.use_count(), 1);
}

TEST_F(StreamTest, AClientThatLeavesEndsTheProducer) {
  host.set_room(4);
  auto alive = std::make_shared<int>(0);
  serve([&](const Request&) { return Response::stream("text/plain", counter(100, alive)); });
  const tenon_handle request = start();
  const auto before = alive.use_count();
  host.hang_up(request);
  EXPECT_LT(alive.use_count(), before) << "what the producer captured is freed at once";
  EXPECT_EQ(host.response(request).ended, TENON_E_CLOSED);
}

TEST_F(StreamTest, SpaceOnAnotherThreadLosesNothing) {
  host.set_room(1);
  std::atomic<int> concurrent{0};
  std::atomic<bool> overlapped{false};
  constexpr int pieces = 2000;
  serve([&](const Request&) {
    return Response::stream("text/plain", [&, i = std::make_unique<int>(0)](Stream& out) {
      if (concurrent.fetch_add(1) != 0) overlapped = true;
      ++*i;
      out.write("x");
      concurrent.fetch_sub(1);
      return *i < pieces;
    });
  });
  const tenon_handle request = start();
  const auto drain = [&] {
    while (!host.response(request).ended)
      host.drain(request);
  };
  std::thread first(drain);
  std::thread second(drain);
  first.join();
  second.join();
  EXPECT_FALSE(overlapped);
  EXPECT_EQ(host.response(request).body.size(), static_cast<std::size_t>(pieces));
}

struct Upload {
  std::string all;
  void data(std::string_view bytes) {
    if (bytes == "bad") throw Error(422, "test.bad_piece", "This piece is bad.");
    all += bytes;
  }
  Response end() { return Response::text(std::move(all)); }
};

TEST_F(StreamTest, ABodyIsTakenInPieces) {
  serve([](const Request& r) { return r.read_body(Upload{}); });
  const tenon_handle request = start_upload();
  EXPECT_EQ(host.response(request).returned, TENON_PENDING);
  EXPECT_EQ(host.push_body(request, "one "), TENON_OK);
  EXPECT_EQ(host.push_body(request, "two"), TENON_OK);
  host.end_body(request, TENON_OK);
  EXPECT_EQ(host.response(request).body, "one two");
}

TEST_F(StreamTest, RespondsAndAbortsIfReaderRejectsPiece) {
  serve([](const Request& r) { return r.read_body(Upload{}); });
  const tenon_handle request = start_upload();
  EXPECT_LT(host.push_body(request, "bad"), 0);
  EXPECT_EQ(host.response(request).code, "test.bad_piece");
  EXPECT_LT(host.push_body(request, "more"), 0);
  host.end_body(request, TENON_E_CLOSED);
  EXPECT_EQ(host.response(request).code, "test.bad_piece");
}

TEST_F(StreamTest, ABodyThatFailsSaysWhy) {
  serve([](const Request& r) { return r.read_body(Upload{}); });
  const std::pair<tenon_code, int> cases[] = {
      {TENON_E_TOO_LARGE, 413}, {TENON_E_TIMEOUT, 408}, {TENON_E_CLOSED, 0}};
  for (const auto& [how, status] : cases) {
    const tenon_handle request = start_upload();
    host.push_body(request, "x");
    host.end_body(request, how);
    EXPECT_EQ(host.response(request).status, status);
  }
  EXPECT_FALSE(host.logged("got no response")) << "a client that disconnects is not a bug";
}

TEST_F(StreamTest, RespondsToUnfinishedBodyWhenReaderEnds) {
  serve([](const Request& r) { return r.read_body(Upload{}); });
  const tenon_handle request = start_upload();
  plugin->quiesce();
  EXPECT_TRUE(host.has_sink(request));
  plugin->leave();
}

}  // namespace
}  // namespace tenon::test
