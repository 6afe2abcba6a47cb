#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tenon::expression {

struct Token {
  enum class Kind : std::uint8_t { end, name, keyword, parameter, text, integer, number, symbol };

  Kind kind = Kind::end;
  std::size_t at = 0;      ///< offset, bytes
  std::string_view bytes;  ///< as written; borrowed from the text
  /// integer: its digits, which may be one more than the largest integer (for the least one).
  std::uint64_t integer = 0;
  double number = 0;
  std::string text;  ///< text: without its quotes

  bool is(std::string_view what) const noexcept {
    return (kind == Kind::symbol || kind == Kind::keyword || kind == Kind::parameter) &&
           bytes == what;
  }
};

/// Cuts a text into tokens. The text must be valid UTF-8 and outlive the lexer.
class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}
  /// The next token; Kind::end for ever at the end. Throws 422 expression.invalid.
  Token next();

 private:
  Token word();
  Token digits();
  Token quoted();
  Token parameter();
  Token symbol();
  Token cut(Token::Kind kind, std::size_t end);

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace tenon::expression
