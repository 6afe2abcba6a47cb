#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "config/keys.hpp"

namespace tenon::config {

TEST(Docs, ConfigurationPageIsTheTableOfKeys) {
  const std::string path = TENON_SOURCE_DIR "/docs/configuration.md";
  if (std::getenv("UPDATE_DOCS") != nullptr) std::ofstream(path) << markdown();
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  EXPECT_EQ(text.str(), markdown()) << "renew it, see the comment at its top";
}

TEST(Docs, HelpNamesEveryFlagAndDefault) {
  const std::string help = help_text();
  for (const Key& key : keys()) {
    EXPECT_NE(help.find("  " + flag_name(key) + " " + std::string(key.placeholder) + " "),
              std::string::npos)
        << key.name;
    EXPECT_NE(help.find(key.description), std::string::npos) << key.name;
  }
}

TEST(Docs, FlagsAndVariablesNameOneKeyEach) {
  std::set<std::string> seen;
  for (const Key& key : keys()) {
    EXPECT_TRUE(seen.insert(flag_name(key)).second) << key.name;
    EXPECT_TRUE(seen.insert(environment_name(key)).second) << key.name;
  }
}

}  // namespace tenon::config
