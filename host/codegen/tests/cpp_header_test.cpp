#include "codegen/cpp_header.hpp"

#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

namespace tenon::codegen {
namespace {

std::string header_of(std::string_view tables) {
  return cpp_header(data::schema::parse_tables(tables), "library");
}

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << path;
  return {std::istreambuf_iterator<char>(file), {}};
}

// The text that tests/abi/typed compiles and runs, whole, so that a change of it is seen.
TEST(CppHeader, IsAsItWas) {
  const std::string folder = TENON_SOURCE_DIR "/tests/abi/typed/";
  EXPECT_EQ(cpp_header(data::schema::parse_tables(read(folder + "tables.json")), "typed"),
            read(folder + "expected_tables.txt"))
      << "see host/codegen/README.md for how to regenerate it";
}

TEST(CppHeader, SeparatesNamesThatConflict) {
  const std::string header = header_of(R"({"tables":[
      {"name":"card","fields":[{"name":"state","type":"choice","choices":["a b","a-b","A B"]}]},
      {"name":"cards","fields":[{"name":"class","type":"text"},{"name":"class_1","type":"text"}]},
      {"name":"card_state","fields":[{"name":"f","type":"text"}]}]})");
  EXPECT_NE(header.find("enum class CardState_ : "), std::string::npos) << header;
  EXPECT_NE(header.find("  a_b,\n  a_b_,\n  a_b__,\n"), std::string::npos) << header;
  EXPECT_NE(header.find("std::optional<std::string> class_;"), std::string::npos) << header;
}

TEST(CppHeader, TablesOfOtherPluginsAreNamesOfIds) {
  const std::string header = header_of(R"({"tables":[{"name":"t","fields":[
      {"name":"a","type":"reference","table":"address-book:contacts"},
      {"name":"b","type":"reference","table":"core:groups"},
      {"name":"c","type":"reference","table":"core:users","many":true}]}]})");
  EXPECT_NE(header.find("namespace address_book {\nstruct Contacts;\n}"), std::string::npos);
  EXPECT_NE(header.find("std::optional<tenon::Id<address_book::Contacts>> a;"), std::string::npos);
  EXPECT_NE(header.find("std::optional<tenon::GroupId> b;"), std::string::npos);
  EXPECT_NE(header.find("std::vector<tenon::UserId> c;"), std::string::npos);
}

TEST(CppHeader, NoDescriptionBecomesCode) {
  const std::string header = header_of(
      R"({"tables":[{"name":"t","description":"one\\\nint x;\u2028*/","fields":[{"name":"f","type":"text","description":"a\rint y;"}]}]})");
  EXPECT_EQ(header.find("\nint"), std::string::npos) << header;
  EXPECT_EQ(header.find('\r'), std::string::npos) << header;
}

TEST(CppHeader, NoTablesAreAHeaderToo) {
  EXPECT_NE(header_of(R"({"tables":[]})").find("namespace library::tables {"), std::string::npos);
}

}  // namespace
}  // namespace tenon::codegen
