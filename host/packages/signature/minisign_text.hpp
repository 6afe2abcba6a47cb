#pragma once

#include <string>
#include <string_view>

namespace tenon::plugins {

/// The lines of a file of minisign, taken one by one. Not thread-safe; `text` and `file` must
/// outlive it.
class MinisignText {
 public:
  /// `code` is the code of the Refusal for a wrong file.
  MinisignText(std::string_view text, const std::string& file, const char* code)
      : rest_(text), file_(file), code_(code) {}

  /// A line of this beginning; what follows it, which is UTF-8 without control characters but tabs.
  std::string_view comment(std::string_view beginning);
  /// A line of base64 (RFC 4648, section 4) of exactly `size` bytes.
  std::string base64(std::size_t size);
  /// Refuses remaining text.
  void end() const;

  /// Throws Refusal about the line that was taken last.
  [[noreturn]] void refuse(const std::string& message) const;

 private:
  std::string_view line();

  std::string_view rest_;
  const std::string& file_;
  const char* code_;
  int number_ = 0;
};

/// Base64 with padding.
std::string base64_of(std::string_view bytes);

/// A key's number as minisign shows it: 16 hexadecimal digits, the last byte first.
std::string key_id_text(std::string_view number);

}  // namespace tenon::plugins
