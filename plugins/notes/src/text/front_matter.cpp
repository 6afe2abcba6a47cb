#include "text/front_matter.hpp"

#include <algorithm>
#include <utility>

#include "text/keys.hpp"
#include "text/lines.hpp"
#include "text/utf8.hpp"
#include "text/yaml_value.hpp"

namespace notes::text {
namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

/// A key of the block with the lines that are its own: the one that has the key and the indented or
/// listed ones below.
struct Entry {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string_view value;
  std::vector<std::string_view> below;
  bool found = false;
};

struct Block {
  bool present = false;
  std::size_t inner = 0;  ///< where the first line after the opening begins
  std::size_t close = 0;  ///< where the closing line begins
  std::size_t body = 0;
  bool has_carriage_return = false;
  Entry title;
  Entry tags;
};

bool is_fence(std::string_view line, bool closing) {
  while (!line.empty() && (line.back() == ' ' || line.back() == '\t'))
    line.remove_suffix(1);
  return line == "---" || (closing && line == "...");
}

bool continues_entry(std::string_view line) {
  if (trim(line).empty()) return false;
  return line.front() == ' ' || line.front() == '\t' || line == "-" || line.starts_with("- ");
}

bool begins_key(std::string_view line, std::string_view key) {
  return line.size() > key.size() && line.starts_with(key) && line[key.size()] == ':' &&
         (line.size() == key.size() + 1 || line[key.size() + 1] == ' ' ||
          line[key.size() + 1] == '\t');
}

Entry read_entry(std::string_view text, const Line& line, std::size_t key_size, std::size_t close) {
  Entry entry{line.begin, line.next, line.content.substr(key_size + 1), {}, true};
  while (entry.end < close) {
    const Line below = line_at(text, entry.end);
    if (!continues_entry(below.content)) break;
    entry.below.push_back(trim(below.content));
    entry.end = below.next;
  }
  return entry;
}

Block read_block(std::string_view text) {
  Block block;
  const std::size_t start = text.starts_with(byte_order_mark) ? byte_order_mark.size() : 0;
  const Line opening = line_at(text, start);
  if (!is_fence(opening.content, false) || opening.next == text.size()) return block;
  block.inner = opening.next;
  block.has_carriage_return = text[opening.next - 2] == '\r';
  std::size_t position = opening.next;
  while (position < text.size() && position < max_front_matter_bytes) {
    const Line line = line_at(text, position);
    if (is_fence(line.content, true)) {
      block.present = true;
      block.close = line.begin;
      block.body = line.next;
      break;
    }
    position = line.next;
  }
  if (!block.present) return block;
  for (position = block.inner; position < block.close;) {
    const Line line = line_at(text, position);
    position = line.next;
    if (!block.title.found && begins_key(line.content, "title")) {
      block.title = read_entry(text, line, 5, block.close);
    } else if (!block.tags.found && begins_key(line.content, "tags")) {
      block.tags = read_entry(text, line, 4, block.close);
    }
  }
  return block;
}

std::vector<std::string> read_tags(const Entry& entry) {
  std::vector<std::string> written;
  if (!trim(entry.value).empty() && trim(entry.value).front() != '#') {
    std::string joined(trim(entry.value));
    // A flow list may continue in the lines below.
    if (joined.front() == '[') {
      for (const auto line : entry.below)
        joined.append(" ").append(line);
    }
    written = yaml_list(joined);
  } else {
    for (const auto line : entry.below) {
      if (line.starts_with("-")) written.push_back(yaml_scalar(line.substr(1)));
    }
  }
  std::vector<std::string> tags;
  std::vector<std::string> keys;
  for (const auto& each : written) {
    std::string name = tag_name(each);
    std::string key = fold(name);
    if (key.empty() || std::find(keys.begin(), keys.end(), key) != keys.end()) continue;
    if (tags.size() == max_tags) break;
    tags.push_back(std::move(name));
    keys.push_back(std::move(key));
  }
  return tags;
}

std::string title_line(const std::string& title, std::string_view line_end) {
  return std::string("title: ").append(yaml_quoted(title)).append(line_end);
}

std::string tags_line(const std::vector<std::string>& tags, std::string_view line_end) {
  std::string line = "tags: [";
  for (const auto& tag : tags) {
    if (line.back() != '[') line += ", ";
    line += yaml_quoted(tag);
  }
  return line.append("]").append(line_end);
}

}  // namespace

std::string tag_name(std::string_view written) {
  written = trim(written);
  while (written.starts_with('#'))
    written = trim(written.substr(1));
  if (written.empty() || has_control(written) || written.find(',') != std::string_view::npos ||
      length(written) > max_tag_characters) {
    return {};
  }
  return std::string(written);
}

FrontMatter read_front_matter(std::string_view text) {
  const Block block = read_block(text);
  FrontMatter result;
  if (!block.present) return result;
  result.present = true;
  result.body = block.body;
  if (block.title.found) {
    std::string title = yaml_scalar(block.title.value);
    if (!title.empty()) result.title = std::move(title);
  }
  if (block.tags.found) result.tags = read_tags(block.tags);
  return result;
}

std::string with_front_matter(std::string_view text, const std::optional<std::string>& title,
                              const std::optional<std::vector<std::string>>& tags) {
  if (!title && !tags) return std::string(text);
  const Block block = read_block(text);
  const std::size_t start = text.starts_with(byte_order_mark) ? byte_order_mark.size() : 0;
  std::string out(text.substr(0, start));
  if (!block.present) {
    const std::size_t feed = text.find('\n');
    const bool has_carriage_return =
        feed != std::string_view::npos && feed > 0 && text[feed - 1] == '\r';
    const std::string_view line_end = has_carriage_return ? "\r\n" : "\n";
    out.append("---").append(line_end);
    if (title) out += title_line(*title, line_end);
    if (tags) out += tags_line(*tags, line_end);
    return out.append("---").append(line_end).append(text.substr(start));
  }
  const std::string_view line_end = block.has_carriage_return ? "\r\n" : "\n";
  struct Change {
    std::size_t begin;
    std::size_t end;
    std::string line;
  };
  std::vector<Change> changes;
  if (title) {
    const auto& at = block.title;
    changes.push_back({at.found ? at.begin : block.inner, at.found ? at.end : block.inner,
                       title_line(*title, line_end)});
  }
  if (tags) {
    const auto& at = block.tags;
    changes.push_back({at.found ? at.begin : block.close, at.found ? at.end : block.close,
                       tags_line(*tags, line_end)});
  }
  std::stable_sort(changes.begin(), changes.end(), [](const Change& left, const Change& right) {
    return left.begin < right.begin;
  });
  std::size_t position = start;
  for (const auto& change : changes) {
    out.append(text.substr(position, change.begin - position)).append(change.line);
    position = change.end;
  }
  return out.append(text.substr(position));
}

}  // namespace notes::text
