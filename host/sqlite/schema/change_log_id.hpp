#pragma once

#include <string>

namespace tenon::data::sqlite {

/// Gives the change log of a file a new id (schema/change_log.hpp), so that its consumers start
/// over: the changes since the file was copied are not in it, and their numbers are used again.
/// Does nothing if the file has no change log. No other process may have the file open, and it must
/// not be in WAL mode. Writes without a sync, and leaves no files next to it. Throws 507
/// data.disk_full, 503 data.io.
void reset_change_log_id(const std::string& path);

}  // namespace tenon::data::sqlite
