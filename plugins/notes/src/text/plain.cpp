#include "text/plain.hpp"

#include <algorithm>

#include "text/blocks.hpp"
#include "text/keys.hpp"
#include "text/utf8.hpp"

namespace notes::text {
namespace {

constexpr std::size_t look_ahead = 512;
constexpr std::size_t excerpt_source_bytes = 4'096;

bool is_word(char c) noexcept {
  return (static_cast<unsigned char>(c) & 0x80U) != 0 || (c >= '0' && c <= '9') ||
         (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool is_punctuation(char c) noexcept {
  return c > ' ' && static_cast<unsigned char>(c) < 0x7FU && !is_word(c);
}

/// Returns the offset after the next `mark` within reach on this line, or npos.
std::size_t position_after(std::string_view in, std::size_t position, char mark) {
  const std::string_view rest = in.substr(position, look_ahead);
  const std::size_t end = rest.find_first_of(std::string{mark, '\n'});
  return end == std::string_view::npos || rest[end] != mark ? std::string_view::npos
                                                            : position + end + 1;
}

/// Collects words: white space becomes one space, and the count of characters is kept.
class Words {
 public:
  explicit Words(std::size_t max_characters) : max_characters_(max_characters) {}
  bool full() const noexcept { return count_ >= max_characters_; }
  void put(std::string_view character) {
    if (character == " " || character == "\n" || character == "\t" || character == "\r") {
      gap_ = !out_.empty();
      return;
    }
    if (gap_) {
      out_ += ' ';
      ++count_;
    }
    gap_ = false;
    out_ += character;
    ++count_;
  }
  std::string take() { return std::string(first(out_, max_characters_)); }

 private:
  std::string out_;
  std::size_t max_characters_;
  std::size_t count_ = 0;
  bool gap_ = false;
};

bool begins_tag(std::string_view in, std::size_t position) {
  const char after = position + 1 < in.size() ? in[position + 1] : ' ';
  return after == '/' || after == '!' || (is_word(after) && (after < '0' || after > '9'));
}

/// Marks at the beginning of a line that say what block it is: quotes, list marks, table bars,
/// headings.
std::size_t after_block_marks(std::string_view in, std::size_t position) {
  while (position < in.size() &&
         std::string_view(" \t>#|+").find(in[position]) != std::string_view::npos) {
    ++position;
  }
  if (position + 1 < in.size() && (in[position] == '-' || in[position] == '*') &&
      in[position + 1] == ' ') {
    position += 2;
  }
  return position;
}

class Plain {
 public:
  Plain(std::string_view in, Words& out) : in_(in), out_(out) {}

  void run(bool has_blocks) {
    std::size_t position = has_blocks ? begin_line(0) : 0;
    while (position < in_.size() && !out_.full()) {
      const std::size_t next = step(position);
      const bool line_ended = in_[position] == '\n';
      position = line_ended && has_blocks ? begin_line(next) : next;
    }
  }

 private:
  /// Returns where the words of the line at `position` begin: its end when it only divides others,
  /// as the second line of a table does.
  std::size_t begin_line(std::size_t position) {
    const std::size_t end = std::min(in_.find('\n', position), in_.size());
    const std::string_view line = trim(in_.substr(position, end - position));
    is_row_ = line.starts_with('|');
    if (line.size() >= 3 && line.find_first_not_of("-=|: \t") == std::string_view::npos) return end;
    return after_block_marks(in_, position);
  }

  std::size_t step(std::size_t position) {
    const char c = in_[position];
    const char after = position + 1 < in_.size() ? in_[position + 1] : '\n';
    switch (c) {
      case '\\':
        if (is_punctuation(after)) return copy(position + 1);
        break;
      case '!':
        if (after == '[') return skip_image(position);
        break;
      case '[':
        return after == '[' ? title_link(position) : position + 1;
      case ']':
        return after == '(' ? skip_destination(position + 1) : position + 1;
      case '<':
        if (begins_tag(in_, position)) {
          const std::size_t end = position_after(in_, position + 1, '>');
          if (end != std::string_view::npos) return end;
        }
        break;
      case '`':
        return position + 1;
      case '|':
        if (!is_row_) break;
        out_.put(" ");
        return position + 1;
      case '*':
      case '~':
      case '_': {
        const bool inside_word = position > 0 && is_word(in_[position - 1]) && is_word(after);
        if (c != '_' || !inside_word) return position + 1;
        break;
      }
      default:
        break;
    }
    return copy(position);
  }

  std::size_t copy(std::size_t position) {
    const std::size_t begin = position;
    const char32_t character = next_character(in_, position);
    if (is_control(character)) {
      out_.put(" ");
    } else if (character !=
               0xFFFD) {  // also the half of a character at the end of what is looked at
      out_.put(in_.substr(begin, position - begin));
    }
    return position;
  }

  std::size_t skip_image(std::size_t position) {
    const std::size_t end = position_after(in_, position + 2, ']');
    if (end == std::string_view::npos) return position + 2;
    return end < in_.size() && (in_[end] == '(' || in_[end] == '[') ? skip_destination(end) : end;
  }

  /// `[[target|shown]]` gives `shown`, else `target`: both up to the `]]`, so only a `target|` must
  /// go.
  std::size_t title_link(std::size_t position) {
    const std::string_view rest = in_.substr(position + 2, look_ahead);
    const std::size_t stop = rest.find_first_of("|]\n");
    const bool has_shown = stop != std::string_view::npos && rest[stop] == '|';
    return has_shown ? position + 2 + stop + 1 : position + 2;
  }

  std::size_t skip_destination(std::size_t position) {
    const std::size_t end = position_after(in_, position + 1, in_[position] == '(' ? ')' : ']');
    return end == std::string_view::npos ? position + 1 : end;
  }

  std::string_view in_;
  Words& out_;
  bool is_row_ = false;  // of a table
};

}  // namespace

std::string plain(std::string_view markdown, std::size_t max_characters) {
  Words words(max_characters);
  Plain(markdown, words).run(false);
  return words.take();
}

std::string excerpt(std::string_view text, std::string_view title, std::size_t max_characters) {
  Words words(max_characters);
  const std::string title_key = fold(title);
  std::size_t read = 0;
  bool is_first = true;
  for_each_block(text, [&](std::size_t, std::string_view block) {
    block = block.substr(0, excerpt_source_bytes);
    read += block.size();
    // A heading that repeats the title says nothing new.
    const std::size_t line_end = std::min(block.find('\n'), block.size());
    const std::string_view line = block.substr(0, line_end);
    const std::string head = is_first ? plain(line.substr(after_block_marks(line, 0)), 400) : "";
    if (!head.empty() && fold(head) == title_key) {
      block.remove_prefix(line_end);
      const std::size_t next = std::min(block.find_first_not_of("\r\n"), block.size());
      const std::size_t rest = std::min(block.find_first_not_of("=-", next), block.size());
      if (rest > next) block.remove_prefix(rest);
    }
    if (trim(block).find_first_not_of("-=*_| \t\r\n:") == std::string_view::npos) return true;
    is_first = false;
    words.put(" ");
    Plain(block, words).run(true);
    return !words.full() && read < excerpt_source_bytes;
  });
  return words.take();
}

}  // namespace notes::text
