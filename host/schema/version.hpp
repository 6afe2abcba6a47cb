#pragma once

#include <string_view>

namespace tenon::data::schema {

/// True for a version of Semantic Versioning 2.0.0.
bool is_version(std::string_view text) noexcept;

/// Precedence by Semantic Versioning 2.0.0, section 11: negative, zero or positive. Both must be
/// versions.
int compare_versions(std::string_view left, std::string_view right) noexcept;

}  // namespace tenon::data::schema
