#pragma once

#include <cstdint>
#include <string>

namespace tenon::plugins {

struct Manifest;

/// A plugin that is about to become active, or is. Borrowed.
struct ActivePlugin {
  const Manifest& manifest;
  const std::string& folder;  ///< absolute
  std::uint64_t generation;
};

}  // namespace tenon::plugins
