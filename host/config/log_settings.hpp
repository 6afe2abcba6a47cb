#pragma once

#include <cstdint>

namespace tenon::config {

enum class LogFormat : std::uint8_t {
  automatic,  ///< text when the log goes to a terminal, else JSON lines
  text,
  json
};

enum class LogLevel : std::uint8_t { debug, info, warning, error };

struct LogSettings {
  LogFormat format = LogFormat::automatic;
  LogLevel level = LogLevel::info;
  bool access = true;  ///< one line for every finished request
};

}  // namespace tenon::config
