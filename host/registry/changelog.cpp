#include "registry/changelog.hpp"

#include <algorithm>

namespace tenon::plugins {

namespace {

std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  std::string_view line = text.substr(0, end);
  text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

bool is_heading_of(std::string_view line, std::string_view version) {
  if (!line.starts_with("## ")) return false;
  line.remove_prefix(std::min(line.find_first_not_of(' ', 3), line.size()));
  if (line.starts_with('[')) line.remove_prefix(1);
  if (line.starts_with('v')) line.remove_prefix(1);
  if (!line.starts_with(version)) return false;
  line.remove_prefix(version.size());
  return line.empty() || std::string_view("] \t(:").find(line.front()) != std::string_view::npos;
}

}  // namespace

std::string changelog_of(std::string_view text, std::string_view version) {
  bool is_inside = false;
  std::string lines;
  std::size_t end = 0;  // of the last line that is not empty
  while (!text.empty()) {
    const std::string_view line = take_line(text);
    if (is_inside && (line.starts_with("## ") || line.starts_with("# "))) break;
    if (!is_inside) {
      is_inside = is_heading_of(line, version);
      continue;
    }
    const bool is_empty = line.find_first_not_of(" \t") == std::string_view::npos;
    if (is_empty && lines.empty()) continue;
    lines.append(line).append("\n");
    if (!is_empty) end = lines.size();
  }
  lines.resize(end);
  return lines;
}

}  // namespace tenon::plugins
