#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace notes::text {

/// Front matter that is longer is text.
inline constexpr std::size_t max_front_matter_bytes = 65'536;
inline constexpr std::size_t max_tags = 50;
inline constexpr std::size_t max_tag_characters = 64;

/// The block between two lines `---` at the very beginning of a text, read as the small part of
/// YAML that people write there: `key: value` at the beginning of a line, plain or quoted; lists as
/// `[a, b]`, `a, b` or one `- a` a line. Everything else is passed over.
struct FrontMatter {
  bool present = false;
  std::size_t body = 0;  ///< where the text after it begins; 0 without front matter
  std::optional<std::string> title;
  std::vector<std::string> tags;  ///< as tag names: no '#', no doubles, at most max_tags
};

FrontMatter read_front_matter(std::string_view text);

/// The text with `title:` and `tags:` set in its front matter, which is made where there is none. A
/// nullopt leaves that key as it is. Reading it again gives exactly these.
std::string with_front_matter(std::string_view text, const std::optional<std::string>& title,
                              const std::optional<std::vector<std::string>>& tags);

/// A tag as people write it, without '#' and white space around; empty when it cannot be one
/// (too long, a control character, a comma).
std::string tag_name(std::string_view written);

}  // namespace notes::text
