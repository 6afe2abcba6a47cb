#include "http/parser/text_scan.hpp"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

namespace tenon::http {
namespace {

constexpr std::size_t max_text_bytes = 40;  // two whole steps and a rest

// Calls `check` with texts of all lengths in which one byte, of every value at every position,
// differs. Each text is a block of its own, so that a sanitizer sees reads beyond it.
template <typename Check>
void with_texts(char usual, const Check& check) {
  for (std::size_t size = 0; size <= max_text_bytes; ++size) {
    check(std::string(size, usual));
    for (std::size_t at = 0; at < size; ++at) {
      for (unsigned byte = 0; byte < 256; ++byte) {
        std::string text(size, usual);
        text[at] = static_cast<char>(byte);
        check(text);
      }
    }
  }
}

template <CharacterClass Set>
void agree_on(char usual) {
  with_texts(usual, [](const std::string& text) {
    for (const std::size_t at : {std::size_t{0}, text.size() / 3})
      ASSERT_EQ(find_other<Set>(text, at), plain::find_other<Set>(text, at)) << text << " " << at;
  });
}

TEST(TextScan, FindsTheSameCharacterAsABytewiseScan) {
  agree_on<token_character>('a');
  agree_on<value_character>('a');
  agree_on<value_character>('\t');
  agree_on<visible_character>('~');
  agree_on<target_character>('/');
  agree_on<plain_path_character>('Z');
  agree_on<name_character>('_');
}

TEST(TextScan, FindsTheFirstNewline) {
  with_texts('a', [](const std::string& text) {
    for (const std::size_t at : {std::size_t{0}, text.size() / 3})
      ASSERT_EQ(find_newline(text, at), std::min(text.find('\n', at), text.size()));
  });
}

TEST(TextScan, LowersATokenAndNothingAfterIt) {
  for (const char usual : {'A', 'z', '!'}) {
    with_texts(usual, [](const std::string& text) {
      std::string lowered = text;
      std::string expected = text;
      const std::size_t end = plain::lower_token(expected.data(), expected.size(), 0);
      ASSERT_EQ(lower_token(lowered.data(), lowered.size(), 0), end) << text;
      ASSERT_EQ(lowered, expected);
      ASSERT_EQ(lowered.substr(end), text.substr(end));
    });
  }
}

TEST(TextScan, ComparesWithALiteral) {
  EXPECT_TRUE(is_text("host", "host"));
  EXPECT_FALSE(is_text("hos", "host"));
  EXPECT_FALSE(is_text("hosts", "host"));
  EXPECT_FALSE(is_text("Host", "host"));
  EXPECT_TRUE(is_text("", ""));
}

}  // namespace
}  // namespace tenon::http
