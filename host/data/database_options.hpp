#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "data/engine/confinement.hpp"
#include "data/engine/handle.hpp"
#include "data/files/clean_close.hpp"
#include "data/limits.hpp"

namespace tenon::data {

class Database;
class SpaceReserve;

/// A state of the storage, reported to the listener of a handle. Reads continue under all but
/// `corrupt`.
enum class Fault : std::uint8_t {
  sync_failed,  ///< the disk did not confirm a write. Earlier acknowledged writes are safe. All
                ///< later writes fail with 503 data.storage_failed until the file is opened again
  corrupt,      ///< the file is damaged: take this database out of service
  disk_full,    ///< the disk is full; writes are still tried, and fail with 507 data.disk_full
  io_failed,    ///< a read or write failed; each is still tried, and fails with 503 data.io
  healed,       ///< after disk_full or io_failed: a write is on disk again
};

/// Returns the problem code of a fault ("data.disk_full"); empty for healed.
std::string_view code_of(Fault fault) noexcept;

/// When a file of up to `check_bytes` is checked, including its indexes.
enum class CheckTime : std::uint8_t {
  before_opening,  ///< opening fails with 503 data.corrupt
  /// In the background if the last process closed the file cleanly: damage is reported as
  /// Fault::corrupt, and a change of its schema waits for the end of the check. Otherwise before
  /// opening.
  while_serving,
};

/// A schema of PostgreSQL as the location of a database, used by one role.
struct PostgresqlSchema {
  std::string url;       ///< a URL of libpq: postgresql://…
  std::string user;      ///< empty: that of the URL
  std::string password;  ///< empty: that of the URL
  std::string schema;    ///< must exist
  /// The role that owns the objects of the schema, makes its tables and runs the plugin's
  /// migrations. Empty: the user above.
  std::string owner;
  std::string owner_password;
  std::size_t result_bytes = max_result_bytes;
};

struct DatabaseOptions {
  std::string path;  ///< file of SQLite; created if missing, its folder must exist
  std::optional<PostgresqlSchema> postgresql;  ///< instead of a file
  Confinement confinement;                     ///< trusted for the host's own database
  std::size_t readers = default_readers;
  WaitLimits waits;
  GroupLimits groups;
  std::uint64_t check_bytes = 0;  ///< 0: never checked
  CheckTime check_time = CheckTime::before_opening;
  std::shared_ptr<SpaceReserve> reserve = nullptr;  ///< of the file's disk; null: none
  /// The state of a file of SQLite at its clean close. If set, the first call that needs the file
  /// opens it, and throws the errors of opening.
  std::optional<CleanClose> closed = std::nullopt;
  /// The listener of this handle, see Database::share(). A thread of the room calls it with no lock
  /// held. It must not use or close the database, nor wait for a thread that does. sync_failed and
  /// corrupt are reported once; disk_full, io_failed and healed when the state changes.
  Handle::OnFault on_fault;
};

}  // namespace tenon::data
