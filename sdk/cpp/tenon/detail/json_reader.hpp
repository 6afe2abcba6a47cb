#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <nlohmann/json.hpp>

namespace tenon::detail {

/// Reads one JSON text into nlohmann's values with a quarter of the instructions of Json::parse for
/// a typical request body. If it accepts a text, Json::parse accepts it with the same result. If it
/// does not, the caller uses Json::parse, which also makes the error message.
class JsonReader {
 public:
  using Json = nlohmann::json;

  explicit JsonReader(std::string_view text) noexcept
      : at_(text.data()), end_(text.data() + text.size()) {}

  /// Returns false if the text is not JSON or is unusual: deeper than 64, or with a number that no
  /// double can hold.
  bool read(Json& value) { return read_value(value, max_depth) && skip_space() == end_; }

 private:
  static constexpr int max_depth = 64;

  const char* skip_space() noexcept {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\r' || *at_ == '\t'))
      ++at_;
    return at_;
  }
  bool skip(char wanted) noexcept {
    if (at_ == end_ || *at_ != wanted) return false;
    ++at_;
    return true;
  }
  bool skip_word(std::string_view word) noexcept {
    if (!std::string_view(at_, end_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

  bool read_value(Json& value, int depth) {
    if (skip_space() == end_) return false;
    switch (*at_) {
      case '{':
        return depth > 0 && read_object(value, depth - 1);
      case '[':
        return depth > 0 && read_array(value, depth - 1);
      case '"':
        value = Json::string_t();
        return read_string(value.get_ref<Json::string_t&>());
      case 't':
        value = true;
        return skip_word("true");
      case 'f':
        value = false;
        return skip_word("false");
      case 'n':
        value = nullptr;
        return skip_word("null");
      default:
        return read_number(value);
    }
  }

  bool read_object(Json& value, int depth) {
    value = Json::object();
    auto& members = value.get_ref<Json::object_t&>();
    ++at_;
    skip_space();
    if (skip('}')) return true;
    for (;;) {
      std::string name;
      skip_space();
      if (!read_string(name)) return false;
      skip_space();
      // If several members have one name, the last one wins.
      if (!skip(':') || !read_value(members[std::move(name)], depth)) return false;
      skip_space();
      if (skip('}')) return true;
      if (!skip(',')) return false;
    }
  }

  bool read_array(Json& value, int depth) {
    value = Json::array();
    auto& elements = value.get_ref<Json::array_t&>();
    ++at_;
    skip_space();
    if (skip(']')) return true;
    for (;;) {
      if (!read_value(elements.emplace_back(), depth)) return false;
      skip_space();
      if (skip(']')) return true;
      if (!skip(',')) return false;
    }
  }

  bool read_number(Json& value) {
    const char* const begin = at_;
    const bool is_negative = skip('-');
    const char* const digits = at_;
    skip_digits();
    if (at_ == digits || (*digits == '0' && at_ - digits > 1)) return false;
    bool is_whole = true;
    if (skip('.')) {
      is_whole = false;
      if (!skip_digits()) return false;
    }
    if (at_ != end_ && (*at_ == 'e' || *at_ == 'E')) {
      is_whole = false;
      ++at_;
      if (!skip('+')) skip('-');
      if (!skip_digits()) return false;
    }
    if (is_whole) {
      std::int64_t integer = 0;
      std::uint64_t natural = 0;
      if (is_negative && std::from_chars(begin, at_, integer).ec == std::errc()) {
        value = integer;
        return true;
      }
      if (!is_negative && std::from_chars(begin, at_, natural).ec == std::errc()) {
        value = natural;
        return true;
      }
    }
    double number = 0;
    if (std::from_chars(begin, at_, number).ec != std::errc()) return false;
    value = number;
    return true;
  }
  bool skip_digits() noexcept {
    const char* const begin = at_;
    while (at_ != end_ && *at_ >= '0' && *at_ <= '9')
      ++at_;
    return at_ != begin;
  }

  bool read_string(std::string& out) {
    if (!skip('"')) return false;
    for (;;) {
      const char* const begin = at_;
      skip_plain();
      out.append(begin, at_);
      if (at_ == end_) return false;
      const auto byte = static_cast<unsigned char>(*at_);
      if (byte == '"') return ++at_, true;
      if (byte == '\\' ? !read_escape(out) : byte < 0x20 || !read_character(out)) return false;
    }
  }

  // Skips to the next byte that is a quote, a backslash, a control character or not ASCII.
  void skip_plain() noexcept {
    constexpr std::uint64_t ones = 0x0101010101010101;
    constexpr std::uint64_t tops = 0x8080808080808080;
    while (end_ - at_ >= 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, at_, 8);
      const std::uint64_t quote = word ^ (ones * '"');
      const std::uint64_t backslash = word ^ (ones * '\\');
      // A top bit is set if a byte of the three differences is below zero. Higher bytes may be
      // reported wrongly; then the loop below finds the position.
      if ((((quote - ones) | (backslash - ones) | (word - ones * 0x20)) | word) & tops) break;
      at_ += 8;
    }
    while (at_ != end_ && *at_ != '"' && *at_ != '\\' && static_cast<unsigned char>(*at_) >= 0x20 &&
           static_cast<unsigned char>(*at_) < 0x80)
      ++at_;
  }

  bool read_escape(std::string& out) {
    constexpr std::string_view names = "\"\\/bfnrt";
    constexpr std::string_view values = "\"\\/\b\f\n\r\t";
    if (++at_ == end_) return false;
    const char name = *at_++;
    if (const std::size_t found = names.find(name); found != std::string_view::npos)
      return out.push_back(values[found]), true;
    std::uint32_t unit = 0;
    if (name != 'u' || !read_unit(unit) || (unit >= 0xDC00 && unit < 0xE000)) return false;
    if (unit >= 0xD800 && unit < 0xDC00) {
      std::uint32_t low = 0;
      if (!skip_word("\\u") || !read_unit(low) || low < 0xDC00 || low >= 0xE000) return false;
      unit = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
    }
    append(out, unit);
    return true;
  }
  bool read_unit(std::uint32_t& unit) noexcept {
    if (end_ - at_ < 4) return false;
    const auto [end, error] = std::from_chars(at_, at_ + 4, unit, 16);
    if (error != std::errc() || end != at_ + 4) return false;
    at_ += 4;
    return true;
  }
  static void append(std::string& out, std::uint32_t point) {
    const auto continuation = [&](int shift) {
      out.push_back(static_cast<char>(0x80 | ((point >> shift) & 0x3F)));
    };
    if (point < 0x80) {
      out.push_back(static_cast<char>(point));
    } else if (point < 0x800) {
      out.push_back(static_cast<char>(0xC0 | (point >> 6)));
      continuation(0);
    } else if (point < 0x10000) {
      out.push_back(static_cast<char>(0xE0 | (point >> 12)));
      continuation(6);
      continuation(0);
    } else {
      out.push_back(static_cast<char>(0xF0 | (point >> 18)));
      continuation(12);
      continuation(6);
      continuation(0);
    }
  }

  // Reads one character that is not ASCII, in well-formed UTF-8 (Unicode 15, table 3-7).
  bool read_character(std::string& out) {
    const auto byte = [this](std::ptrdiff_t index) {
      return end_ - at_ > index ? static_cast<unsigned char>(at_[index]) : 0U;
    };
    const unsigned first = byte(0);
    const std::ptrdiff_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    const unsigned min = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
    const unsigned max = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
    if (first < 0xC2 || first > 0xF4 || byte(1) < min || byte(1) > max) return false;
    for (std::ptrdiff_t i = 2; i < length; ++i) {
      if (byte(i) < 0x80 || byte(i) > 0xBF) return false;
    }
    out.append(at_, static_cast<std::size_t>(length));
    at_ += length;
    return true;
  }

  const char* at_;
  const char* end_;
};

}  // namespace tenon::detail
