#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace notes::text {

inline constexpr std::size_t max_path_bytes = 1'024;
inline constexpr std::size_t max_name_characters = 200;
inline constexpr std::size_t max_title_characters = 200;

/// True for a name that a notebook may have: 1…max_name_characters, no '/', '\', control
/// characters, no white space at its ends; not "." or "..".
bool is_notebook_name(std::string_view name) noexcept;

/// True for a file name with an ending that Markdown files have.
bool is_markdown_file(std::string_view name) noexcept;

/// True for a link's destination that is relative and names a Markdown file.
bool is_note_path(std::string_view destination) noexcept;

/// True for a link's destination that is relative: no scheme, not from the top of a site, no `?` or
/// `#`.
bool is_relative(std::string_view destination) noexcept;

/// A path of an import in its parts, the file name last; nullopt when it is no relative path of
/// proper names.
std::optional<std::vector<std::string>> split_path(std::string_view path);

/// Resolves a relative, percent-encoded destination from a note that lies in `folder` ("a/b", ""
/// for the top): returns the path without "." and ".."; nullopt when it leaves the top.
std::optional<std::string> resolve_path(std::string_view folder, std::string_view destination);

/// A file name that says `title`, with ".md".
std::string file_name_of(std::string_view title);

/// A file name without its ending.
std::string_view stem(std::string_view file) noexcept;

/// "a (2).md" of "a.md" and 2.
std::string numbered(std::string_view file, std::int64_t number);

/// A name like `wanted` that is not `taken`, which it joins: "a", "a (2)", … with an ending kept.
std::string free_name(const std::string& wanted, std::set<std::string>& taken);

/// The title a text gives itself: of its front matter, its first heading, or its file name; at most
/// max_title_characters.
std::string title_of(std::string_view text, std::string_view file);

/// A title as it is kept: control characters as spaces, trimmed, at most max_title_characters.
std::string clean_title(std::string_view title);

}  // namespace notes::text
