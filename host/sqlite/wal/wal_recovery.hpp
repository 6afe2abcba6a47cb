#pragma once

#include <functional>
#include <string>

namespace tenon::data::sqlite {

class Connection;

/// Writes the WAL of a file that was just opened to disk, and empties it, before anything is
/// written after it.
///
/// After a failed sync, the kernel shows bytes that never reached the disk and marks their pages
/// clean: a second sync confirms nothing. If an earlier process left such a WAL, later commits
/// would be lost with these bytes. The WAL is therefore written again with its own bytes, synced,
/// and copied into the file. `connection`: that of the writer. Throws SqlError if the disk refuses.
/// If the disk is full or another process reads, the WAL stays. Returns whether there was one: the
/// file was not closed cleanly.
///
/// Nothing ties a WAL to its file: a backup may have replaced the file. `check` checks both
/// together before the WAL is copied; if it throws, both stay as they are.
bool recover_leftover_wal(Connection& connection, const std::string& path,
                          const std::function<void()>& check = {});

}  // namespace tenon::data::sqlite
