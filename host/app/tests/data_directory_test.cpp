#include "app/server/data_directory.hpp"

#include <filesystem>
#include <optional>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.hpp"

namespace tenon::app {

namespace {

std::string fresh_path() {
  return (std::filesystem::temp_directory_path() / ("tenon-data-" + std::to_string(getpid())))
      .string();
}

std::string code_of(const std::string& path) {
  try {
    const DataDirectory directory(path);
  } catch (const base::Error& error) {
    EXPECT_NE(error.message().find(path), std::string::npos) << error.message();
    return error.code();
  }
  return "";
}

}  // namespace

TEST(DataDirectory, IsMadeForItsOwnerAlone) {
  const std::string path = fresh_path();
  const DataDirectory directory(path + "/deep/down");
  struct stat facts {};
  ASSERT_EQ(stat((path + "/deep/down").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0700U);
  std::filesystem::remove_all(path);
}

TEST(DataDirectory, BelongsToOneServer) {
  const std::string path = fresh_path();
  EXPECT_FALSE(DataDirectory::is_held(path));
  {
    std::optional<DataDirectory> first(path);
    EXPECT_TRUE(DataDirectory::is_held(path));
    EXPECT_EQ(code_of(path), "app.data_in_use");
  }
  EXPECT_FALSE(DataDirectory::is_held(path));
  EXPECT_EQ(code_of(path), "");
  std::filesystem::remove_all(path);
}

TEST(DataDirectory, SaysWhyItCannotBeUsed) {
  EXPECT_EQ(code_of("/proc/tenon"), "app.data_unusable");
}

}  // namespace tenon::app
