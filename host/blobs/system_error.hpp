#pragma once

#include <string>

namespace tenon::blobs {

/// Throws the base::Error that fits a failed call of the system: 507 "blobs.disk_full" where there
/// is no room (or the file or the user has no more), 503 "blobs.io" for all else. `what` was tried,
/// as "written"; the path and the system's reason go to the log.
[[noreturn]] void fail_system(int reason, const std::string& what, const std::string& path);

}  // namespace tenon::blobs
