#include "app/commands/arguments.hpp"

#include <gtest/gtest.h>

namespace tenon::app {

TEST(Arguments, TakesThemApart) {
  const Arguments given = parse_arguments(
      {"add", "ada", "--role", "admin", "--json", "--data=/srv/x", "--plugins", "/p"}, {"--role"},
      {"--json"});
  EXPECT_EQ(given.words, (std::vector<std::string>{"add", "ada"}));
  EXPECT_EQ(given.value("--role"), "admin");
  EXPECT_EQ(given.value("--name"), "");
  EXPECT_TRUE(given.has("--json"));
  EXPECT_EQ(given.configuration, (std::vector<std::string>{"--data", "/srv/x", "--plugins", "/p"}));
}

TEST(Arguments, RefusesWhatIsIncomplete) {
  EXPECT_THROW(parse_arguments({"--role"}, {"--role"}, {}), UsageError);
  EXPECT_THROW(parse_arguments({"--json=yes"}, {}, {"--json"}), UsageError);
}

}  // namespace tenon::app
