#pragma once

#include <cstdint>
#include <string>

namespace tenon::data::sqlite {

/// Applies the first `frames` pages of the WAL `log` of another file to `copy`, as SQLite does
/// after a crash. `copy` has the content of that file from the start of the WAL, or later.
/// Afterwards `copy` has no WAL and its header says so. Syncs nothing. SQLite must not have `copy`
/// open. Throws 507 data.disk_full, 503 data.io.
void apply_wal_frames(const std::string& copy, const std::string& log, std::uint32_t frames);

}  // namespace tenon::data::sqlite
