#pragma once

#include <string>
#include <system_error>

namespace tenon::data {

/// Makes a folder, and those above it that are missing, for the user of this process alone (mode
/// 0700), whatever the umask of the process is: a plugin may change it. Any thread.
/// Returns false when the folder is there already, and when `failure` says why it cannot be made.
bool make_private_folders(const std::string& path, std::error_code& failure);

}  // namespace tenon::data
