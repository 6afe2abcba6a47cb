#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

namespace notes::text {

/// Splits the Markdown after the front matter into blocks, which fenced code separates: paragraphs,
/// list items, headings and rows of tables. Calls `found` with each block and its offset until
/// `found` returns false. A code span, a link or an underlined heading never leaves its block. A
/// fence in a list or quote ends with it.
void for_each_block(std::string_view text,
                    const std::function<bool(std::size_t begin, std::string_view block)>& found);

}  // namespace notes::text
