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
  bool is_installed = false;       ///< from a package; set by the lifecycle
  std::string former_folder = {};  ///< of the version that it can go back to, where its signer is
                                   ///< not revoked; set by the lifecycle; empty: none
};

}  // namespace tenon::plugins
