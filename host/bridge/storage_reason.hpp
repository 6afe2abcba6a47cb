#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "packages/reason.hpp"

namespace tenon::plugins {

/// What the admin is told of the storage of a plugin: what is wrong with `file` and what to do.
/// `code` is that of an error of the data room, `detail` the engine's own words. None for a code
/// that does not speak of storage.
std::optional<Reason> storage_reason(std::string_view code, std::string_view detail,
                                     const std::string& file);

}  // namespace tenon::plugins
