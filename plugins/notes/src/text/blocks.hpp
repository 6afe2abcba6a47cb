#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

namespace notes::text {

/// Splits the Markdown behind the front matter into blocks: runs of lines without blank lines and
/// fenced code between them. Gives each one with its offset to `found`, until it returns false. A
/// code span, a link or an underlined heading never leaves its block.
void for_each_block(std::string_view text,
                    const std::function<bool(std::size_t begin, std::string_view block)>& found);

}  // namespace notes::text
