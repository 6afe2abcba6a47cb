#include "records/query/query_text.hpp"

#include <algorithm>

#include <sodium.h>

#include "base/error.hpp"
#include "base/utf8.hpp"

namespace tenon::records {

namespace {

int digit(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string decode(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+') {
      out += ' ';
    } else if (text[i] != '%') {
      out += text[i];
    } else {
      const int high = i + 2 < text.size() ? digit(text[i + 1]) : -1;
      const int low = i + 2 < text.size() ? digit(text[i + 2]) : -1;
      if (high < 0 || low < 0)
        throw base::Error(400, "records.bad_query", "The query has a broken percent escape.");
      out += static_cast<char>(high * 16 + low);
      i += 2;
    }
  }
  if (!base::is_valid_utf8(out))
    throw base::Error(400, "records.bad_query", "The query is not UTF-8.");
  return out;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> parse_query(std::string_view query) {
  std::vector<std::pair<std::string, std::string>> found;
  while (!query.empty()) {
    const std::string_view part = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), part.size() + 1));
    if (part.empty()) continue;
    const std::size_t equal = std::min(part.find('='), part.size());
    std::string name = decode(part.substr(0, equal));
    std::string value = decode(part.substr(std::min(part.size(), equal + 1)));
    const bool is_second = std::any_of(found.begin(), found.end(),
                                       [&](const auto& other) { return other.first == name; });
    if (is_second) refuse_query(name, "it appears twice");
    found.emplace_back(std::move(name), std::move(value));
  }
  return found;
}

std::string to_base64url(std::string_view bytes) {
  std::string text(
      sodium_base64_ENCODED_LEN(bytes.size(), sodium_base64_VARIANT_URLSAFE_NO_PADDING), '\0');
  sodium_bin2base64(text.data(), text.size(), reinterpret_cast<const unsigned char*>(bytes.data()),
                    bytes.size(), sodium_base64_VARIANT_URLSAFE_NO_PADDING);
  text.pop_back();  // its NUL
  return text;
}

std::optional<std::string> from_base64url(std::string_view text) {
  std::string bytes(text.size(), '\0');
  std::size_t size = 0;
  if (sodium_base642bin(reinterpret_cast<unsigned char*>(bytes.data()), bytes.size(), text.data(),
                        text.size(), nullptr, &size, nullptr,
                        sodium_base64_VARIANT_URLSAFE_NO_PADDING) != 0)
    return std::nullopt;
  bytes.resize(size);
  // libsodium takes bytes beyond ASCII for letters.
  if (to_base64url(bytes) != text) return std::nullopt;
  return bytes;
}

std::optional<std::string> read_quoted(std::string_view text) {
  const bool is_quoted = text.size() >= 2 && text.front() == '"' && text.back() == '"';
  if (is_quoted) text = text.substr(1, text.size() - 2);
  std::string key;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (is_quoted && c == '\\') {
      if (++i == text.size()) return std::nullopt;
      c = text[i];
      if (c != '\\' && c != '"') return std::nullopt;
    } else if (c == '"' || (!is_quoted && (c == ' ' || c == ',' || c == ';'))) {
      return std::nullopt;
    }
    if (c < ' ' || c > '~') return std::nullopt;
    key += c;
  }
  return key;
}

void refuse_query(std::string_view parameter, const std::string& what) {
  const std::string name(parameter);
  const std::string message = name + ": " + what + ".";
  throw base::Error(400, "records.bad_query", message, {{name, "invalid", message}});
}

}  // namespace tenon::records
