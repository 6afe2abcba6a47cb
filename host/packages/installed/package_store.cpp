#include "packages/installed/package_store.hpp"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <stdio.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/ids.hpp"
#include "data/database.hpp"
#include "data/files/private_folder.hpp"
#include "observability/log.hpp"
#include "packages/archive/archive.hpp"
#include "packages/archive/file_access.hpp"
#include "packages/installed/integrity.hpp"
#include "packages/installed/public_path_store.hpp"
#include "packages/manifest/manifest.hpp"
#include "packages/reason.hpp"

namespace tenon::plugins {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view select_versions =
    "SELECT plugin, serial, version, folder, list_hash, signer, installed_ms, installed_by, "
    "is_current, remaining_ms, snapshot FROM plugins_versions";

InstalledVersion read_version(const data::Rows& rows) {
  InstalledVersion one;
  one.plugin = rows.text(0);
  one.serial = rows.integer(1);
  one.version = rows.text(2);
  one.folder = rows.text(3);
  one.list_hash = rows.text(4);
  one.signer = rows.text(5);
  one.installed_ms = rows.integer(6);
  one.installed_by = rows.text(7);
  one.is_current = rows.boolean(8);
  one.remaining_ms = rows.integer(9);
  one.snapshot = rows.text(10);
  return one;
}

void put_row(data::Transaction& transaction, const InstalledVersion& one) {
  transaction.exec(
      "INSERT INTO plugins_versions(plugin, serial, version, folder, list_hash, signer, "
      "installed_ms, installed_by, is_current, remaining_ms, snapshot) VALUES(?1, ?2, ?3, ?4, ?5, "
      "?6, "
      "?7, ?8, ?9, ?10, ?11)",
      {one.plugin, one.serial, one.version, one.folder, one.list_hash, one.signer, one.installed_ms,
       one.installed_by, one.is_current, one.remaining_ms, one.snapshot});
}

void put_change(data::Transaction& transaction, const PendingOperation& change) {
  transaction.exec(
      "INSERT INTO plugins_changes(plugin, kind, snapshot, began_ms) VALUES(?1, ?2, ?3, ?4) "
      "ON CONFLICT(plugin) DO UPDATE SET kind = excluded.kind, snapshot = excluded.snapshot, "
      "began_ms = excluded.began_ms",
      {change.plugin, change.kind == PendingOperation::Kind::purge ? "purge" : "restore",
       change.snapshot, base::unix_milliseconds()});
}

std::int64_t next_serial(data::Transaction& transaction, const std::string& plugin) {
  data::Rows rows = transaction.query(
      "SELECT coalesce(max(serial), 0) + 1 FROM plugins_versions WHERE plugin = ?1", {plugin});
  rows.next();
  return rows.integer(0);
}

// False where it is there.
bool make_folder(const std::string& path) {
  std::error_code failure;
  const bool is_made = data::make_private_folders(path, failure);
  if (failure) refuse_write("made", path, failure.value());
  return is_made;
}

void sync_folder(const std::string& path) {
  const base::UniqueFd folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder || ::fsync(folder.get()) != 0) refuse_write("synced to disk", path);
}

void remove_left(const fs::path& path) {
  std::error_code failure;
  fs::remove_all(path, failure);
  if (failure) {
    observability::log_warning("a file that nothing needs was not removed",
                               {{"file", path.string()}, {"reason", failure.message()}});
  }
}

bool has_intact_files(const std::string& folder, const std::string& list_hash) {
  try {
    verify_files(folder, list_hash);
    return true;
  } catch (const base::Error&) {
    return false;
  }
}

}  // namespace

PackageStore::PackageStore(data::Database& database, std::string data)
    : database_(database), data_(std::move(data)) {}

std::vector<InstalledVersion> PackageStore::versions(std::string_view condition,
                                                     std::string_view plugin) const {
  std::vector<InstalledVersion> all;
  data::Rows rows =
      database_.query(std::string(select_versions) + " WHERE (?1 = '' OR plugin = ?1) AND " +
                          std::string(condition) + " ORDER BY plugin, serial DESC",
                      {plugin});
  while (rows.next())
    all.push_back(read_version(rows));
  return all;
}

std::vector<InstalledVersion> PackageStore::current() const {
  return versions("is_current = 1 AND folder <> ''", {});
}

std::optional<InstalledVersion> PackageStore::current(std::string_view plugin) const {
  auto found = versions("is_current = 1 AND folder <> ''", plugin);
  if (found.empty()) return std::nullopt;
  return std::move(found.front());
}

std::optional<InstalledVersion> PackageStore::previous(std::string_view plugin) const {
  auto found = versions("is_current = 0", plugin);
  if (found.empty()) return std::nullopt;
  return std::move(found.front());
}

std::string PackageStore::put(const Archive& archive, const Contents& contents,
                              const Manifest& manifest) {
  const std::string hash = hex_of(hash_of(archive.list_text()));
  const std::string above = "plugins/" + manifest.id;
  const std::string folder = above + "/" + manifest.version_text + "-" + hash.substr(0, 16);
  const std::string location = absolute(folder);
  std::error_code failure;
  if (fs::exists(location, failure)) {
    if (has_intact_files(location, hash)) return folder;
    // The folder of an installed version would be removed while the version runs.
    for (const InstalledVersion& one : versions("folder <> ''", manifest.id)) {
      if (one.folder != folder) continue;
      throw Refusal({"plugins.files_modified",
                     "This version is installed already, and its files were changed since. Remove "
                     "the plugin with its data kept, and install it again.",
                     location,
                     {}});
    }
    remove_left(location);
  }
  make_folder(absolute("plugins/.staging"));
  if (make_folder(absolute(above))) synced_folders_.clear();
  const std::string staged = absolute("plugins/.staging/" + base::new_id());
  try {
    contents.unpack(staged);
    create_file(staged + "/FILES", archive.list_text(), 0644);
    if (archive.signature())
      create_file(staged + "/SIGNATURE", archive.signature()->to_text(), 0644);
    if (::rename(staged.c_str(), location.c_str()) != 0) refuse_write("put in its place", location);
  } catch (...) {
    remove_left(staged);
    throw;
  }
  sync_folder(absolute(above));
  sync_names(above);
  return folder;
}

void PackageStore::sync_names(const std::string& folder) {
  for (std::string name = folder; !name.empty();) {
    const std::string above = name.substr(0, name.find_last_of('/') + 1);
    if (!synced_folders_.contains(name)) {
      sync_folder(absolute(above));
      synced_folders_.insert(name);
    }
    name = above.empty() ? above : above.substr(0, above.size() - 1);
  }
}

std::string PackageStore::new_snapshot_name(const std::string& plugin, std::string_view ending) {
  const std::string folder = "plugins/" + plugin + "/snapshots";
  if (make_folder(absolute(folder))) synced_folders_.clear();
  sync_names(folder);
  return folder + "/" + base::new_id() + std::string(ending);
}

void PackageStore::commit(InstalledVersion next, const std::optional<InstalledVersion>& left,
                          const std::string& snapshot, std::int64_t remaining_ms,
                          const std::vector<std::string>& public_paths) {
  const std::int64_t now = remaining_ms != 0 ? remaining_ms : base::unix_milliseconds();
  next.is_current = true;
  next.remaining_ms = 0;
  next.snapshot.clear();
  database_.write([&](data::Transaction& transaction) {
    next.serial = next_serial(transaction, next.plugin);
    transaction.exec("DELETE FROM plugins_versions WHERE plugin = ?1 AND is_current = 0",
                     {next.plugin});
    const auto changed = transaction.exec(
        "UPDATE plugins_versions SET is_current = 0, remaining_ms = ?2, snapshot = ?3 WHERE plugin "
        "= ?1",
        {next.plugin, now, snapshot});
    if (changed.changes == 0 && left) {
      InstalledVersion before = *left;
      before.serial = next.serial++;
      before.is_current = false;
      before.remaining_ms = now;
      before.snapshot = snapshot;
      put_row(transaction, before);
    }
    put_row(transaction, next);
    transaction.exec(
        "INSERT INTO plugins_pins(plugin, number) VALUES(?1, ?2) "
        "ON CONFLICT(plugin) DO UPDATE SET number = excluded.number",
        {next.plugin, next.signer});
    transaction.exec("DELETE FROM plugins_changes WHERE plugin = ?1", {next.plugin});
    for (const std::string& path : public_paths)
      grant_public_path(transaction, {path, next.plugin, next.installed_ms, next.installed_by});
  });
}

InstalledVersion PackageStore::commit_rollback(const std::string& plugin, bool restores_data) {
  InstalledVersion back;
  database_.write([&](data::Transaction& transaction) {
    {
      data::Rows rows = transaction.query(
          std::string(select_versions) +
              " WHERE plugin = ?1 AND is_current = 0 ORDER BY serial DESC LIMIT 1",
          {plugin});
      if (!rows.next()) {
        throw Refusal({"plugins.no_previous_version",
                       "No earlier version of \"" + plugin + "\" is kept.",
                       {},
                       {}});
      }
      back = read_version(rows);
    }
    if (restores_data && !back.snapshot.empty())
      put_change(transaction, {plugin, PendingOperation::Kind::restore, back.snapshot});
    transaction.exec("DELETE FROM plugins_versions WHERE plugin = ?1", {plugin});
    if (back.folder.empty()) return;
    InstalledVersion now = back;
    now.is_current = true;
    now.remaining_ms = 0;
    now.snapshot.clear();
    put_row(transaction, now);
  });
  return back;
}

void PackageStore::undo_rollback(const std::optional<InstalledVersion>& now,
                                 const InstalledVersion& previous) {
  database_.write([&](data::Transaction& transaction) {
    transaction.exec("DELETE FROM plugins_versions WHERE plugin = ?1", {previous.plugin});
    put_row(transaction, previous);
    if (now) put_row(transaction, *now);
    transaction.exec("DELETE FROM plugins_changes WHERE plugin = ?1", {previous.plugin});
  });
}

void PackageStore::commit_removal(const std::string& plugin, bool purges,
                                  const std::string& exported) {
  database_.write([&](data::Transaction& transaction) {
    transaction.exec("DELETE FROM plugins_versions WHERE plugin = ?1", {plugin});
    transaction.exec("DELETE FROM plugins_state WHERE plugin = ?1", {plugin});
    transaction.exec("DELETE FROM plugins_public_paths WHERE plugin = ?1", {plugin});
    if (!purges) return;
    transaction.exec("DELETE FROM plugins_pins WHERE plugin = ?1", {plugin});
    transaction.exec("DELETE FROM plugins_settings WHERE plugin = ?1", {plugin});
    put_change(transaction, {plugin, PendingOperation::Kind::purge, exported});
  });
}

void PackageStore::begin(const PendingOperation& change) {
  database_.write([&](data::Transaction& transaction) { put_change(transaction, change); });
}

void PackageStore::end(std::string_view plugin) {
  database_.exec("DELETE FROM plugins_changes WHERE plugin = ?1", {plugin});
}

void PackageStore::finish_restore(const std::string& plugin) {
  database_.write([&](data::Transaction& transaction) {
    transaction.exec("DELETE FROM plugins_settings WHERE plugin = ?1", {plugin});
    transaction.exec("DELETE FROM plugins_changes WHERE plugin = ?1", {plugin});
  });
}

std::vector<PendingOperation> PackageStore::pending_operations() const {
  std::vector<PendingOperation> changes;
  data::Rows rows =
      database_.query("SELECT plugin, kind, snapshot FROM plugins_changes ORDER BY plugin");
  while (rows.next()) {
    changes.push_back(
        {std::string(rows.text(0)),
         rows.text(1) == "purge" ? PendingOperation::Kind::purge : PendingOperation::Kind::restore,
         std::string(rows.text(2))});
  }
  return changes;
}

void PackageStore::expire(std::int64_t before_ms) {
  database_.exec("DELETE FROM plugins_versions WHERE is_current = 0 AND remaining_ms < ?1",
                 {before_ms});
}

void PackageStore::sweep() {
  const std::string root = absolute("plugins");
  std::error_code failure;
  if (!fs::exists(root, failure)) return;
  std::vector<std::string> named;
  for (const InstalledVersion& one : versions("1 = 1", {})) {
    if (!one.folder.empty()) named.push_back(absolute(one.folder));
    if (!one.snapshot.empty() && one.snapshot != no_data) named.push_back(absolute(one.snapshot));
  }
  for (const PendingOperation& change : pending_operations()) {
    named.push_back(absolute(change.snapshot));
  }
  for (const auto& entry : fs::directory_iterator(root, failure)) {
    const std::string path = entry.path().string();
    if (entry.path().filename() == ".staging")
      remove_left(path);
    else if (entry.path().filename() != ".uploads")
      sweep_plugin(path, named);
  }
}

void PackageStore::sweep_plugin(const std::string& folder, const std::vector<std::string>& named) {
  const auto is_named = [&named](const std::string& path) {
    return std::find(named.begin(), named.end(), path) != named.end();
  };
  std::error_code failure;
  for (const auto& entry : fs::directory_iterator(folder, failure)) {
    const std::string path = entry.path().string();
    if (entry.path().filename() != "snapshots") {
      if (!is_named(path)) remove_left(path);
      continue;
    }
    for (const auto& snapshot : fs::directory_iterator(path, failure)) {
      if (!is_named(snapshot.path().string())) remove_left(snapshot.path());
    }
    fs::remove(path, failure);  // where it is empty
  }
  fs::remove(folder, failure);
}

}  // namespace tenon::plugins
