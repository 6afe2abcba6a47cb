#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace notes::text {

/// A YAML scalar on one line: plain (a comment after " #" is dropped), 'single' or "double" quoted.
/// Empty for what is none (a block scalar, a map, an anchor).
std::string yaml_scalar(std::string_view written);

/// A YAML flow list `[a, "b, c"]` on one line, or scalars separated by commas.
std::vector<std::string> yaml_list(std::string_view written);

/// A double-quoted YAML scalar on one line.
std::string yaml_quoted(std::string_view value);

}  // namespace notes::text
