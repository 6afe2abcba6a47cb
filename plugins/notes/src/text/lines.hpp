#pragma once

#include <cstddef>
#include <string_view>

namespace notes::text {

/// A line of a text: where it begins, and its content without the line end.
struct Line {
  std::size_t begin = 0;  ///< offset of the first byte
  std::size_t next = 0;   ///< offset of the next line
  std::string_view content;
};

/// The line that begins at `begin`, which must be below or at `text.size()`. Lines end with LF or
/// CR LF.
inline Line line_at(std::string_view text, std::size_t begin) noexcept {
  const std::size_t feed = text.find('\n', begin);
  const std::size_t end = feed == std::string_view::npos ? text.size() : feed;
  Line line{begin, feed == std::string_view::npos ? text.size() : feed + 1,
            text.substr(begin, end - begin)};
  if (!line.content.empty() && line.content.back() == '\r') line.content.remove_suffix(1);
  return line;
}

}  // namespace notes::text
