#include "postgresql/sql_guard/lexer.hpp"

#include <algorithm>

namespace tenon::data::postgresql {

namespace {

constexpr std::string_view spaces = " \t\n\r\f";

bool is_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}

bool is_name_start(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

}  // namespace

bool is_name_byte(char c) noexcept {
  return is_name_start(c) || is_digit(c) || c == '$';
}

std::string lowered(std::string_view name) {
  std::string lower(name);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

Token Lexer::take(TokenKind kind, std::size_t end) noexcept {
  end = std::min(end, sql_.size());
  const Token token{kind, sql_.substr(at_, end - at_)};
  at_ = end;
  return token;
}

// Past the quote that closes the one at `from`; a doubled one does not.
std::size_t Lexer::end_of_quoted(std::size_t from, char quote, bool has_escapes) const noexcept {
  for (std::size_t i = from + 1; i < sql_.size(); ++i) {
    if (has_escapes && sql_[i] == '\\') {
      ++i;
    } else if (sql_[i] == quote) {
      if (i + 1 < sql_.size() && sql_[i + 1] == quote) {
        ++i;
      } else {
        return i + 1;
      }
    }
  }
  return sql_.size();
}

// Past a text with escapes; quotes after a line's end continue it.
std::size_t Lexer::end_of_escaped(std::size_t from) const noexcept {
  for (;;) {
    const std::size_t end = end_of_quoted(from, '\'', true);
    const std::size_t next = std::min(sql_.find_first_not_of(spaces, end), sql_.size());
    const bool has_line_end =
        sql_.substr(end, next - end).find_first_of("\n\r") != std::string_view::npos;
    if (!has_line_end || next == sql_.size() || sql_[next] != '\'') return end;
    from = next;
  }
}

std::size_t Lexer::end_of_comment() const noexcept {
  std::size_t depth = 0;
  for (std::size_t i = at_; i + 1 < sql_.size(); ++i) {
    if (sql_[i] == '/' && sql_[i + 1] == '*') {
      ++depth;
      ++i;
    } else if (sql_[i] == '*' && sql_[i + 1] == '/') {
      ++i;
      if (--depth == 0) return i + 1;
    }
  }
  return sql_.size();
}

// Returns the end of the dollar quote that begins here; 0 if none begins.
std::size_t Lexer::end_of_dollar_quote() const noexcept {
  std::size_t end = at_ + 1;
  if (end < sql_.size() && is_digit(sql_[end])) return 0;
  while (end < sql_.size() && is_name_byte(sql_[end]) && sql_[end] != '$')
    ++end;
  if (end >= sql_.size() || sql_[end] != '$') return 0;
  const std::string_view tag = sql_.substr(at_, end + 1 - at_);
  const auto close = sql_.find(tag, end + 1);
  return close == std::string_view::npos ? sql_.size() : close + tag.size();
}

std::size_t Lexer::end_of_digits(std::size_t from) const noexcept {
  while (from < sql_.size() && is_digit(sql_[from]))
    ++from;
  return from;
}

Token Lexer::take_word() noexcept {
  std::size_t end = at_;
  while (end < sql_.size() && is_name_byte(sql_[end]))
    ++end;
  if (end == at_ + 1 && end < sql_.size()) {
    const char letter = peek();
    if (sql_[end] == '\'' && (letter == 'e' || letter == 'E'))
      return take(TokenKind::escaped_text, end_of_escaped(end));
    if (sql_[end] == '&' && (letter == 'u' || letter == 'U'))
      return take(TokenKind::unicode_start, end);
  }
  return take(TokenKind::word, end);
}

Token Lexer::next() noexcept {
  if (at_ >= sql_.size()) return {};
  const char c = peek();
  if (spaces.find(c) != std::string_view::npos)
    return take(TokenKind::space, sql_.find_first_not_of(spaces, at_));
  if (c == '\'') return take(TokenKind::text, end_of_quoted(at_, '\'', false));
  if (c == '"') return take(TokenKind::name, end_of_quoted(at_, '"', false));
  if (c == '-' && peek(1) == '-') return take(TokenKind::comment, sql_.find_first_of("\n\r", at_));
  if (c == '/' && peek(1) == '*') return take(TokenKind::comment, end_of_comment());
  if (is_name_start(c)) return take_word();
  if (c == '?') return take(TokenKind::placeholder, end_of_digits(at_ + 1));
  if (c == '$') {
    if (const std::size_t end = end_of_dollar_quote(); end != 0)
      return take(TokenKind::dollar_text, end);
    if (is_digit(peek(1))) return take(TokenKind::parameter, end_of_digits(at_ + 1));
  }
  if (is_digit(c)) {
    std::size_t end = at_;
    while (end < sql_.size() && (is_digit(sql_[end]) || sql_[end] == '.'))
      ++end;
    return take(TokenKind::number, end);
  }
  return take(TokenKind::symbol, at_ + 1);
}

}  // namespace tenon::data::postgresql
