#include <gtest/gtest.h>

#include "packages/archive/file_list.hpp"
#include "packages/archive/limits.hpp"
#include "packages/archive/names.hpp"
#include "packages/tests/plugin_folder.hpp"
#include "packages/tests/raw_zip.hpp"

namespace tenon::plugins {
namespace {

std::string refused_list(const std::string& text) {
  return test::refused([&] { parse_file_list(text, "x.tenon"); });
}

std::string nested(std::size_t levels) {
  std::string name = "a";
  for (std::size_t i = 1; i < levels; ++i)
    name += "/a";
  return name;
}

TEST(PackageNames, AcceptsPlainPartsOnly) {
  for (const char* name : {"a", "plugin.json", "lib/x86_64/a-b.so", ".hidden", "a..b", "...", "_"})
    EXPECT_EQ(fault_of_name(name), "") << name;
  for (const char* name : {"", "/a", "a/", "a//b", ".", "..", "a/../b", "./a", "a/.", "a b", "a\\b",
                           "C:a", "a\nb", "\xc3\xa4", "a*"}) {
    EXPECT_NE(fault_of_name(name), "") << name;
  }
  EXPECT_NE(fault_of_name(std::string("a\0b", 3)), "");
}

TEST(PackageNames, EnforcesItsLimits) {
  EXPECT_EQ(fault_of_name(std::string(PackageLimits::name, 'a')), "");
  EXPECT_NE(fault_of_name(std::string(PackageLimits::name + 1, 'a')), "");
  EXPECT_EQ(fault_of_name(nested(PackageLimits::levels)), "");
  EXPECT_NE(fault_of_name(nested(PackageLimits::levels + 1)), "");
}

TEST(PackageNames, RejectConflictsWithEachOther) {
  NameSet set;
  EXPECT_EQ(set.add("ui/a.js"), "");
  EXPECT_EQ(set.add("ui/b.js"), "");
  EXPECT_EQ(set.add("files.txt"), "");
  EXPECT_NE(set.add("ui/a.js"), "");
  EXPECT_NE(set.add("ui/A.js"), "");
  EXPECT_NE(set.add("UI/c.js"), "");
  EXPECT_NE(set.add("ui"), "");
  EXPECT_NE(set.add("ui/a.js/b"), "");
  EXPECT_NE(set.add("FILES"), "");
  EXPECT_NE(set.add("Signature"), "");
  EXPECT_NE(set.add("SIGNATURE/a"), "");
  EXPECT_EQ(set.add("ui/FILES"), "");
}

TEST(PackageList, ReadsBackWhatItWrites) {
  const std::vector<ListedFile> files{
      {"a-b/c", 0, hash_of("")}, {"a/b", 3, hash_of("abc")}, {"b", 1, hash_of("b")}};
  const std::string text = write_file_list(files);
  EXPECT_EQ(text, "tenon-package 1\n" + test::list_line("a-b/c", "") +
                      test::list_line("a/b", "abc") + test::list_line("b", "b"));
  const auto read = parse_file_list(text, "x.tenon");
  ASSERT_EQ(read.size(), 3U);
  EXPECT_EQ(write_file_list(read), text);
}

TEST(PackageList, AcceptsOneFormOnly) {
  const std::string invalid = "plugins.package_invalid";
  const std::string head = "tenon-package 1\n";
  const std::string line = test::list_line("b", "b");
  const std::string hash = line.substr(2, 128);
  EXPECT_EQ(refused_list(head + line), "");
  EXPECT_EQ(refused_list(""), invalid);
  EXPECT_EQ(refused_list(head), invalid);
  EXPECT_EQ(refused_list("tenon-package 2\n" + line), invalid);
  EXPECT_EQ(refused_list("tenon-package 1\r\n" + line), invalid);
  EXPECT_EQ(refused_list(head + line + "\n"), invalid);
  EXPECT_EQ(refused_list(head + line.substr(0, line.size() - 1)), invalid);
  EXPECT_EQ(refused_list(head + "0" + line), invalid);
  EXPECT_EQ(refused_list(head + "-" + line), invalid);
  EXPECT_EQ(refused_list(head + "+" + line), invalid);
  EXPECT_EQ(refused_list(head + " " + line), invalid);
  EXPECT_EQ(refused_list(head + "18446744073709551617 " + hash + " b\n"), invalid);
  EXPECT_EQ(refused_list(head + "1 " + hash.substr(2) + " b\n"), invalid);
  EXPECT_EQ(refused_list(head + "1 " + std::string(128, 'A') + " b\n"), invalid);
  EXPECT_EQ(refused_list(head + "1 " + std::string(128, 'x') + " b\n"), invalid);
  EXPECT_EQ(refused_list(head + test::list_line("b", "") + test::list_line("a", "")), invalid);
  const std::string name_invalid = "plugins.package_name_invalid";
  EXPECT_EQ(refused_list(head + test::list_line("../b", "b")), name_invalid);
  EXPECT_EQ(refused_list(head + test::list_line("b ", "b")), name_invalid);
  EXPECT_EQ(refused_list(head + line + line), name_invalid);
  EXPECT_EQ(refused_list(head + test::list_line("B", "b") + line), name_invalid);
  EXPECT_EQ(refused_list(head + test::list_line("FILES", "b")), name_invalid);
}

TEST(PackageList, EnforcesItsLimits) {
  const std::string too_large = "plugins.package_too_large";
  const std::string hash(128, '0');
  const auto whole = std::to_string(PackageLimits::unpacked);
  const std::string head = "tenon-package 1\n";
  EXPECT_EQ(refused_list(head + whole + " " + hash + " a\n0 " + hash + " b\n"), "");
  EXPECT_EQ(refused_list(head + whole + " " + hash + " a\n1 " + hash + " b\n"), too_large);
  EXPECT_EQ(refused_list(head + "18446744073709551615 " + hash + " a\n"), too_large);

  std::string many = head;
  for (std::size_t i = 0; i < PackageLimits::files; ++i)
    many += "0 " + hash + " " + std::to_string(100'000 + i) + "\n";
  EXPECT_EQ(refused_list(many), "");
  EXPECT_EQ(refused_list(many + "0 " + hash + " z\n"), too_large);
  // The longest list there can be is within the limit of its bytes.
  EXPECT_LE(
      head.size() + PackageLimits::files * (whole.size() + 1 + 128 + 1 + PackageLimits::name + 1),
      PackageLimits::list);
  EXPECT_EQ(refused_list(head + std::string(PackageLimits::list, ' ')), too_large);
}

}  // namespace
}  // namespace tenon::plugins
