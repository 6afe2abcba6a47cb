#pragma once

#include <cstdint>

namespace tenon::data {

/// The engines, and with them the dialects of SQL.
enum class Dialect : std::uint8_t { sqlite, postgresql };

}  // namespace tenon::data
