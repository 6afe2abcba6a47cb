#pragma once

#include <string>
#include <string_view>

namespace tenon::plugins {

/// Returns the part of a CHANGELOG.md about one version: the lines below the heading "## 1.2.0",
/// "## v1.2.0", "## [1.2.0] - 2030-01-01" or the like, up to the next heading of that level or
/// above it, with empty lines at both ends left out. Empty where there is no such heading.
std::string changelog_of(std::string_view text, std::string_view version);

}  // namespace tenon::plugins
