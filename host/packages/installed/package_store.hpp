#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::data {
class Database;
class Transaction;
}  // namespace tenon::data

namespace tenon::plugins {

class Contents;
class Archive;
struct Manifest;

/// A version of a plugin that was installed here.
struct InstalledVersion {
  std::string plugin;
  std::int64_t serial = 0;  ///< ascends with every change of the plugin's version
  std::string version;
  std::string folder;     ///< below the data directory; empty: it came from a directory of plugins
  std::string list_hash;  ///< BLAKE2b-512 of FILES, hexadecimal; empty with an empty folder
  std::string signer;     ///< number of the key; empty with an empty folder
  std::int64_t installed_ms = 0;
  std::string installed_by;       ///< id of a user, or "local"
  bool is_current = false;        ///< what runs, when the plugin is enabled
  std::int64_t remaining_ms = 0;  ///< when another took its place; 0 while it is current
  std::string snapshot;  ///< of its data when it was left, below the data directory; empty: none
                         ///< was taken; no_data: there was nothing
};

/// Instead of a snapshot: there was no data.
inline constexpr std::string_view no_data = "-";

/// A change of data that was started and has to be completed, also by a later process: the snapshot
/// replaces the data, or all data is removed.
struct PendingOperation {
  enum class Kind : std::uint8_t { restore, purge };
  std::string plugin;
  Kind kind = Kind::restore;
  std::string snapshot;  ///< below the data directory, or no_data; of a purge the name of an
                         ///< export that counts from then on, or empty
};

/// Stores the plugins installed from packages: folders in `<data>/plugins`, and rows in the host's
/// database that say which of them count. sweep() removes a folder that no row names. So a single
/// transaction installs, upgrades, rolls back or removes, and a crash leaves the old or the new
/// state.
///
///   <data>/plugins/.staging/<random>/            being unpacked
///   <data>/plugins/<id>/<version>-<hash>/        one version; FILES and SIGNATURE with it
///   <data>/plugins/<id>/snapshots/<name>.db      data as an earlier version left it; .schema on
///   PostgreSQL
///
/// Each plugin keeps one version in addition to the current one. Reading is thread-safe; changes
/// are made by one thread at a time.
class PackageStore {
 public:
  /// `data` is the data directory; the tables must be there (see host_tables.hpp).
  PackageStore(data::Database& database, std::string data);

  /// Every plugin's current version that has a folder, by their ids.
  std::vector<InstalledVersion> current() const;
  std::optional<InstalledVersion> current(std::string_view plugin) const;
  /// Returns the version that the plugin can be rolled back to.
  std::optional<InstalledVersion> previous(std::string_view plugin) const;
  std::string absolute(const std::string& folder) const { return data_ + "/" + folder; }

  /// Unpacks a package whose signature was checked, and puts it in its place; returns the folder,
  /// below the data directory. Nothing counts yet. A folder that is there already and is what the
  /// package says is taken as it is. Throws as Contents::unpack.
  std::string put(const Archive& archive, const Contents& contents, const Manifest& manifest);
  /// A name for a new snapshot of the plugin's data, below the data directory; its folder is made.
  std::string new_snapshot_name(const std::string& plugin, std::string_view ending);

  /// Makes `next` the plugin's current version (its serial and is_current are set here), and what
  /// was current the one that it can go back to, with `snapshot` of its data as they were at
  /// `remaining_ms` (0: now). `left` says what
  /// that was where no row does: it came from a directory. Pins the signer, grants it
  /// `public_paths`, and ends its open change. Durable at the return. Throws as
  /// PublicPathStore::grant().
  void commit(InstalledVersion next, const std::optional<InstalledVersion>& left,
              const std::string& snapshot, std::int64_t remaining_ms = 0,
              const std::vector<std::string>& public_paths = {});
  /// Makes the previous version current again, and begins to restore its data where there is a
  /// snapshot, unless they are to stay as they are; what was current is forgotten. Returns it as it
  /// was. Throws 409 "plugins.no_previous_version".
  InstalledVersion commit_rollback(const std::string& plugin, bool restores_data = true);
  /// The versions as they were before commit_rollback(), whose data were not touched.
  void undo_rollback(const std::optional<InstalledVersion>& now, const InstalledVersion& previous);
  /// Forgets the plugin's versions, its public paths, and whether it was enabled. With `purges` its
  /// pin and its settings, too, and begins the purge of its data, of which `exported` is the
  /// export.
  void commit_removal(const std::string& plugin, bool purges, const std::string& exported = {});

  /// Records a change of data that has to be completed whatever happens to this process.
  void begin(const PendingOperation& change);
  void end(std::string_view plugin);
  /// Ends it, with the settings that came back from an export.
  void finish_restore(const std::string& plugin);
  std::vector<PendingOperation> pending_operations() const;

  /// Removes everything that no row names: folders, snapshots, partly unpacked packages. Logs what
  /// cannot be removed.
  void sweep();
  /// Forgets previous versions that were left before `before_ms`, with their snapshots.
  void expire(std::int64_t before_ms);

 private:
  std::vector<InstalledVersion> versions(std::string_view condition, std::string_view plugin) const;
  void sweep_plugin(const std::string& folder, const std::vector<std::string>& named);
  /// Syncs the names of a folder below the data directory and of the folders above it.
  void sync_names(const std::string& folder);

  data::Database& database_;
  const std::string data_;
  std::set<std::string> synced_folders_;  ///< folders whose names are on disk
};

}  // namespace tenon::plugins
