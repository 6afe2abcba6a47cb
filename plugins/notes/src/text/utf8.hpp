#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace notes::text {

/// Decodes the character at `position` and moves `position` after it. A byte that begins no valid
/// character counts as one character, U+FFFD. `position` must be below `text.size()`.
char32_t next_character(std::string_view text, std::size_t& position) noexcept;

/// Appends a character as UTF-8.
void append_character(std::string& out, char32_t character);

/// Whether every byte belongs to a valid character.
bool is_valid(std::string_view text) noexcept;

/// Number of characters (code points).
std::size_t length(std::string_view text) noexcept;

/// The first `characters` characters; the whole text when it is shorter.
std::string_view first(std::string_view text, std::size_t characters) noexcept;

/// Without spaces, tabs and line ends at both ends.
std::string_view trim(std::string_view text) noexcept;

/// True for C0 controls and DEL, U+0080…U+009F, and the line separators U+2028 and U+2029.
bool is_control(char32_t character) noexcept;

/// True when a control character is in it.
bool has_control(std::string_view text) noexcept;

/// True for what separates words: spaces, punctuation and symbols, in ASCII and in the blocks where
/// they are common.
bool is_separator(char32_t character) noexcept;

}  // namespace notes::text
