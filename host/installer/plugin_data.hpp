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

/// The schemas of plugins on PostgreSQL. Without functions: their data are files of SQLite.
struct PluginSchemas {
  FindPlace place;
  /// Removes the schema and the roles; without effect where there are none.
  std::function<void(const std::string& plugin)> drop;
  /// What applying would do, to data that need not be there yet.
  std::function<data::schema::Plan(const data::Declaration&)> plan;
};

/// The data of plugins that nobody has open: `<data>/<id>.db`, or a schema. Any thread; blocks.
class PluginData {
 public:
  PluginData(std::string directory, PluginSchemas schemas)
      : directory_(std::move(directory)), schemas_(std::move(schemas)) {}

  bool is_postgresql() const noexcept { return schemas_.place != nullptr; }
  /// Of SQLite; there or not.
  std::string file(const std::string& id) const { return directory_ + "/" + id + ".db"; }
  /// On the disk of the data directory, none on PostgreSQL.
  std::uint64_t bytes(const std::string& id) const;
  bool exists(const std::string& id) const;
  /// Null where the plugin has none.
  std::unique_ptr<data::Database> open(const std::string& id) const;
  data::schema::Plan plan(const data::Declaration& declaration) const;
  /// What the name of a snapshot ends with.
  const char* snapshot_ending() const noexcept { return is_postgresql() ? ".schema" : ".db"; }
  /// Puts a snapshot in their place, and on SQLite its file itself where that can be: it is to be
  /// removed then before anybody opens them. May be called again. Throws as
  /// data::restore_snapshot.
  void restore(const std::string& id, const std::string& snapshot) const;
  /// Behind a restore that failed: whether the snapshot may have taken their place all the same, or
  /// will when they are opened.
  bool may_be_restored(const std::string& id, const std::string& snapshot,
                       const std::exception& failure) const;
  /// What keeping `snapshot` means no more: it is the data by now.
  bool is_used_up(const std::string& id, const std::string& snapshot) const;
  /// Bytes of the disk that restoring it takes.
  std::uint64_t bytes_to_restore(const std::string& snapshot) const;
  /// What others have written since the snapshot, whether they use the data (`is_live`) or not; an
  /// empty `snapshot` has no tables. Throws as data::changes_since.
  std::vector<data::TableChanges> changes_since(const std::string& id, const std::string& snapshot,
                                                bool is_live) const;
  /// Removes them. Throws 500 "plugins.data_not_removed".
  void remove(const std::string& id) const;

 private:
  const std::string directory_;
  const PluginSchemas schemas_;
};

}  // namespace tenon::plugins
