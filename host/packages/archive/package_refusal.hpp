#pragma once

#include <string>
#include <utility>

#include "packages/reason.hpp"

namespace tenon::plugins {

/// Throws the Refusal (422) of a package, a signature or a key. `location` is the entry of the
/// archive or the line of the file; empty where it is the whole.
[[noreturn]] inline void refuse_package(const char* code, std::string message,
                                        const std::string& file, std::string location = {}) {
  throw Refusal({code, std::move(message), file, std::move(location)}, 422);
}

/// Throws Refusal "plugins.package_invalid".
[[noreturn]] inline void refuse_form(std::string message, const std::string& file,
                                     std::string location = {}) {
  refuse_package("plugins.package_invalid", std::move(message), file, std::move(location));
}

/// Throws Refusal "plugins.package_too_large".
[[noreturn]] inline void refuse_size(std::string message, const std::string& file,
                                     std::string location = {}) {
  refuse_package("plugins.package_too_large", std::move(message), file, std::move(location));
}

}  // namespace tenon::plugins
