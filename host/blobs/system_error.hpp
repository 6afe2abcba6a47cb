#pragma once

#include <string>

namespace tenon::blobs {

/// Throws the base::Error that fits a failed call of the system: 507 "blobs.disk_full" if the
/// disk is full (or the file or the user is at a limit), 503 "blobs.io" for all else. `what` was
/// tried, as "written"; the path and the system's reason go to the log.
[[noreturn]] void fail_system(int reason, const std::string& what, const std::string& path);

}  // namespace tenon::blobs
