#include "app/commands/command_help.hpp"

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "app/commands/command_table.hpp"
#include "app/commands/completion.hpp"

namespace tenon::app {

TEST(CommandHelp, IsTheCommandsPage) {
  const std::string path = TENON_SOURCE_DIR "/docs/commands.md";
  if (std::getenv("UPDATE_DOCS") != nullptr) std::ofstream(path) << commands_markdown();
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  EXPECT_EQ(text.str(), commands_markdown()) << "renew it, see the comment at its top";
}

TEST(CommandHelp, ExplainsEveryCommandAndOption) {
  std::set<std::string_view> names;
  for (const Command& command : commands()) {
    EXPECT_TRUE(names.insert(command.name).second) << command.name;
    EXPECT_NE(command.run, nullptr) << command.name;
    EXPECT_TRUE(command.summary.ends_with('.')) << command.name;
    EXPECT_LE(command.min_operands, command.max_operands) << command.name;
    EXPECT_EQ(command.operands.empty(), command.max_operands == 0) << command.name;
    EXPECT_NE(overview().find("  " + std::string(command.name)), std::string::npos);
    for (const Option& option : options_of(command)) {
      EXPECT_TRUE(option.help.ends_with('.')) << command.name << " " << option.name;
      EXPECT_NE(help_of(command).find("  " + std::string(option.name)), std::string::npos);
    }
    for (const std::string_view example : command.examples)
      EXPECT_TRUE(example.starts_with("tenon " + std::string(command.name))) << example;
  }
}

TEST(Completion, KnowsEveryCommandAndOption) {
  for (const char* shell : {"bash", "zsh", "fish"}) {
    const std::string script = completion_script(shell);
    for (const Command& command : commands()) {
      EXPECT_NE(script.find(command.name), std::string::npos) << shell << ": " << command.name;
      for (const Option& option : options_of(command))
        EXPECT_NE(script.find(option.name.substr(2)), std::string::npos) << option.name;
    }
  }
  EXPECT_TRUE(completion_script("sh").empty());
}

}  // namespace tenon::app
