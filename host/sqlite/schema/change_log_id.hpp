#pragma once

#include <string>

namespace tenon::data::sqlite {

/// Names the log of changes of a file anew (schema/change_log.hpp), so that whoever followed
/// it begins anew: what was told since the file was copied is not in it, and its numbers are given
/// out again. Nothing where it has none. For a file that nobody else has open, and whose journal is
/// not the log; writes without a sync, and leaves nothing beside it. Throws 507 data.disk_full, 503
/// data.io.
void name_log_anew(const std::string& path);

}  // namespace tenon::data::sqlite
