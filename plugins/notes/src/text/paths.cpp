#include "text/paths.hpp"

#include <algorithm>
#include <array>

#include "text/front_matter.hpp"
#include "text/scan.hpp"
#include "text/utf8.hpp"

namespace notes::text {
namespace {

constexpr std::array<std::string_view, 5> endings = {".md", ".markdown", ".mdown", ".mkd", ".txt"};
constexpr std::size_t max_file_characters = 100;

char lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
}

bool ends_with_folded(std::string_view text, std::string_view ending) noexcept {
  return text.size() > ending.size() &&
         std::equal(ending.rbegin(), ending.rend(), text.rbegin(),
                    [](char left, char right) { return left == lower(right); });
}

bool has_scheme(std::string_view destination) noexcept {
  for (const char c : destination) {
    if (c == ':') return true;
    if (c == '/' || c == '.' || c == '%') return false;
  }
  return false;
}

int hex_digit(char c) noexcept {
  if (c >= '0' && c <= '9') return c - '0';
  c = lower(c);
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/// Percent-encoding and backslash escapes of punctuation undone.
std::string decoded(std::string_view destination) {
  std::string out;
  for (std::size_t i = 0; i < destination.size(); ++i) {
    const char c = destination[i];
    if (c == '%' && i + 2 < destination.size() && hex_digit(destination[i + 1]) >= 0 &&
        hex_digit(destination[i + 2]) >= 0) {
      out += static_cast<char>(hex_digit(destination[i + 1]) * 16 + hex_digit(destination[i + 2]));
      i += 2;
    } else if (c == '\\' && i + 1 < destination.size()) {
      out += destination[++i];
    } else {
      out += c;
    }
  }
  return out;
}

std::vector<std::string_view> parts_of(std::string_view path) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t slash = path.find('/');
    parts.push_back(path.substr(0, slash));
    if (slash == std::string_view::npos) return parts;
    path.remove_prefix(slash + 1);
  }
}

}  // namespace

bool is_notebook_name(std::string_view name) noexcept {
  return !name.empty() && name != "." && name != ".." && trim(name) == name &&
         name.find_first_of("/\\") == std::string_view::npos && !has_control(name) &&
         name.size() <= max_name_characters * 4 && length(name) <= max_name_characters;
}

bool is_markdown_file(std::string_view name) noexcept {
  return std::any_of(endings.begin(), endings.end(),
                     [&](std::string_view ending) { return ends_with_folded(name, ending); });
}

bool is_note_path(std::string_view destination) noexcept {
  return !destination.empty() && destination.front() != '/' && !has_scheme(destination) &&
         destination.find('?') == std::string_view::npos && is_markdown_file(destination);
}

bool is_relative(std::string_view destination) noexcept {
  return !destination.empty() && destination.front() != '/' && destination.front() != '\\' &&
         !has_scheme(destination) && destination.find_first_of("?#") == std::string_view::npos;
}

std::optional<std::vector<std::string>> split_path(std::string_view path) {
  if (path.size() > max_path_bytes) return std::nullopt;
  std::vector<std::string> result;
  for (const auto part : parts_of(path)) {
    if (!is_notebook_name(part)) return std::nullopt;
    result.emplace_back(part);
  }
  return result;
}

std::optional<std::string> resolve_path(std::string_view folder, std::string_view destination) {
  const std::string path = decoded(destination);
  if (path.size() > max_path_bytes || path.find('\0') != std::string::npos || !is_valid(path))
    return std::nullopt;
  std::vector<std::string_view> parts;
  if (!folder.empty()) parts = parts_of(folder);
  for (const auto part : parts_of(path)) {
    if (part.empty() || part == ".") continue;
    if (part == "..") {
      if (parts.empty()) return std::nullopt;
      parts.pop_back();
    } else {
      parts.push_back(part);
    }
  }
  std::string result;
  for (const auto part : parts) {
    if (!result.empty()) result += '/';
    result += part;
  }
  return result;
}

std::string file_name_of(std::string_view title) {
  std::string name;
  for (std::size_t position = 0; position < title.size();) {
    const std::size_t begin = position;
    const char32_t character = next_character(title, position);
    const bool is_awkward =
        is_control(character) ||
        (character < 0x80 && std::string_view("/\\:*?\"<>|").find(static_cast<char>(character)) !=
                                 std::string_view::npos);
    if (is_awkward) {
      name += '-';
    } else {
      name += title.substr(begin, position - begin);
    }
  }
  name = std::string(trim(first(name, max_file_characters)));
  // A name that begins with a dot is hidden, and one that ends with a dot or a space is trouble on
  // Windows.
  while (name.starts_with('.'))
    name.erase(0, 1);
  while (name.ends_with('.') || name.ends_with(' '))
    name.pop_back();
  const std::string_view trimmed = trim(name);
  return (trimmed.empty() ? std::string("Untitled") : std::string(trimmed)).append(".md");
}

std::string_view stem(std::string_view file) noexcept {
  for (const auto ending : endings) {
    if (ends_with_folded(file, ending)) return file.substr(0, file.size() - ending.size());
  }
  return file;
}

std::string numbered(std::string_view file, std::int64_t number) {
  const std::string_view name = stem(file);
  return std::string(name)
      .append(" (")
      .append(std::to_string(number))
      .append(")")
      .append(file.substr(name.size()));
}

std::string free_name(const std::string& wanted, std::set<std::string>& taken) {
  std::string name = wanted;
  for (std::int64_t number = 2; !taken.insert(name).second; ++number)
    name = numbered(wanted, number);
  return name;
}

std::string title_of(std::string_view text, std::string_view file) {
  const FrontMatter front = read_front_matter(text);
  std::string title = front.title ? clean_title(*front.title) : std::string();
  if (title.empty()) title = clean_title(first_heading(text));
  if (title.empty()) title = clean_title(stem(file));
  return title;
}

std::string clean_title(std::string_view title) {
  std::string clean;
  for (std::size_t position = 0; position < title.size();) {
    const std::size_t begin = position;
    if (is_control(next_character(title, position))) {
      clean += ' ';
    } else {
      clean += title.substr(begin, position - begin);
    }
  }
  return std::string(trim(first(trim(clean), max_title_characters)));
}

}  // namespace notes::text
