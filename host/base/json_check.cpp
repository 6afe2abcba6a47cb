#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/utf8.hpp"

namespace tenon::base {

namespace {

constexpr bool is_digit(char c) noexcept {
  return c >= '0' && c <= '9';
}

// Classifies a character of a string.
enum class InString : std::uint8_t { plain, quote, backslash, control, beyond_ascii };

constexpr std::array<InString, 256> make_in_string() noexcept {
  std::array<InString, 256> kinds{};
  for (unsigned c = 0; c < kinds.size(); ++c) {
    kinds[c] = c == '"'    ? InString::quote
               : c == '\\' ? InString::backslash
               : c < 0x20  ? InString::control
               : c >= 0x80 ? InString::beyond_ascii
                           : InString::plain;
  }
  return kinds;
}
constexpr std::array<InString, 256> in_string = make_in_string();

// Reads a text once, by the grammar of RFC 8259, and builds nothing.
class Checker {
 public:
  Checker(std::string_view text, int max_depth)
      : text_(text), max_depth_(static_cast<std::size_t>(max_depth)) {}

  void run() {
    bool is_value_due = true;
    do {
      skip_space();
      if (is_value_due) {
        is_value_due = begin_value();
      } else if (open_.empty()) {
        break;
      } else {
        is_value_due = continue_container();
      }
    } while (is_value_due || !open_.empty());
    skip_space();
    if (at_ != text_.size()) fail("something follows the end of the value");
  }

 private:
  // An array or object that is not closed; `keys` is where an object's begin in keys_.
  struct Open {
    bool is_object;
    std::size_t keys;
  };

  // The byte here; 0 at the end, where a NUL is not allowed either.
  char here() const noexcept { return at_ < text_.size() ? text_[at_] : '\0'; }

  void skip_space() noexcept {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r'))
      ++at_;
  }

  // True when another value must follow: the first of an array or object.
  bool begin_value() {
    switch (here()) {
      case '{':
        enter(true);
        skip_space();
        if (here() == '}') {
          leave();
          return false;
        }
        read_key();
        return true;
      case '[':
        enter(false);
        skip_space();
        if (here() == ']') {
          leave();
          return false;
        }
        return true;
      case '"':
        read_string();
        return false;
      case 't':
        read_word("true");
        return false;
      case 'f':
        read_word("false");
        return false;
      case 'n':
        read_word("null");
        return false;
      default:
        read_number();
        return false;
    }
  }

  // After a value inside an array or object. True when another must follow.
  bool continue_container() {
    const bool is_object = open_.back().is_object;
    if (here() == ',') {
      ++at_;
      skip_space();
      if (is_object) read_key();
      return true;
    }
    if (here() != (is_object ? '}' : ']'))
      fail(is_object ? "a comma or } is missing" : "a comma or ] is missing");
    leave();
    return false;
  }

  void enter(bool is_object) {
    if (open_.size() >= max_depth_) {
      throw Error(
          400, "json.invalid",
          "The JSON is nested deeper than " + std::to_string(max_depth_) + " levels; flatten it.");
    }
    open_.push_back({is_object, keys_.size()});
    ++at_;
  }

  void leave() {
    if (open_.back().is_object) check_keys(open_.back().keys);
    open_.pop_back();
    ++at_;
  }

  void check_keys(std::size_t begin) {
    constexpr std::size_t few = 8;
    const auto first = keys_.begin() + static_cast<std::ptrdiff_t>(begin);
    if (keys_.size() - begin <= few) {
      for (auto key = first; key != keys_.end(); ++key) {
        if (std::find(first, key, *key) != key) refuse_twice(*key);
      }
    } else {
      std::sort(first, keys_.end());
      const auto twice = std::adjacent_find(first, keys_.end());
      if (twice != keys_.end()) refuse_twice(*twice);
    }
    keys_.resize(begin);
    if (open_.size() == 1) decoded_.clear();
  }

  [[noreturn]] static void refuse_twice(std::string_view key) {
    throw Error(
        400, "json.invalid",
        "The key \"" + std::string(key) + "\" occurs twice in one JSON object; keep one of them.");
  }

  void read_key() {
    if (here() != '"') fail("a key in quotation marks is missing");
    const std::size_t begin = at_ + 1;
    const bool has_escape = read_string();
    std::string_view key = text_.substr(begin, at_ - 1 - begin);
    // The same key may be written in many ways.
    if (has_escape) key = decoded_.emplace_back(decode(key));
    keys_.push_back(key);
    skip_space();
    if (here() != ':') fail("a colon is missing after a key");
    ++at_;
  }

  // True when it has an escape.
  bool read_string() {
    bool has_escape = false;
    ++at_;
    for (;;) {
      while (at_ < text_.size() && kind_here() == InString::plain)
        ++at_;
      if (at_ == text_.size()) fail("a string is not closed");
      switch (kind_here()) {
        case InString::quote:
          ++at_;
          return has_escape;
        case InString::backslash:
          has_escape = true;
          read_escape();
          break;
        case InString::beyond_ascii: {
          const std::size_t length = utf8_sequence_length(text_, at_);
          if (length == 0) throw Error(400, "json.invalid", "The JSON is not valid UTF-8.");
          at_ += length;
          break;
        }
        default:
          if (text_[at_] == '\0') throw Error(400, "json.invalid", "The JSON holds a NUL byte.");
          fail("a string contains a control character");
      }
    }
  }

  InString kind_here() const noexcept { return in_string[static_cast<unsigned char>(text_[at_])]; }

  void read_escape() {
    ++at_;
    switch (here()) {
      case '"':
      case '\\':
      case '/':
      case 'b':
      case 'f':
      case 'n':
      case 'r':
      case 't':
        ++at_;
        return;
      case 'u':
        break;
      default:
        fail("an escape is not one of JSON's");
    }
    const unsigned unit = read_unit();
    if (unit == 0) throw Error(400, "json.invalid", "The JSON holds a NUL character.");
    if (unit < 0xD800 || unit > 0xDFFF) return;
    const bool has_second = unit < 0xDC00 && text_.substr(at_, 2) == "\\u";
    if (has_second) ++at_;
    const unsigned second = has_second ? read_unit() : 0;
    if (second < 0xDC00 || second > 0xDFFF) fail("half a surrogate pair is alone");
  }

  // "uXXXX".
  unsigned read_unit() {
    unsigned unit = 0;
    if (at_ + 5 > text_.size()) fail("an escape is cut off");
    const char* const begin = text_.data() + at_ + 1;
    const auto read = std::from_chars(begin, begin + 4, unit, 16);
    if (read.ec != std::errc() || read.ptr != begin + 4) fail("an escape has a wrong digit");
    at_ += 5;
    return unit;
  }

  // Decodes a text whose escapes were checked before.
  static std::string decode(std::string_view text) {
    std::string out;
    for (std::size_t at = 0; at < text.size(); ++at) {
      if (text[at] != '\\') {
        out += text[at];
        continue;
      }
      constexpr std::string_view letters = "bfnrt";
      constexpr std::string_view meanings = "\b\f\n\r\t";
      const char escape = text[++at];
      if (escape != 'u') {
        const std::size_t index = letters.find(escape);
        out += index == std::string_view::npos ? escape : meanings[index];
        continue;
      }
      // The units as they are: equal texts stay equal, and the result is not shown.
      unsigned unit = 0;
      std::from_chars(text.data() + at + 1, text.data() + at + 5, unit, 16);
      at += 4;
      if (unit >= 0xD800 && unit <= 0xDBFF) {
        unsigned second = 0;
        std::from_chars(text.data() + at + 3, text.data() + at + 7, second, 16);
        at += 6;
        unit = 0x10000 + ((unit - 0xD800) << 10) + (second - 0xDC00);
      }
      append_utf8(out, unit);
    }
    return out;
  }

  static void append_utf8(std::string& out, unsigned point) {
    const auto tail = [&](unsigned shift) {
      out += static_cast<char>(0x80 | (point >> shift & 0x3F));
    };
    if (point < 0x80) {
      out += static_cast<char>(point);
    } else if (point < 0x800) {
      out += static_cast<char>(0xC0 | point >> 6);
      tail(0);
    } else if (point < 0x10000) {
      out += static_cast<char>(0xE0 | point >> 12);
      tail(6);
      tail(0);
    } else {
      out += static_cast<char>(0xF0 | point >> 18);
      tail(12);
      tail(6);
      tail(0);
    }
  }

  void read_word(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) fail("a word is not true, false or null");
    at_ += word.size();
  }

  void read_digits() {
    if (!is_digit(here())) fail("a digit is missing");
    while (is_digit(here()))
      ++at_;
  }

  void read_number() {
    const std::size_t begin = at_;
    if (here() == '-') ++at_;
    if (!is_digit(here())) {
      if (at_ < text_.size() && here() == '\0')
        throw Error(400, "json.invalid", "The JSON holds a NUL byte.");
      fail(at_ == text_.size() ? "a value is missing" : "a value begins with a wrong character");
    }
    if (here() == '0')
      ++at_;
    else
      read_digits();
    bool is_whole = true;
    bool has_exponent = false;
    if (here() == '.') {
      is_whole = false;
      ++at_;
      read_digits();
    }
    if (here() == 'e' || here() == 'E') {
      is_whole = false;
      has_exponent = true;
      ++at_;
      if (here() == '+' || here() == '-') ++at_;
      read_digits();
    }
    const std::string_view number = text_.substr(begin, at_ - begin);
    constexpr std::size_t safe = 18;  // digits that fit into 64 bits, whatever they are
    constexpr std::size_t max_double_digits = 308;
    if (is_whole && number.size() > safe) check_whole(number);
    if (!is_whole && (has_exponent || number.size() > max_double_digits)) check_finite(number);
  }

  static void check_whole(std::string_view number) {
    std::int64_t with_sign = 0;
    std::uint64_t without = 0;
    const char* last = number.data() + number.size();
    const auto error = number[0] == '-' ? std::from_chars(number.data(), last, with_sign).ec
                                        : std::from_chars(number.data(), last, without).ec;
    if (error == std::errc()) return;
    throw Error(400, "json.invalid",
                "The whole number " + std::string(number.substr(0, 40)) +
                    " in the JSON does not fit into 64 bits; write it as a text or with an "
                    "exponent.");
  }

  void check_finite(std::string_view number) {
    double value = 0;
    const auto read = std::from_chars(number.data(), number.data() + number.size(), value);
    // Too small and too large are one error to from_chars.
    if (read.ec == std::errc() || std::isfinite(std::strtod(std::string(number).c_str(), nullptr)))
      return;
    fail("a number is too large");
  }

  [[noreturn]] void fail(const char* what) const {
    const std::string_view before = text_.substr(0, at_);
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const std::size_t column = at_ - (before.rfind('\n') + 1) + 1;
    throw Error(400, "json.invalid",
                "This is not valid JSON: " + std::string(what) + ", line " + std::to_string(line) +
                    ", column " + std::to_string(column) + ".");
  }

  const std::string_view text_;
  const std::size_t max_depth_;
  std::size_t at_ = 0;
  std::vector<Open> open_;
  std::vector<std::string_view> keys_;  // of all that are open
  std::deque<std::string> decoded_;     // keys that were written with escapes
};

}  // namespace

void check_json(std::string_view text, const JsonLimits& limits) {
  if (text.size() > limits.max_bytes) {
    throw Error(413, "json.too_large",
                "The JSON has " + std::to_string(text.size()) + " bytes; at most " +
                    std::to_string(limits.max_bytes) + " are taken.");
  }
  Checker(text, limits.max_depth).run();
}

}  // namespace tenon::base
