#pragma once

#include <cstdint>
#include <string>

namespace tenon::data::sqlite {

/// Brings the first `frames` pages of the log `log` of another file into `copy`, which has that
/// file's content of the time when the log began, or later: as SQLite itself does after a kill.
/// `copy` has no log then and says so. Nothing is synced; SQLite must not have `copy` open. Throws
/// 507 data.disk_full, 503 data.io.
void add_log(const std::string& copy, const std::string& log, std::uint32_t frames);

}  // namespace tenon::data::sqlite
