#include "observability/log.hpp"

#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/json.hpp"
#include "observability/log_line.hpp"

namespace tenon::observability {

namespace {

std::string text_line(std::string_view message, std::initializer_list<LogField> fields = {}) {
  std::string out;
  append_text_line(out, {0, Level::info, message, "r-1", "notes", {fields.begin(), fields.size()}});
  return out;
}

std::string json_line(std::string_view message, std::initializer_list<LogField> fields = {}) {
  std::string out;
  append_json_line(out, {1'763'626'530'007,
                         Level::warning,
                         message,
                         "r-1",
                         "notes",
                         {fields.begin(), fields.size()}});
  return out;
}

/// A file that is read back and removed.
class TemporaryFile {
 public:
  TemporaryFile() : path_(testing::TempDir() + "tenon-log-XXXXXX") {
    descriptor_ = ::mkstemp(path_.data());
  }
  ~TemporaryFile() {
    ::close(descriptor_);
    ::unlink(path_.c_str());
  }
  int descriptor() const { return descriptor_; }
  std::vector<std::string> lines() const {
    std::ifstream file(path_);
    std::vector<std::string> all;
    for (std::string line; std::getline(file, line);)
      all.push_back(line);
    return all;
  }

 private:
  std::string path_;
  int descriptor_;
};

}  // namespace

TEST(LogLine, WritesReadableText) {
  EXPECT_EQ(
      text_line("started",
                {{"port", 8080}, {"name", "My notes"}, {"ok", true}, {"ms", 1.5}, {"none", ""}}),
      "1970-01-01T00:00:00.000Z info    started plugin=notes port=8080 name=\"My notes\" ok=true "
      "ms=1.5 none=\"\" request_id=r-1\n");
}

TEST(LogLine, EscapesTextThatImitatesAnotherLine) {
  const std::string line = text_line("a\nb\r\x1b[31m", {{"x", "1\n2\t\"3\"\\"}, {"k\nk", 1}});
  EXPECT_EQ(line,
            "1970-01-01T00:00:00.000Z info    a\\nb\\x0d\\x1b[31m plugin=notes "
            "x=\"1\\n2\\t\\\"3\\\"\\\\\" k\\nk=1 request_id=r-1\n");
}

TEST(LogLine, WritesOneJsonObjectALine) {
  EXPECT_EQ(
      json_line("a\nb", {{"port", 8080U}, {"text", "x\"y"}, {"ok", false}}),
      R"({"time":"2025-11-20T08:15:30.007Z","level":"warning","message":"a\nb","request_id":"r-1","plugin":"notes",)"
      "\"port\":8080,\"text\":\"x\\\"y\",\"ok\":false}\n");
}

TEST(LogLine, CutsLongTextBetweenCharacters) {
  std::string text(Log::max_text_bytes - 1, 'a');
  text += "€€€";
  const std::string line = json_line("m", {{"text", text}});
  const auto object = base::parse_json_object(line.substr(0, line.size() - 1));
  std::string expected(Log::max_text_bytes - 1, 'a');
  expected += "…";
  EXPECT_EQ(object->getValue<std::string>("text"), expected);
  EXPECT_LT(text_line(text).size(), Log::max_text_bytes + 100);
}

TEST(LogLine, HasAtMostThirtyTwoFields) {
  const std::vector<LogField> fields(40, LogField("f", 1));
  std::string out;
  append_text_line(out, {0, Level::info, "m", {}, {}, fields});
  std::size_t count = 0;
  for (std::size_t at = out.find(" f=1"); at != std::string::npos; at = out.find(" f=1", at + 1))
    ++count;
  EXPECT_EQ(count, Log::max_fields);
}

TEST(Log, WritesJsonLinesToAFile) {
  const TemporaryFile file;
  {
    Log log({.descriptor = file.descriptor()});
    log.write(Level::info, "one", {{"n", 1}});
    log.write(Level::debug, "hidden");
    log.set_level(Level::debug);
    log.write(Level::debug, "shown");
  }
  const auto lines = file.lines();
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(base::parse_json_object(lines[0])->getValue<std::string>("message"), "one");
  EXPECT_EQ(base::parse_json_object(lines[1])->getValue<std::string>("message"), "shown");
}

TEST(Log, FlushesQueuedLines) {
  const TemporaryFile file;
  Log log({.format = config::LogFormat::text, .descriptor = file.descriptor()});
  for (int i = 0; i < 100; ++i) {
    log.write(Level::info, "line");
    log.flush();
    ASSERT_EQ(file.lines().size(), static_cast<std::size_t>(i) + 1);
  }
}

TEST(Log, KeepsLinesOfManyThreadsWhole) {
  const TemporaryFile file;
  constexpr int threads = 8;
  constexpr int each = 2000;
  {
    Log log({.descriptor = file.descriptor(), .queue_bytes = 64 * 1024 * 1024});
    std::vector<std::thread> writers;
    for (int t = 0; t < threads; ++t) {
      writers.emplace_back([&log, t] {
        const std::string id = "request-" + std::to_string(t);
        const LogScope scope(id, "notes");
        for (int i = 0; i < each; ++i) {
          log.write(Level::info, "line",
                    {{"thread", t},
                     {"i", i},
                     {"text", std::string(static_cast<std::size_t>(i % 97), 'x')}});
        }
      });
    }
    for (auto& writer : writers)
      writer.join();
    EXPECT_EQ(log.dropped(), 0U);
  }
  std::vector<int> next(threads, 0);
  for (const std::string& line : file.lines()) {
    const auto object = base::parse_json_object(line);
    const int thread = object->getValue<int>("thread");
    ASSERT_EQ(object->getValue<int>("i"), next[static_cast<std::size_t>(thread)]++);
    ASSERT_EQ(object->getValue<std::string>("request_id"), "request-" + std::to_string(thread));
  }
  EXPECT_EQ(next, std::vector<int>(threads, each));
}

TEST(Log, NestsScopes) {
  const TemporaryFile file;
  {
    Log log({.descriptor = file.descriptor()});
    {
      const LogScope outer("outer");
      {
        const LogScope inner("inner", "tasks");
        log.write(Level::info, "inner");
        log.write(Level::info, "about", {{"plugin", "notes"}});
      }
      log.write(Level::info, "outer");
    }
    log.write(Level::info, "none");
  }
  const auto lines = file.lines();
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_NE(lines[0].find(R"("request_id":"inner","plugin":"tasks")"), std::string::npos);
  EXPECT_NE(lines[1].find(R"("plugin":"notes")"), std::string::npos);
  EXPECT_EQ(lines[1].find("tasks"), std::string::npos) << "a line names one plugin";
  EXPECT_NE(lines[2].find(R"("request_id":"outer")"), std::string::npos);
  EXPECT_EQ(lines[2].find("plugin"), std::string::npos);
  EXPECT_EQ(lines[3].find("request_id"), std::string::npos);
}

TEST(Log, DropsAndCountsWithoutAReader) {
  int pipe_ends[2];
  ASSERT_EQ(::pipe2(pipe_ends, O_CLOEXEC), 0);
  const std::string text(1000, 'x');
  std::string read_back;
  std::uint64_t dropped = 0;
  std::thread reader;
  {
    Log log({.descriptor = pipe_ends[1], .queue_bytes = 100 * 1024});
    // The pipe takes 64 KiB and the queue 100 KiB; nothing here may wait for a reader.
    for (int i = 0; i < 1000; ++i)
      log.write(Level::error, "line", {{"text", text}});
    dropped = log.dropped();
    EXPECT_GT(dropped, 500U);
    reader = std::thread([&] {
      std::string chunk(65'536, '\0');
      for (ssize_t count = 0; (count = ::read(pipe_ends[0], chunk.data(), chunk.size())) > 0;) {
        read_back.append(chunk, 0, static_cast<std::size_t>(count));
      }
    });
    log.flush();
    log.write(Level::info, "again");
  }
  ::close(pipe_ends[1]);
  reader.join();
  ::close(pipe_ends[0]);
  std::istringstream lines(read_back);
  std::uint64_t kept = 0;
  std::uint64_t reported = 0;
  for (std::string line; std::getline(lines, line);) {
    const auto object = base::parse_json_object(line);
    if (object->has("text")) ++kept;
    if (object->has("dropped")) reported += object->getValue<std::uint64_t>("dropped");
  }
  EXPECT_EQ(kept, 1000 - dropped);
  EXPECT_EQ(reported, dropped);
}

TEST(Log, EndsWithoutAReader) {
  int pipe_ends[2];
  ASSERT_EQ(::pipe2(pipe_ends, O_CLOEXEC), 0);
  {
    Log log({.descriptor = pipe_ends[1]});
    const std::string text(4000, 'x');
    for (int i = 0; i < 100; ++i)
      log.write(Level::info, "line", {{"text", text}});
  }
  ::close(pipe_ends[0]);
  ::close(pipe_ends[1]);
}

TEST(Log, SurvivesABrokenDescriptor) {
  Log log({.descriptor = 1'000'000});
  log.write(Level::info, "lost");
  log.flush();
}

TEST(Log, ReplacesTheLogOfTheProcess) {
  const TemporaryFile file;
  {
    Log mine({.descriptor = file.descriptor()});
    install_log(&mine);
    log_info("mine");
    install_log(nullptr);
  }
  log_info("not mine");
  EXPECT_EQ(file.lines().size(), 1U);
}

}  // namespace tenon::observability
