#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace notes::text {

/// The words of a piece of inline Markdown: links as their shown text, images and HTML tags gone,
/// no marks of emphasis and code, white space as single spaces. At most `max_characters` are made,
/// and linear time is taken.
std::string plain(std::string_view markdown, std::size_t max_characters);

/// Returns the first words of a text after its front matter and after a first heading that says
/// `title`. At most `max_characters`.
std::string excerpt(std::string_view text, std::string_view title,
                    std::size_t max_characters = 160);

}  // namespace notes::text
