#include "app/commands/arguments.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "app/commands/command_table.hpp"

namespace tenon::app {

namespace {

const Command& command(std::string_view name) {
  const auto all = commands();
  return *std::find_if(all.begin(), all.end(),
                       [&](const Command& one) { return one.name == name; });
}

std::string refusal(std::string_view name, const std::vector<std::string>& words) {
  try {
    parse_arguments(command(name), words);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST(Arguments, SeparatesOperandsOptionsAndConfiguration) {
  const Arguments given =
      parse_arguments(command("user add"),
                      {"ada", "--role", "admin", "--json", "--data=/srv/x", "--plugins", "/p"});
  EXPECT_EQ(given.operands, std::vector<std::string>{"ada"});
  EXPECT_EQ(given.value("--role"), "admin");
  EXPECT_EQ(given.value("--name"), "");
  EXPECT_TRUE(given.has("--json"));
  EXPECT_EQ(given.configuration, (std::vector<std::string>{"--data", "/srv/x", "--plugins", "/p"}));
}

TEST(Arguments, TakesWordsAfterTwoDashesAsOperands) {
  const Arguments given =
      parse_arguments(command("plugin settings"), {"mailer", "prefix", "--", "--json"});
  EXPECT_EQ(given.operands, (std::vector<std::string>{"mailer", "prefix", "--json"}));
  EXPECT_FALSE(given.has("--json"));
}

TEST(Arguments, RefusesIncompleteOptions) {
  EXPECT_EQ(refusal("user add", {"ada", "--role"}), "--role needs a value");
  EXPECT_EQ(refusal("user list", {"--json=yes"}), "--json takes no value");
  EXPECT_EQ(refusal("user list", {"--data"}), "--data needs a value");
}

TEST(Arguments, SuggestsASimilarOption) {
  EXPECT_EQ(refusal("user add", {"ada", "--rol", "admin"}),
            "unknown option --rol; did you mean --role?");
  EXPECT_EQ(refusal("doctor", {"--dta", "x"}), "unknown option --dta; did you mean --data?");
  EXPECT_EQ(refusal("plugin list", {"--role", "x"}), "unknown option --role");
}

TEST(Arguments, RefusesAWrongNumberOfOperands) {
  EXPECT_EQ(refusal("plugin show", {}), "needs ID");
  EXPECT_EQ(refusal("plugin show", {"a", "b"}), "takes only ID");
  EXPECT_EQ(refusal("version", {"a"}), "takes options only");
  EXPECT_EQ(refusal("plugin show", {""}), "an argument is empty");
}

}  // namespace tenon::app
