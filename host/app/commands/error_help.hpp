#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tenon::app {

/// docs/errors.md, compiled in.
extern const std::string_view error_pages;

/// Returns the explanation of an error code as plain text; empty if there is none.
std::string explain_error(std::string_view code);

/// Returns all codes that are explained, sorted.
std::vector<std::string> explained_errors();

}  // namespace tenon::app
