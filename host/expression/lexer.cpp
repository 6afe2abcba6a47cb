#include "expression/lexer.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/utf8.hpp"
#include "expression/ast.hpp"

namespace tenon::expression {

namespace {

constexpr std::array<std::string_view, 8> keywords = {"and",  "or",   "not",   "in",
                                                      "like", "true", "false", "null"};
constexpr std::array<std::string_view, 4> parameters = {"@user", "@groups", "@now", "@today"};
// Longer ones first.
constexpr std::array<std::string_view, 15> symbols = {"!=", "<=", ">=", "=", "<", ">", "+", "-",
                                                      "*",  "/",  "%",  "(", ")", ",", "."};

bool is_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

template <typename List>
bool has(const List& list, std::string_view one) noexcept {
  return std::find(list.begin(), list.end(), one) != list.end();
}

}  // namespace

Token Lexer::next() {
  at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size());
  if (at_ == text_.size()) return cut(Token::Kind::end, at_);
  const char c = text_[at_];
  if (is_letter(c)) return word();
  if (is_digit(c)) return digits();
  if (c == '\'') return quoted();
  if (c == '@') return parameter();
  return symbol();
}

Token Lexer::cut(Token::Kind kind, std::size_t end) {
  Token token;
  token.kind = kind;
  token.at = at_;
  token.bytes = text_.substr(at_, end - at_);
  at_ = end;
  return token;
}

Token Lexer::word() {
  std::size_t end = at_;
  while (end < text_.size() && (is_letter(text_[end]) || is_digit(text_[end])))
    ++end;
  const auto bytes = text_.substr(at_, end - at_);
  return cut(has(keywords, bytes) ? Token::Kind::keyword : Token::Kind::name, end);
}

Token Lexer::digits() {
  const auto run = [&](std::size_t at) {
    while (at < text_.size() && is_digit(text_[at]))
      ++at;
    return at;
  };
  const auto is_digit_at = [&](std::size_t at) { return at < text_.size() && is_digit(text_[at]); };
  std::size_t end = run(at_);
  bool is_whole = true;
  if (end < text_.size() && text_[end] == '.') {
    if (!is_digit_at(end + 1)) refuse(text_, end + 1, "a number needs a digit after its point");
    end = run(end + 1);
    is_whole = false;
  }
  if (end < text_.size() && text_[end] == 'e') {
    std::size_t power = end + 1;
    if (power < text_.size() && (text_[power] == '+' || text_[power] == '-')) ++power;
    if (!is_digit_at(power)) refuse(text_, power, "a number needs a digit after its e");
    end = run(power);
    is_whole = false;
  }
  if (end < text_.size() && is_letter(text_[end]))
    refuse(text_, end, "a name cannot begin within a number");
  Token token = cut(is_whole ? Token::Kind::integer : Token::Kind::number, end);
  const char* const first = token.bytes.data();
  const char* const last = first + token.bytes.size();
  constexpr std::uint64_t max_value = std::uint64_t{1} << 63;
  if (is_whole) {
    const auto result = std::from_chars(first, last, token.integer);
    if (result.ec != std::errc() || token.integer > max_value)
      refuse(text_, token.at,
             "an integer has 64 bits; larger ones are written with .0 at their end");
  } else if (std::from_chars(first, last, token.number).ec != std::errc()) {
    refuse(text_, token.at, "the number is too large or too small for a double");
  }
  return token;
}

Token Lexer::quoted() {
  std::string text;
  for (std::size_t at = at_ + 1; at < text_.size(); ++at) {
    if (text_[at] != '\'') {
      text += text_[at];
    } else if (at + 1 < text_.size() && text_[at + 1] == '\'') {
      text += '\'';
      ++at;
    } else {
      Token token = cut(Token::Kind::text, at + 1);
      token.text = std::move(text);
      return token;
    }
  }
  refuse(text_, at_, "the text that begins here has no closing quote '");
}

Token Lexer::parameter() {
  std::size_t end = at_ + 1;
  while (end < text_.size() && (is_letter(text_[end]) || is_digit(text_[end])))
    ++end;
  const auto bytes = text_.substr(at_, end - at_);
  if (!has(parameters, bytes))
    refuse(text_, at_,
           "there is no '" + std::string(bytes.substr(0, 60)) +
               "'; there are @user, @groups, @now and @today");
  return cut(Token::Kind::parameter, end);
}

Token Lexer::symbol() {
  for (const std::string_view one : symbols) {
    if (text_.substr(at_).starts_with(one)) return cut(Token::Kind::symbol, at_ + one.size());
  }
  const auto size = std::max<std::size_t>(base::utf8_sequence_length(text_, at_), 1);
  std::string what = "'" + std::string(text_.substr(at_, size)) + "' has no meaning here";
  if (text_[at_] == '"') what += "; write texts in single quotes '";
  if (text_[at_] == '!') what += "; 'is not equal' is !=";
  if (text_[at_] == '&' || text_[at_] == '|') what += "; write and, or";
  refuse(text_, at_, what);
}

}  // namespace tenon::expression
