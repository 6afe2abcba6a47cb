#pragma once

#include <string>

namespace tenon::plugins {

/// Throws Refusal 422 "plugins.export_invalid": it is no export, or not one that this program
/// wrote. `location` is the entry; empty where it is the whole.
[[noreturn]] void refuse_export_form(std::string message, const std::string& file,
                                     std::string location = {});
/// Throws Refusal 422 "plugins.export_damaged": it is cut off, or its bytes were changed.
[[noreturn]] void refuse_export_damage(std::string message, const std::string& file,
                                       std::string location = {});
/// Throws Refusal 422 "plugins.export_too_large": an entry is beyond its limit.
[[noreturn]] void refuse_export_size(std::string message, const std::string& file,
                                     std::string location);
/// Throws Refusal "plugins.export_write_failed" for an errno: 507 if the disk is full, else 503.
[[noreturn]] void fail_export_write(int error, const std::string& file);

}  // namespace tenon::plugins
