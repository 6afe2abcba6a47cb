#include "text/exported.hpp"

#include <optional>
#include <set>

#include "text/front_matter.hpp"
#include "text/keys.hpp"
#include "text/paths.hpp"

namespace notes::text {
namespace {

std::set<std::string> keys_of(const std::vector<std::string>& tags) {
  std::set<std::string> keys;
  for (const auto& tag : tags)
    keys.insert(fold(tag));
  return keys;
}

}  // namespace

std::string exported_text(std::string_view text, const std::string& title, std::string_view file,
                          const std::vector<std::string>& tags) {
  std::optional<std::string> new_title;
  if (!title.empty() && title_of(text, file) != title) new_title = title;
  std::optional<std::vector<std::string>> new_tags;
  if (keys_of(read_front_matter(text).tags) != keys_of(tags)) new_tags = tags;
  return with_front_matter(text, new_title, new_tags);
}

std::string attachment(std::string_view file) {
  constexpr std::string_view plain = "!#$&+-.^_`|~";
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string out = "attachment; filename*=UTF-8''";
  for (const char c : file) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                          (c >= 'A' && c <= 'Z') || plain.find(c) != std::string_view::npos;
    if (is_plain) {
      out += c;
    } else {
      out += '%';
      out += digits[byte >> 4U];
      out += digits[byte & 0xFU];
    }
  }
  return out;
}

}  // namespace notes::text
