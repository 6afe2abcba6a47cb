#include "codegen/cpp_names.hpp"

#include <gtest/gtest.h>

namespace tenon::codegen {
namespace {

TEST(CppNames, TypesAreUpperCamel) {
  EXPECT_EQ(upper_camel("cards"), "Cards");
  EXPECT_EQ(upper_camel("board_cards"), "BoardCards");
  EXPECT_EQ(upper_camel("a_1"), "A_1");
  EXPECT_EQ(upper_camel("a1"), "A1");
}

TEST(CppNames, ARecordIsOneOfItsTable) {
  EXPECT_EQ(singular("cards"), "card");
  EXPECT_EQ(singular("categories"), "category");
  EXPECT_EQ(singular("boxes"), "box");
  EXPECT_EQ(singular("addresses"), "address");
  EXPECT_EQ(singular("branches"), "branch");
  EXPECT_EQ(singular("notes"), "note");
  for (const char* name : {"status", "analysis", "class", "data", "s", "people", "as"})
    EXPECT_EQ(singular(name), name);
}

TEST(CppNames, WhatMeansSomethingToTheCompilerIsMarked) {
  EXPECT_EQ(identifier("class"), "class_");
  EXPECT_EQ(identifier("linux"), "linux_");
  EXPECT_EQ(identifier("my-plugin"), "my_plugin");
  EXPECT_EQ(identifier("title"), "title");
}

TEST(CppNames, AnyTextIsAChoice) {
  EXPECT_EQ(choice_identifier("open"), "open");
  EXPECT_EQ(choice_identifier("In Progress!"), "in_progress");
  EXPECT_EQ(choice_identifier("1st"), "_1st");
  EXPECT_EQ(choice_identifier("★"), "choice");
  EXPECT_EQ(choice_identifier("Default"), "default_");
  NameScope scope;
  EXPECT_EQ(scope.take("a"), "a");
  EXPECT_EQ(scope.take("a"), "a_");
  EXPECT_EQ(scope.take("a"), "a__");
}

TEST(CppNames, ALiteralHoldsAnyText) {
  EXPECT_EQ(string_literal("a\"b\\c\n1"), R"("a\"b\\c\0121")");
  EXPECT_EQ(string_literal("é"), "\"é\"");
}

TEST(CppNames, NoTextEndsAComment) {
  EXPECT_EQ(doc_comment("", "  "), "");
  EXPECT_EQ(doc_comment("One.\n\nTwo\\\n#error", "  "), "  /// One.\n  /// Two\\.\n  /// #error\n");
  const std::string comment = doc_comment(std::string(60, 'a') + " " + std::string(60, 'b'), "");
  EXPECT_EQ(comment, "/// " + std::string(60, 'a') + "\n/// " + std::string(60, 'b') + "\n");
}

}  // namespace
}  // namespace tenon::codegen
