#include "text/scan.hpp"

#include <algorithm>
#include <utility>

#include "text/blocks.hpp"
#include "text/code_spans.hpp"
#include "text/keys.hpp"
#include "text/lines.hpp"
#include "text/paths.hpp"
#include "text/plain.hpp"
#include "text/utf8.hpp"

namespace notes::text {
namespace {

constexpr std::size_t max_heading_characters = 400;

std::string_view before_fragment(std::string_view target) {
  return target.substr(0, std::min(target.find('#'), target.size()));
}

/// Returns the text between `[[` and `]]`, from `position` on; a null view when it is not closed on
/// the line or within the limit, and for `[[1]](…)` and `[[1]][…]`, which are ordinary links with
/// brackets around their text.
std::string_view title_link_at(std::string_view block, std::size_t position) {
  const std::string_view rest = block.substr(position, max_link_bytes);
  const std::size_t end = rest.find_first_of("]\n[");
  if (end == std::string_view::npos || end + 1 >= rest.size() || rest[end] != ']' ||
      rest[end + 1] != ']') {
    return {};
  }
  const char after = end + 2 < rest.size() ? rest[end + 2] : '\n';
  if (after == '(' || after == '[') return {};
  return rest.substr(0, end);
}

/// The part of `inside` that names the note.
std::string_view title_target(std::string_view inside) {
  std::string_view target = inside.substr(0, std::min(inside.find('|'), inside.size()));
  // In a table the bar is written "\|".
  if (target.size() < inside.size() && target.ends_with('\\')) target.remove_suffix(1);
  return trim(before_fragment(target));
}

/// The destination that begins at `position`, as CommonMark 6.3 has it; empty when there is none.
std::string_view destination_at(std::string_view block, std::size_t position) {
  std::string_view rest = block.substr(position, max_link_bytes);
  const std::size_t lead = std::min(rest.find_first_not_of(" \t"), rest.size());
  rest.remove_prefix(lead);
  if (rest.starts_with('<')) {
    const std::size_t end = rest.find_first_of(">\n", 1);
    if (end == std::string_view::npos || rest[end] != '>') return {};
    return rest.substr(1, end - 1);
  }
  std::size_t depth = 0;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const char c = rest[i];
    if (c == '\\' && i + 1 < rest.size()) {
      ++i;
    } else if (c == '(') {
      ++depth;
    } else if (c == ')') {
      if (depth == 0) return rest.substr(0, i);
      --depth;
    } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      return rest.substr(0, i);
    }
  }
  return rest.size() < max_link_bytes - lead ? rest : std::string_view();
}

/// Returns where a reference definition's destination begins on a line, or npos: `[label]:
/// destination`.
std::size_t definition_at(std::string_view line) {
  const std::size_t open = line.find_first_not_of(' ');
  if (open == std::string_view::npos || open > 3 || line[open] != '[')
    return std::string_view::npos;
  const std::size_t close = line.find_first_of("]", open + 1);
  if (close == std::string_view::npos || close == open + 1 || close + 1 >= line.size() ||
      line[close + 1] != ':') {
    return std::string_view::npos;
  }
  return close + 2;
}

/// One walk over a block.
class BlockScan {
 public:
  BlockScan(std::size_t offset, std::string_view block,
            const std::function<bool(const Link&)>& found)
      : offset_(offset), block_(block), found_(found), code_(block) {}

  bool run() {
    std::size_t position = 0;
    bool at_line_begin = true;
    while (position < block_.size()) {
      if (at_line_begin) {
        at_line_begin = false;
        const std::size_t destination = definition_at(line_at(block_, position).content);
        if (destination != std::string_view::npos && !give_path(position + destination))
          return false;
      }
      const char c = block_[position];
      if (c == '\n') {
        at_line_begin = true;
        ++position;
      } else if (c == '\\') {
        position += position + 1 < block_.size() && block_[position + 1] != '\n' ? 2 : 1;
      } else if (c == '`') {
        position = code_.skip(position);
      } else if (c == '[' && block_.substr(position, 2) == "[[") {
        if (!title_link(position)) return false;
      } else if (c == ']' && block_.substr(position, 2) == "](") {
        if (!give_path(position + 2)) return false;
        position += 2;
      } else {
        ++position;
      }
    }
    return true;
  }

 private:
  bool title_link(std::size_t& position) {
    const std::string_view inside = title_link_at(block_, position + 2);
    if (inside.data() == nullptr) {
      ++position;
      return true;
    }
    position += 2 + inside.size() + 2;
    const std::string_view target = title_target(inside);
    return target.empty() || give(LinkKind::title, target);
  }

  bool give_path(std::size_t position) {
    const std::string_view target = before_fragment(destination_at(block_, position));
    return !is_note_path(target) || give(LinkKind::path, target);
  }

  bool give(LinkKind kind, std::string_view target) {
    const auto within = static_cast<std::size_t>(target.data() - block_.data());
    return found_({kind, offset_ + within, target});
  }

  std::size_t offset_;
  std::string_view block_;
  const std::function<bool(const Link&)>& found_;
  CodeSpans code_;
};

/// The text of an ATX heading, or a null view.
std::string_view atx_heading(std::string_view line) {
  const std::size_t begin = line.find_first_not_of(' ');
  if (begin == std::string_view::npos || begin > 3) return {};
  line.remove_prefix(begin);
  const std::size_t level = std::min(line.find_first_not_of('#'), line.size());
  if (level == 0 || level > 6) return {};
  line.remove_prefix(level);
  if (!line.empty() && line.front() != ' ' && line.front() != '\t') return {};
  line = trim(line);
  const std::size_t last = line.find_last_not_of('#');
  if (last == std::string_view::npos) return line.substr(0, 0);
  if (line[last] == ' ' || line[last] == '\t') line = trim(line.substr(0, last));
  return line;
}

bool is_underline(std::string_view line) {
  const std::size_t begin = line.find_first_not_of(' ');
  if (begin == std::string_view::npos || begin > 3) return false;
  line = trim(line);
  return (line.front() == '=' || line.front() == '-') &&
         line.find_first_not_of(line.front()) == std::string_view::npos;
}

std::string heading_in(std::string_view block) {
  std::string_view before;
  for (std::size_t position = 0; position < block.size();) {
    const Line line = line_at(block, position);
    position = line.next;
    const std::string_view heading = atx_heading(line.content);
    std::string words;
    if (heading.data() != nullptr) {
      words = plain(heading, max_heading_characters);
    } else if (before.data() != nullptr && is_underline(line.content)) {
      words = plain(before, max_heading_characters);
    }
    if (!words.empty()) return words;
    before = heading.data() != nullptr ? std::string_view() : line.content;
  }
  return {};
}

}  // namespace

void scan_links(std::string_view text, const std::function<bool(const Link&)>& found) {
  for_each_block(text, [&](std::size_t begin, std::string_view block) {
    if (block.find('[') == std::string_view::npos) return true;
    return BlockScan(begin, block, found).run();
  });
}

std::string first_heading(std::string_view text) {
  std::string heading;
  for_each_block(text, [&](std::size_t, std::string_view block) {
    heading = heading_in(block);
    return heading.empty();
  });
  return heading;
}

std::string replace_title_links(std::string_view text, std::string_view old_key,
                                std::string_view title, std::size_t& replaced) {
  std::string out;
  std::size_t position = 0;
  replaced = 0;
  scan_links(text, [&](const Link& link) {
    if (link.kind == LinkKind::title && fold(link.target) == old_key) {
      out.append(text.substr(position, link.begin - position)).append(title);
      position = link.begin + link.target.size();
      ++replaced;
    }
    return true;
  });
  return out.append(text.substr(position));
}

bool linkable(std::string_view title) noexcept {
  return !title.empty() && title.find_first_of("[]|#") == std::string_view::npos &&
         !title.ends_with('\\');
}

}  // namespace notes::text
