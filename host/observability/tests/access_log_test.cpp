#include "observability/access_log.hpp"

#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/json.hpp"
#include "observability/log.hpp"

namespace tenon::observability {

namespace {

std::string written(const AccessEntry& entry, const LogOptions& options) {
  int pipe_ends[2];
  if (::pipe(pipe_ends) != 0) return "no pipe";
  {
    LogOptions to_pipe = options;
    to_pipe.descriptor = pipe_ends[1];
    Log log(to_pipe);
    write_access(log, entry);
  }
  ::close(pipe_ends[1]);
  std::string text(4096, '\0');
  const ssize_t count = ::read(pipe_ends[0], text.data(), text.size());
  ::close(pipe_ends[0]);
  text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  return text;
}

}  // namespace

TEST(AccessLog, WritesRequestAndResponse) {
  const std::string line = written({.method = "GET",
                                    .path = "/api/notes/notes",
                                    .peer = "10.0.0.1",
                                    .request_id = "r-1",
                                    .plugin = "notes",
                                    .user_id = "u-1",
                                    .status = 200,
                                    .bytes = 512,
                                    .duration_ns = 1'234'567},
                                   {});
  const auto object = base::parse_json_object(line.substr(0, line.size() - 1));
  for (const auto& [name, value] :
       std::initializer_list<std::pair<const char*, const char*>>{{"level", "info"},
                                                                  {"message", "request"},
                                                                  {"request_id", "r-1"},
                                                                  {"plugin", "notes"},
                                                                  {"method", "GET"},
                                                                  {"path", "/api/notes/notes"},
                                                                  {"status", "200"},
                                                                  {"bytes", "512"},
                                                                  {"duration_ms", "1.234"},
                                                                  {"peer", "10.0.0.1"},
                                                                  {"user", "u-1"}}) {
    EXPECT_EQ(object->getValue<std::string>(name), value) << name;
  }
  EXPECT_EQ(object->size(), 12U) << "time, and nothing else";
}

TEST(AccessLog, OmitsAbsentValues) {
  const std::string line =
      written({.method = "GET", .path = "/", .peer = "::1", .request_id = "r", .status = 404}, {});
  EXPECT_EQ(line.find("user"), std::string::npos);
  EXPECT_EQ(line.find("plugin"), std::string::npos);
}

TEST(AccessLog, CanBeSwitchedOff) {
  EXPECT_EQ(written({.method = "GET", .path = "/"}, {.access = false}), "");
  EXPECT_EQ(written({.method = "GET", .path = "/"}, {.level = Level::warning}), "");
}

}  // namespace tenon::observability
