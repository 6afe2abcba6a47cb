#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tenon::data::postgresql {

enum class TokenKind : std::uint8_t {
  end,
  space,
  comment,
  word,           ///< a name or keyword without quotes
  name,           ///< in double quotes
  text,           ///< in quotes
  escaped_text,   ///< E'…', with its continuation
  unicode_start,  ///< the letter of U&'…' and U&"…"
  dollar_text,    ///< $tag$…$tag$
  number,         ///< digits and dots; two dots of a range too
  placeholder,    ///< `?` or `?N`
  parameter,      ///< `$N`
  symbol,         ///< any other byte
};

struct Token {
  TokenKind kind = TokenKind::end;
  std::string_view text;  ///< of the text that is read

  bool is_symbol(char c) const noexcept { return kind == TokenKind::symbol && text[0] == c; }
};

/// Takes SQL apart as PostgreSQL's own lexer does, with standard_conforming_strings: where the two
/// disagreed on what is text, a plugin could hide what it may not do. PL/pgSQL uses the same lexer.
/// An unclosed token ends with the text. Not thread-safe.
class Lexer {
 public:
  explicit Lexer(std::string_view sql) : sql_(sql) {}

  Token next() noexcept;

 private:
  char peek(std::size_t ahead = 0) const noexcept {
    return at_ + ahead < sql_.size() ? sql_[at_ + ahead] : '\0';
  }
  Token take(TokenKind kind, std::size_t end) noexcept;
  Token take_word() noexcept;
  std::size_t end_of_quoted(std::size_t from, char quote, bool has_escapes) const noexcept;
  std::size_t end_of_escaped(std::size_t from) const noexcept;
  std::size_t end_of_comment() const noexcept;
  std::size_t end_of_dollar_quote() const noexcept;
  std::size_t end_of_digits(std::size_t from) const noexcept;

  std::string_view sql_;
  std::size_t at_ = 0;
};

/// Returns whether a byte continues a name without quotes.
bool is_name_byte(char c) noexcept;

/// A name in PostgreSQL's lower case, ASCII only: names of the server itself have no other letters.
std::string lowered(std::string_view name);

}  // namespace tenon::data::postgresql
