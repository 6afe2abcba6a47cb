#include <set>
#include <thread>

#include <gtest/gtest.h>

#include "running_plugin.hpp"

namespace tenon::test {
namespace {

TEST(Ids, AscendAndAreVersion7) {
  std::string last;
  for (int i = 0; i < 10'000; ++i) {
    const std::string id = new_id();
    ASSERT_TRUE(is_id(id)) << id;
    ASSERT_EQ(id[14], '7');
    ASSERT_NE(std::string_view("89ab").find(id[19]), std::string_view::npos);
    ASSERT_LT(last, id);
    last = id;
  }
}

TEST(Ids, OfManyThreadsDiffer) {
  std::vector<std::vector<std::string>> made(4);
  std::vector<std::thread> threads;
  for (auto& mine : made) {
    threads.emplace_back([&mine] {
      for (int i = 0; i < 1000; ++i)
        mine.push_back(new_id());
    });
  }
  for (auto& thread : threads)
    thread.join();
  std::set<std::string> all;
  for (const auto& mine : made)
    all.insert(mine.begin(), mine.end());
  EXPECT_EQ(all.size(), 4000u);
}

TEST(Ids, OtherTextsAreNone) {
  for (const char* text :
       {"", "0192", "01920000-0000-7000-8000-00000000000G", "01920000x0000-7000-8000-000000000000",
        "01920000-0000-7000-8000-00000000000A"}) {
    EXPECT_FALSE(is_id(text)) << text;
  }
}

TEST(Times, AreWrittenAndRead) {
  const std::pair<const char*, const char*> cases[] = {
      {"2026-11-20T08:15:30.123Z", "2026-11-20T08:15:30.123Z"},
      {"2026-11-20t08:15:30z", "2026-11-20T08:15:30.000Z"},
      {"2026-11-20 08:15:30.1+02:30", "2026-11-20T05:45:30.100Z"},
      {"2026-11-20T23:59:60.5-01:00", "2026-11-21T00:59:59.500Z"},
      {"1969-12-31T23:59:59.999Z", "1969-12-31T23:59:59.999Z"},
      {"2024-02-29T00:00:00.9999999Z", "2024-02-29T00:00:00.999Z"},
      {"0000-01-01T00:00:00Z", "0000-01-01T00:00:00.000Z"}};
  for (const auto& [text, expected] : cases) {
    const auto time = parse_rfc3339(text);
    ASSERT_TRUE(time) << text;
    EXPECT_EQ(rfc3339(*time), expected) << text;
  }
  EXPECT_EQ(parse_rfc3339(now_text()).has_value(), true);
}

TEST(Times, WhatIsNoTimeIsRefused) {
  for (const char* text :
       {"", "2026", "2026-11-20", "2026-11-20T08:15:30", "2026-02-29T00:00:00Z",
        "2026-13-01T00:00:00Z", "2026-11-20T24:00:00Z", "2026-11-20T08:60:00Z",
        "2026-11-20T08:15:61Z", "2026-11-20T08:15:30.Z", "2026-11-20T08:15:30Zx",
        "2026-11-20T08:15:30+25:00", "+026-11-20T08:15:30Z", "2026-11-20T08:15:30+0200"}) {
    EXPECT_FALSE(parse_rfc3339(text)) << text;
  }
}

TEST(SettingsOfAPlugin, AreTypedAndWatched) {
  FakeHost host;
  host.settings["limit"] = "20";
  host.settings["long"] = "\"" + std::string(1000, 'x') + "\"";
  std::string changes;
  const RunningPlugin plugin(
      host, Steps{.create =
                      [&](Scripted& self) {
                        self.host().settings().watch([&](auto key, auto json) {
                          changes.append(key).append("=").append(json).append(" ");
                          throw std::runtime_error("ignored");
                        });
                      },
                  .start =
                      [](Scripted& self) {
                        Settings& settings = self.host().settings();
                        EXPECT_EQ(settings.get<int>("limit", 5), 20);
                        EXPECT_EQ(settings.get<int>("other", 5), 5);
                        EXPECT_EQ(settings.get<std::string>("long")->size(), 1000u);
                        EXPECT_EQ(settings.get<std::string>("none"), std::nullopt);
                        EXPECT_THROW((void)settings.get<std::string>("limit"), Error);
                        settings.set("tags", std::vector<std::string>{"a", "b"});
                        settings.remove("limit");
                      }});
  EXPECT_EQ(plugin.started, TENON_OK) << plugin.error.message;
  EXPECT_EQ(host.settings["tags"], R"(["a","b"])");
  EXPECT_FALSE(host.settings.contains("limit"));
  EXPECT_EQ(changes, R"(tags=["a","b"] limit= )");
  EXPECT_TRUE(host.logged("a settings watcher failed"));
}

TEST(LogLines, CarryFields) {
  FakeHost host;
  const RunningPlugin plugin(host, [](Scripted& self) {
    self.log().warning("saved",
                       {{"note", std::string("n1")}, {"count", 3}, {"ok", true}, {"ratio", 0.5}});
    EXPECT_FALSE(self.log().keeps_debug());
  });
  ASSERT_EQ(host.log_lines().size(), 1u);
  EXPECT_EQ(host.log_lines()[0], "2 saved note=n1 count=3 ok=true ratio=0.500000");
}

TEST(LogLines, OfMoreThanSixteenFieldsAreCut) {
  FakeHost host;
  const RunningPlugin plugin(host, [](Scripted& self) {
    self.log().info("x", {{"a", 1},
                          {"b", 1},
                          {"c", 1},
                          {"d", 1},
                          {"e", 1},
                          {"f", 1},
                          {"g", 1},
                          {"h", 1},
                          {"i", 1},
                          {"j", 1},
                          {"k", 1},
                          {"l", 1},
                          {"m", 1},
                          {"n", 1},
                          {"o", 1},
                          {"p", 1},
                          {"q", 1}});
  });
  EXPECT_TRUE(host.logged("p=1"));
  EXPECT_FALSE(host.logged("q=1"));
}

}  // namespace
}  // namespace tenon::test
