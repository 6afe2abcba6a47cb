#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bridge/db/schema_locator.hpp"
#include "data/migrate/migrate.hpp"
#include "data/snapshot/snapshot.hpp"

namespace tenon::data {
class Database;
}

namespace tenon::plugins {

/// The schemas of plugins on PostgreSQL. Without functions: the data is in files of SQLite.
struct PluginSchemas {
  SchemaLocator location;
  /// Removes the schema and the roles; no effect if there are none.
  std::function<void(const std::string& plugin)> drop;
  /// Plans what applying the declaration would do to the data, which may not exist yet.
  std::function<data::schema::Plan(const data::Declaration&)> plan;
};

/// The data of plugins that is not open: `<data>/<id>.db`, or a schema. Any thread; blocks.
class PluginData {
 public:
  PluginData(std::string directory, PluginSchemas schemas)
      : directory_(std::move(directory)), schemas_(std::move(schemas)) {}

  bool is_postgresql() const noexcept { return schemas_.location != nullptr; }
  /// Returns the path of the SQLite file, which may not exist.
  std::string file(const std::string& id) const { return directory_ + "/" + id + ".db"; }
  /// Returns the bytes on the disk of the data directory; 0 on PostgreSQL.
  std::uint64_t bytes(const std::string& id) const;
  bool exists(const std::string& id) const;
  /// Opens the data; null if the plugin has none.
  std::unique_ptr<data::Database> open(const std::string& id) const;
  data::schema::Plan plan(const data::Declaration& declaration) const;
  /// Returns the extension of a snapshot's name.
  const char* snapshot_ending() const noexcept { return is_postgresql() ? ".schema" : ".db"; }
  /// Replaces the data with a snapshot, on SQLite with its file itself if possible; then the caller
  /// must remove it before the data is opened. May be called again. Throws as
  /// data::restore_snapshot.
  void restore(const std::string& id, const std::string& snapshot) const;
  /// Returns, after a failed restore, whether the snapshot may have replaced the data anyway, or
  /// will replace it when the data is opened.
  bool may_be_restored(const std::string& id, const std::string& snapshot,
                       const std::exception& failure) const;
  /// Returns whether `snapshot` is used up: its file has become the data.
  bool is_linked(const std::string& id, const std::string& snapshot) const;
  /// Returns the bytes on disk that restoring it takes.
  std::uint64_t bytes_to_restore(const std::string& snapshot) const;
  /// Returns the changes since the snapshot, while the data is in use (`has_writer`) or not; an
  /// empty `snapshot` has no tables. Throws as data::diff_since.
  std::vector<data::TableChanges> diff_since(const std::string& id, const std::string& snapshot,
                                             bool has_writer) const;
  /// Removes the data. Throws 500 "plugins.data_not_removed".
  void remove(const std::string& id) const;

 private:
  const std::string directory_;
  const PluginSchemas schemas_;
};

}  // namespace tenon::plugins
