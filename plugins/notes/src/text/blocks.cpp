#include "text/blocks.hpp"

#include <algorithm>

#include "text/front_matter.hpp"
#include "text/lines.hpp"
#include "text/utf8.hpp"

namespace notes::text {
namespace {

/// A line without the marks and the indentation of the lists and quotes that contain it.
struct Content {
  std::string_view text;
  bool is_nested = false;  ///< a mark or at least 4 columns of indentation come first
  bool is_quoted = false;
  bool is_item = false;  ///< the line begins a list item
};

/// The length of the list mark at the beginning of `text` ("-", "1."), or 0.
std::size_t list_mark(std::string_view text) {
  constexpr std::size_t max_digits = 9;
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const std::string_view ends = digits == 0 ? "-*+" : ".)";
  if (digits > max_digits || digits == text.size() ||
      ends.find(text[digits]) == std::string_view::npos) {
    return 0;
  }
  const std::size_t size = digits + 1;
  return size == text.size() || text[size] == ' ' || text[size] == '\t' ? size : 0;
}

Content content_of(std::string_view line) {
  Content content;
  std::size_t position = 0;
  while (position < line.size()) {
    const std::size_t mark = list_mark(line.substr(position));
    if (mark != 0) {
      content.is_item = true;
      position += mark;
    } else if (line[position] == '>') {
      content.is_quoted = true;
      ++position;
    } else if (line[position] == ' ' || line[position] == '\t') {
      ++position;
    } else {
      break;
    }
  }
  content.text = line.substr(position);
  const std::string_view before = line.substr(0, position);
  content.is_nested = content.is_item || content.is_quoted || before.size() > 3 ||
                      before.find('\t') != std::string_view::npos;
  return content;
}

/// A line that no code span leaves: a heading or a row of a table.
bool is_alone(std::string_view content) {
  const std::size_t level = std::min(content.find_first_not_of('#'), content.size());
  const bool is_heading =
      level >= 1 && level <= 6 && (level == content.size() || content[level] == ' ');
  return is_heading || content.starts_with('|');
}

struct Fence {
  char mark = 0;
  std::size_t length = 0;
  bool is_nested = false;
  bool is_quoted = false;
};

Fence fence_of(const Content& content) {
  const std::string_view line = content.text;
  if (line.empty() || (line.front() != '`' && line.front() != '~')) return {};
  const std::size_t length = std::min(line.find_first_not_of(line.front()), line.size());
  if (length < 3) return {};
  const bool has_backtick_after = line.find('`', length) != std::string_view::npos;
  if (line.front() == '`' && has_backtick_after) return {};
  return {line.front(), length, content.is_nested, content.is_quoted};
}

bool closes(const Content& content, const Fence& open) {
  if (content.is_item || (content.is_nested && !open.is_nested)) return false;
  const Fence fence = fence_of(content);
  return fence.mark == open.mark && fence.length >= open.length &&
         trim(content.text).size() == fence.length;
}

/// True for a line outside of the list or quote in which `open` began, which ends with it.
bool leaves(std::string_view line, const Content& content, const Fence& open) {
  if (open.is_quoted) return !content.is_quoted;
  return open.is_nested && !trim(line).empty() && line.front() != ' ' && line.front() != '\t';
}

}  // namespace

void for_each_block(std::string_view text,
                    const std::function<bool(std::size_t, std::string_view)>& found) {
  std::size_t begin = read_front_matter(text).body;
  std::size_t position = begin;
  const auto give = [&](std::size_t end) {
    return end == begin || found(begin, text.substr(begin, end - begin));
  };
  Fence open;
  Content last;
  while (position < text.size()) {
    const Line line = line_at(text, position);
    const Content content = content_of(line.content);
    position = line.next;
    if (open.length != 0 && leaves(line.content, content, open)) {
      open = {};
      begin = line.begin;
    }
    if (open.length != 0) {
      if (closes(content, open)) open = {};
      begin = position;
      continue;
    }
    const Fence fence = fence_of(content);
    if (fence.length != 0 || trim(line.content).empty()) {
      if (!give(line.begin)) return;
      open = fence;
      begin = position;
    } else if (content.is_item || content.is_quoted > last.is_quoted || is_alone(content.text) ||
               is_alone(last.text)) {
      if (!give(line.begin)) return;
      begin = line.begin;
    }
    last = content;
  }
  if (open.length == 0) give(text.size());
}

}  // namespace notes::text
