#pragma once

#include <cstdint>
#include <string>

#include "data/snapshot/snapshot.hpp"

namespace tenon::data::sqlite {

/// See data::restore_snapshot.
///
/// The copy gets the name `<path>-restore` once it is whole and on disk: that decides. From there
/// on it only goes forward: the old log is removed, for SQLite would replay it into any file that
/// it lies beside, then the copy takes the database's name, each step on disk before the next.
void restore(const std::string& path, const std::string& snapshot, const CopyProgress& progress);

/// See data::check_snapshot. Gives its bytes.
std::uint64_t require_sound(const std::string& snapshot);

/// See data::restore_by_link: as restore(), with a second name of the snapshot's own file in place
/// of a copy.
void move(const std::string& path, const std::string& snapshot);

/// Whether both are names of one file, as move() leaves them.
bool is_moved(const std::string& path, const std::string& snapshot);

/// Ends a restore that was decided and interrupted, removes what one left that was not; before the
/// file is opened. Throws 503 data.io.
void finish_restore(const std::string& path);

/// Where the data of `path` is now: in a copy that is to take its name.
std::string restored_file(const std::string& path);

}  // namespace tenon::data::sqlite
