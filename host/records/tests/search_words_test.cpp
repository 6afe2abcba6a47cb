#include "records/search/search_words.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "records/model/limits.hpp"

namespace tenon::records {
namespace {

// A term a line: "-" of an excluded one, "*" of a beginning.
std::string read(std::string_view typed) {
  std::string text;
  try {
    for (const SearchTerm& term : parse_search(typed)) {
      text += (text.empty() ? "" : "|") + std::string(term.is_excluded ? "-" : "") + term.text +
              (term.is_beginning ? "*" : "");
    }
  } catch (const base::Error& error) {
    return std::to_string(error.status()) + " " + error.code();
  }
  return text;
}

TEST(SearchWords, AreWordsPhrasesAndExclusions) {
  EXPECT_EQ(read(""), "");
  EXPECT_EQ(read("   "), "");
  EXPECT_EQ(read("ada"), "ada*");
  EXPECT_EQ(read("ada "), "ada");
  EXPECT_EQ(read("call ada"), "call|ada*");
  EXPECT_EQ(read("\"call ada\" now "), "call ada|now");
  EXPECT_EQ(read("\"call ad"), "call ad*");
  EXPECT_EQ(read("\"call "), "call ");
  EXPECT_EQ(read("x\"call ada\"y"), "x|call ada|y");
  EXPECT_EQ(read("ada -draft"), "ada|-draft");
  EXPECT_EQ(read("-\"two words\" ada "), "-two words|ada");
}

TEST(SearchWords, OneLetterBeginsTooMany) {
  EXPECT_EQ(read("a"), "a");
  EXPECT_EQ(read("ad"), "ad*");
  EXPECT_EQ(read("call a"), "call|a");
  EXPECT_EQ(read("\"call a"), "call a");
  EXPECT_EQ(read("e-m"), "e-m");
  EXPECT_EQ(read("e-ma"), "e-ma*");
  EXPECT_EQ(read("\xC3\xA4"), "\xC3\xA4") << "of two bytes";
  EXPECT_EQ(read("b\xC3\xA4"), "b\xC3\xA4*");
  EXPECT_EQ(read("\xE8\x8C\xB6"), "\xE8\x8C\xB6*") << "may be a word";
  EXPECT_EQ(read("ada!"), "ada!") << "ended";
}

TEST(SearchWords, WhatIsNothingElseIsText) {
  EXPECT_EQ(read("e-mail "), "e-mail");
  EXPECT_EQ(read("a - b "), "a|-|b");
  EXPECT_EQ(read("-"), "-");
  EXPECT_EQ(read("--"), "--");
  EXPECT_EQ(read("\"\" \"  \" "), "");
  EXPECT_EQ(read("-\""), "");
  EXPECT_EQ(read("title:x AND (b) NEAR/2 ^c* "), "title:x|AND|(b)|NEAR/2|^c*");
  EXPECT_EQ(read(std::string_view("a\0b\tc\nd ", 8)), "a|b|c|d");
}

TEST(SearchWords, AreBounded) {
  std::string words;
  for (std::size_t i = 0; i < max_search_terms; ++i)
    words += "w ";
  EXPECT_EQ(parse_search(words).size(), max_search_terms);
  EXPECT_EQ(read(words + "w"), "400 records.bad_query");
  EXPECT_EQ(parse_search(std::string(max_search_bytes, 'a')).size(), 1U);
  EXPECT_EQ(read(std::string(max_search_bytes + 1, 'a')), "400 records.bad_query");
}

}  // namespace
}  // namespace tenon::records
