#include "packages/signature/minisign_text.hpp"

#include <algorithm>

#include <sodium.h>

#include "base/utf8.hpp"
#include "packages/archive/package_refusal.hpp"

namespace tenon::plugins {

std::string_view MinisignText::line() {
  ++number_;
  const std::size_t size = rest_.find('\n');
  if (size == std::string_view::npos) refuse("The line is missing, or does not end.");
  const std::string_view taken = rest_.substr(0, size);
  rest_.remove_prefix(size + 1);
  return taken;
}

std::string_view MinisignText::comment(std::string_view beginning) {
  const std::string_view whole = line();
  if (!whole.starts_with(beginning))
    refuse("The line must begin with \"" + std::string(beginning) + "\".");
  const std::string_view text = whole.substr(beginning.size());
  const bool is_shown = std::all_of(text.begin(), text.end(), [](char c) {
    return c == '\t' || (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f);
  });
  if (!is_shown || !base::is_valid_utf8(text))
    refuse("The comment holds control characters or is no UTF-8.");
  return text;
}

std::string MinisignText::base64(std::size_t size) {
  const std::string_view text = line();
  std::string bytes(size, '\0');
  std::size_t got = 0;
  bool is_good =
      sodium_base642bin(reinterpret_cast<unsigned char*>(bytes.data()), bytes.size(), text.data(),
                        text.size(), nullptr, &got, nullptr, sodium_base64_VARIANT_ORIGINAL) == 0 &&
      got == size;
  // libsodium 1.0.18 takes some bytes above 0x7f for letters.
  std::string again = base64_of(bytes);
  is_good = is_good && again == text;
  sodium_memzero(again.data(), again.size());
  if (is_good) return bytes;
  sodium_memzero(bytes.data(), bytes.size());
  refuse("The line must be " + std::to_string(size) + " bytes in base64.");
}

void MinisignText::end() const {
  if (!rest_.empty()) refuse("There is extra text after this line.");
}

void MinisignText::refuse(const std::string& message) const {
  refuse_package(code_, message, file_, "line " + std::to_string(number_));
}

std::string base64_of(std::string_view bytes) {
  std::string text(sodium_base64_ENCODED_LEN(bytes.size(), sodium_base64_VARIANT_ORIGINAL), '\0');
  sodium_bin2base64(text.data(), text.size(), reinterpret_cast<const unsigned char*>(bytes.data()),
                    bytes.size(), sodium_base64_VARIANT_ORIGINAL);
  text.pop_back();
  return text;
}

std::string key_id_text(std::string_view number) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string text;
  for (std::size_t i = number.size(); i-- > 0;) {
    const auto byte = static_cast<unsigned char>(number[i]);
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

}  // namespace tenon::plugins
