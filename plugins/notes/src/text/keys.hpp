#pragma once

#include <string>
#include <string_view>

namespace notes::text {

/// Returns the key by which titles, tags and file names are compared and sorted: lower case (Latin,
/// Greek, Cyrillic, Armenian), trimmed, runs of white space as one space. Two texts with the same
/// key are the same name. Stored: what it gives for a text must not change.
std::string fold(std::string_view text);

}  // namespace notes::text
