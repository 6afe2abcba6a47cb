#pragma once

#include <cstdint>

namespace tenon::plugins {

/// The phase of an activation, as the contract lines of the ABI name it. Ascends.
enum class Phase : std::uint8_t {
  created,    ///< inside create
  starting,   ///< inside start
  active,     ///< routes are called
  quiescing,  ///< no new calls come
  stopping,   ///< every call has returned
  over        ///< nothing is asked of the plugin any more; what it still asks is refused
};

}  // namespace tenon::plugins
