#pragma once

// JSON output of the bare server: as fast as possible, without any checks.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace bench {

// Bytes that grow, written at the end without a check a byte: room() before put().
class Bytes {
 public:
  void room(std::size_t more) {
    if (size_ + more > text_.size()) text_.resize(2 * (size_ + more));
  }
  void put(std::string_view text) {
    std::memcpy(text_.data() + size_, text.data(), text.size());
    size_ += text.size();
  }
  void put(char letter) { text_[size_++] = letter; }
  void clear() { size_ = 0; }
  void drop(std::size_t count) {
    std::memmove(text_.data(), text_.data() + count, size_ - count);
    size_ -= count;
  }
  std::string_view view() const { return {text_.data(), size_}; }

 private:
  std::string text_;
  std::size_t size_ = 0;
};

constexpr bool is_special(unsigned char letter) {
  return letter < 0x20 || letter == '"' || letter == '\\';
}

// Whether JSON has to escape something in it, sixteen bytes at a time.
inline bool has_special(std::string_view text) {
  using Block = unsigned char __attribute__((vector_size(16)));
  using Flags = signed char __attribute__((vector_size(16)));
  Flags found{};
  std::size_t at = 0;
  for (; at + sizeof(Block) <= text.size(); at += sizeof(Block)) {
    Block block;
    std::memcpy(&block, text.data() + at, sizeof block);
    found |= (block < 0x20) | (block == '"') | (block == '\\');
  }
  std::uint64_t halves[2];
  std::memcpy(halves, &found, sizeof halves);
  bool is_found = (halves[0] | halves[1]) != 0;
  for (; at < text.size(); ++at)
    is_found |= is_special(static_cast<unsigned char>(text[at]));
  return is_found;
}

// Appends a JSON string and reserves its space; `text` is UTF-8.
inline void append_text(Bytes& out, std::string_view text) {
  out.room(6 * text.size() + 2);
  out.put('"');
  if (!has_special(text)) {
    out.put(text);
  } else {
    for (const char letter : text) {
      if (letter == '"' || letter == '\\') {
        out.put('\\');
        out.put(letter);
      } else if (is_special(static_cast<unsigned char>(letter))) {
        constexpr std::string_view hex = "0123456789abcdef";
        out.put("\\u00");
        out.put(hex[static_cast<unsigned char>(letter) >> 4]);
        out.put(hex[static_cast<unsigned char>(letter) & 15]);
      } else {
        out.put(letter);
      }
    }
  }
  out.put('"');
}

}  // namespace bench
