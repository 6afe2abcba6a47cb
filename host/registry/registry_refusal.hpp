#pragma once

#include <string>
#include <utility>

#include "packages/reason.hpp"

namespace tenon::plugins {

/// Throws the Refusal (422) of an index. `location` is the location in its JSON; empty where it is
/// the whole.
[[noreturn]] inline void refuse_index(std::string message, const std::string& file,
                                      std::string location = {}) {
  throw Refusal({"plugins.registry_invalid", std::move(message), file, std::move(location)}, 422);
}

/// Throws Refusal "plugins.registry_too_large".
[[noreturn]] inline void refuse_index_size(std::string message, const std::string& file,
                                           std::string location = {}) {
  throw Refusal({"plugins.registry_too_large", std::move(message), file, std::move(location)}, 422);
}

}  // namespace tenon::plugins
