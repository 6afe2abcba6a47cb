#include "text/blocks.hpp"

#include "text/front_matter.hpp"
#include "text/lines.hpp"
#include "text/utf8.hpp"

namespace notes::text {
namespace {

struct Fence {
  char mark = 0;
  std::size_t length = 0;
};

/// Spaces before the content, at most 4 counted; what lies deeper is no fence.
std::string_view without_indent(std::string_view line) {
  std::size_t spaces = 0;
  while (spaces < 4 && spaces < line.size() && line[spaces] == ' ')
    ++spaces;
  return spaces == 4 ? std::string_view() : line.substr(spaces);
}

Fence fence_of(std::string_view line) {
  line = without_indent(line);
  if (line.empty() || (line.front() != '`' && line.front() != '~')) return {};
  std::size_t length = 1;
  while (length < line.size() && line[length] == line.front())
    ++length;
  if (length < 3) return {};
  const bool has_backtick_after = line.find('`', length) != std::string_view::npos;
  if (line.front() == '`' && has_backtick_after) return {};
  return {line.front(), length};
}

bool closes(std::string_view line, const Fence& open) {
  const Fence fence = fence_of(line);
  if (fence.mark != open.mark || fence.length < open.length) return false;
  return trim(without_indent(line)).size() == fence.length;
}

}  // namespace

void for_each_block(std::string_view text,
                    const std::function<bool(std::size_t, std::string_view)>& found) {
  std::size_t begin = read_front_matter(text).body;
  std::size_t place = begin;
  const auto give = [&](std::size_t end) {
    return end == begin || found(begin, text.substr(begin, end - begin));
  };
  Fence open;
  while (place < text.size()) {
    const Line line = line_at(text, place);
    place = line.next;
    if (open.length != 0) {
      if (closes(line.content, open)) open = {};
      begin = place;
      continue;
    }
    const Fence fence = fence_of(line.content);
    if (fence.length == 0 && !trim(line.content).empty()) continue;
    if (!give(line.begin)) return;
    open = fence;
    begin = place;
  }
  if (open.length == 0) give(text.size());
}

}  // namespace notes::text
