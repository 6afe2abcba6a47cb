#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "plugins/reason.hpp"

namespace tenon::data {
enum class Fault : std::uint8_t;
}

namespace tenon::plugins {

/// What the admin is told of the storage of a plugin: what is wrong with `file` and what to do.
/// `code` is that of an error of the data room, `detail` the engine's own words. None for a code
/// that does not speak of storage.
std::optional<Reason> storage_reason(std::string_view code, std::string_view detail,
                                     const std::string& file);

/// The code under which a fault is told; empty for the end of one.
std::string_view code_of(data::Fault fault) noexcept;

}  // namespace tenon::plugins
