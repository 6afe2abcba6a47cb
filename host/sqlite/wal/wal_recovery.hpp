#pragma once

#include <functional>
#include <string>

namespace tenon::data::sqlite {

class Connection;

/// Makes sure that what stands in the log of a file just opened is on disk before anything is
/// written behind it, and empties the log.
///
/// After a sync that failed, the kernel shows bytes that never reached the disk and calls them
/// clean: syncing again confirms nothing. An earlier process may have left such a log, and what is
/// acknowledged behind such bytes would be lost with them. So the log is written once more with
/// its own bytes, synced, and copied into the file. `connection` is the writer's. Throws SqlError
/// when the disk refuses; where there is no room to copy, or another process reads, the log stays.
/// True when there was one: the file was not closed in order.
///
/// Nothing ties a log to its file: it may be of another one, which a backup has replaced. `judge`
/// looks at both as one before the log is copied; when it throws, both stay as they are.
bool recover_leftover_wal(Connection& connection, const std::string& path,
                         const std::function<void()>& judge = {});

}  // namespace tenon::data::sqlite
