#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace notes::text {

enum class LinkKind : std::uint8_t { title, path };

/// A link in a text. `target` is part of the text that was scanned.
struct Link {
  LinkKind kind = LinkKind::title;
  std::size_t begin = 0;    ///< offset of `target`
  std::string_view target;  ///< [[target]], or the destination of [shown](target), without "#…"
};

/// Longest `[[…]]` and longest destination, in bytes; longer ones are text.
inline constexpr std::size_t max_link_bytes = 2'048;

/// Gives every link to a note in a Markdown text to `found`, in order, until it returns false:
/// `[[Title]]`, `[[Title|shown]]`, and inline links and reference definitions with a relative
/// destination that names a Markdown file. Front matter, code spans and fenced code have none. Time
/// is linear in the text for every input.
void scan_links(std::string_view text, const std::function<bool(const Link&)>& found);

/// The first heading (`# …` or underlined) that has text, as plain text; empty without one.
std::string first_heading(std::string_view text);

/// The text with the targets of its title links whose fold() is `old_key` replaced by `title`.
/// `title` must be linkable(). `replaced` counts them.
std::string replace_title_links(std::string_view text, std::string_view old_key,
                                std::string_view title, std::size_t& replaced);

/// Returns whether a title can be written in `[[…]]`: not empty and without `[ ] | #`.
bool linkable(std::string_view title) noexcept;

}  // namespace notes::text
