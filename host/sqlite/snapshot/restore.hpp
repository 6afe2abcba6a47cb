#pragma once

#include <cstdint>
#include <string>

#include "data/snapshot/snapshot.hpp"

namespace tenon::data::sqlite {

/// See data::restore_snapshot.
///
/// The copy gets the name `<path>-restore` once it is complete and on disk. From then on, the
/// restore is completed, even after a crash: the old WAL is removed, because SQLite would replay it
/// into any file next to it, then the copy gets the name of the database. Each step is on disk
/// before the next.
void restore(const std::string& path, const std::string& snapshot, const CopyProgress& progress);

/// See data::check_snapshot. Gives its bytes.
std::uint64_t require_sound(const std::string& snapshot);

/// See data::restore_by_link: as restore(), with a second name of the snapshot's own file in place
/// of a copy.
void restore_by_link(const std::string& path, const std::string& snapshot);

/// Whether both are names of one file, as restore_by_link() leaves them.
bool is_linked(const std::string& path, const std::string& snapshot);

/// Ends a restore that was decided and interrupted, removes what one left that was not; before the
/// file is opened. Throws 503 data.io.
void finish_restore(const std::string& path);

/// Returns the file with the data of `path`: a copy that has yet to get its name, or `path`.
std::string restored_file(const std::string& path);

}  // namespace tenon::data::sqlite
