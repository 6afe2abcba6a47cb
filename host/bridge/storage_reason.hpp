#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "packages/reason.hpp"

namespace tenon::plugins {

/// Returns the reason that the admin sees for a storage fault of a plugin: what is wrong with
/// `file` and what to do. `code` is that of an error of the data room, `detail` the engine's own
/// message. None for a code that is not about storage.
std::optional<Reason> storage_reason(std::string_view code, std::string_view detail,
                                     const std::string& file);

}  // namespace tenon::plugins
