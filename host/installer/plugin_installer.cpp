#include "installer/plugin_installer.hpp"

#include <cerrno>
#include <exception>
#include <filesystem>
#include <memory>
#include <utility>

#include <unistd.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "bridge/declaration.hpp"
#include "data/database.hpp"
#include "data/files/deferred_unlink.hpp"
#include "data/snapshot/snapshot.hpp"
#include "installer/exports/checked_export.hpp"
#include "installer/rollback_hint.hpp"
#include "lifecycle/lifecycle.hpp"
#include "lifecycle/public_paths.hpp"
#include "lifecycle/stored_plugins.hpp"
#include "observability/log.hpp"
#include "packages/archive/archive.hpp"
#include "packages/archive/pack.hpp"
#include "packages/installed/integrity.hpp"

namespace tenon::plugins {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view newer_data = "data.newer";

std::string version_of(const PluginFolders& folders, const std::string& id) {
  const std::optional<DiscoveredPlugin> found = folders.one(id);
  return found && found->manifest ? found->manifest->version_text : std::string();
}

Refusal refused_by(const data::schema::Plan& plan, const std::string& file) {
  return Refusal({"data.migration_refused",
                  "Its data cannot become what this version declares:\n" + plan.to_text(),
                  file,
                  {}});
}

}  // namespace

PluginInstaller::PluginInstaller(data::Database& database, Lifecycle* lifecycle, Options options)
    : lifecycle_(lifecycle),
      options_(std::move(options)),
      data_(options_.data, options_.schemas),
      wanted_(database),
      store_(database, options_.data),
      keyring_(database),
      settings_(database, settings::key_file(options_.data)),
      public_paths_(database),
      exports_(options_.data),
      folders_(options_.folders, &store_),
      watch_(
          options_.count ? options_.count : [](const std::string&) { return ResponseCounts(); },
          [this](const WatchedUpgrade& upgrade, const ResponseCounts& since) {
            on_upgrade_failing(upgrade, since);
          }) {}

void PluginInstaller::recover() {
  const std::lock_guard lock(changing_);
  for (const PendingOperation& change : store_.pending_operations()) {
    observability::log_warning(
        "ending an open change of a plugin",
        {{"plugin", change.plugin},
         {"change", change.kind == PendingOperation::Kind::purge ? "purge" : "restore"}});
    try {
      end_change(change);
    } catch (const std::exception& failure) {
      // Lifecycle then does not start the plugin; others are not affected.
      observability::log_error(
          "a change of a plugin cannot be ended",
          {{"plugin", change.plugin}, {"reason", describe(reason_of(failure, "plugins.failed"))}});
    }
  }
  tidy();
}

void PluginInstaller::end_change(const PendingOperation& change) {
  if (change.kind == PendingOperation::Kind::purge)
    end_purge(change.plugin, change.snapshot);
  else
    restore(change.plugin, change.snapshot);
}

void PluginInstaller::resume_pending(const std::string& id) {
  for (const PendingOperation& change : store_.pending_operations()) {
    if (change.plugin != id) continue;
    if (change.kind == PendingOperation::Kind::purge && !options_.purge) {
      throw Refusal({"plugins.purge_pending",
                     "The data of \"" + id +
                         "\" are still to be removed, which the server does when it starts. "
                         "Start it once, then try again.",
                     {},
                     {}});
    }
    end_change(change);
  }
}

// Cleans up after a change that is done, or undone; the next one removes what cannot be removed
// now.
void PluginInstaller::tidy() noexcept {
  try {
    store_.expire(base::unix_milliseconds() - options_.kept.count());
    store_.sweep();
    std::vector<std::string> decided;
    for (const PendingOperation& change : store_.pending_operations())
      decided.push_back(change.snapshot);
    exports_.sweep(decided);
  } catch (const std::exception& failure) {
    observability::log_warning("could not remove unused files of plugins",
                               {{"reason", failure.what()}});
  }
}

InstallContext PluginInstaller::read_install_context(const std::string& id,
                                                     const std::string& signer) const {
  InstallContext here;
  here.plugins = folders_.all();
  for (const auto& [plugin, is_enabled] : wanted_.enabled()) {
    if (!is_enabled) here.disabled.push_back(plugin);
  }
  here.pin = keyring_.pin(id);
  here.public_paths = public_paths_.all();
  if (const auto current = store_.current(id)) here.package = current->list_hash;
  if (!signer.empty()) here.key = keyring_.find(signer);
  return here;
}

std::vector<InstalledPlugin> PluginInstaller::present() const {
  const auto wanted = wanted_.enabled();
  std::vector<InstalledPlugin> present;
  for (DiscoveredPlugin& one : folders_.all()) {
    if (!one.manifest || (one.refused && one.refused->code == "plugins.duplicate_id")) continue;
    const auto choice = wanted.find(one.id);
    present.push_back(
        {*std::move(one.manifest), choice == wanted.end() || choice->second, !one.refused});
  }
  return present;
}

PublicKey PluginInstaller::signer_of(const Archive& archive) const {
  require_signature(archive);
  return keyring_.require_trusted(archive.signature()->key_id(), archive.file());
}

PackagePlan PluginInstaller::plan(const Archive& archive) {
  const std::lock_guard lock(changing_);
  const std::string signer = archive.signature() ? archive.signature()->key_id() : std::string();
  const auto key = keyring_.find(signer);
  const bool is_trusted = key && key->trust == Trust::trusted;
  const Contents contents =
      is_trusted ? Contents(archive, signer_of(archive)) : Contents::unchecked(archive);
  const Manifest manifest = manifest_of(contents, archive.file());
  PackagePlan plan = plan_package(archive, contents, read_install_context(manifest.id, signer));
  // A package without a trusted signature is not unpacked.
  if (!is_trusted || !plan.refusals.empty()) return plan;
  const std::string folder = store_.absolute(store_.put(archive, contents, manifest));
  try {
    plan.data = plan_of(manifest, folder);
    if (plan.data && plan.data->is_refused()) {
      plan.refusals.push_back(refused_by(*plan.data, archive.file()).reason());
    }
  } catch (const base::Error& failure) {
    Reason reason = reason_of(failure, "plugins.failed");
    if (reason.code == newer_data)
      reason.message += rollback_hint(manifest.id, store_.previous(manifest.id));
    plan.refusals.push_back(std::move(reason));
  }
  return plan;
}

PluginStatus PluginInstaller::install(const Archive& archive,
                                      const std::vector<std::string>& consents,
                                      const std::string& actor) {
  return install_now(archive, consents, actor, {});
}

PluginStatus PluginInstaller::install_with(const Archive& archive,
                                           const std::vector<std::string>& consents,
                                           const std::string& actor, const std::string& file) {
  return install_now(archive, consents, actor, file);
}

PluginStatus PluginInstaller::install_now(const Archive& archive,
                                          const std::vector<std::string>& consents,
                                          const std::string& actor, const std::string& file) {
  const std::lock_guard lock(changing_);
  const Contents contents(archive, signer_of(archive));
  const Manifest manifest = manifest_of(contents, archive.file());
  const std::string& id = manifest.id;
  const PackagePlan plan =
      plan_package(archive, contents, read_install_context(id, archive.signature()->key_id()));
  require_consent(plan, consents);
  resume_pending(id);
  std::optional<CheckedExport> data;
  if (!file.empty()) {
    require_no_data(id);
    data.emplace(file, store_.absolute("plugins/.staging"));
  }

  InstalledVersion next;
  next.plugin = id;
  next.version = manifest.version_text;
  next.folder = store_.put(archive, contents, manifest);
  next.list_hash = plan.package;
  next.signer = plan.signer;
  next.installed_ms = base::unix_milliseconds();
  next.installed_by = actor;
  std::optional<InstalledVersion> left;
  if (const auto found = folders_.in_directories(id); found && found->manifest) {
    left.emplace();
    left->plugin = id;
    left->version = found->manifest->version_text;
  }
  std::string snapshot;
  std::string begun_name;
  std::int64_t snapshot_ms = 0;
  WatchedUpgrade upgrade{.plugin = id, .from = plan.from, .to = next.version};
  Replacement change{.folder = store_.absolute(next.folder),
                     .start_snapshot =
                         [&](data::Database& database) {
                           begun_name = store_.new_snapshot_name(id, data_.snapshot_ending());
                           return data::start_snapshot(database, store_.absolute(begun_name));
                         },
                     .take_snapshot =
                         [&](data::Database* database, data::OnlineSnapshot* begun) {
                           snapshot_ms = base::unix_milliseconds();
                           snapshot = keep_data(id, database, begun, begun_name);
                         },
                     .commit_to_restore =
                         [&] {
                           store_.begin({id, PendingOperation::Kind::restore, snapshot});
                           upgrade.is_all_kept = true;
                         },
                     .commit =
                         [&] {
                           store_.commit(next, left, snapshot, snapshot_ms, plan.new_public_paths);
                           refresh_public_paths();
                           upgrade.before = watch_.take_over(id);
                         },
                     .restore =
                         [&](bool data_modified) {
                           if (data_modified)
                             restore(id, snapshot);
                           else
                             store_.end(id);
                         }};
  if (data) {
    require_takes(*data, manifest, change.folder);
    // There is no earlier state: on failure the restored data is removed.
    change.take_snapshot = [](data::Database*, data::OnlineSnapshot*) {};
    change.commit_to_restore = [] {};
    change.restore = [](bool) {};
  }
  PluginStatus status;
  try {
    // Once for the snapshot, once to restore it.
    require_free_space(id, 2 * data_.bytes(id));
    if (data) restore_export(*data, manifest, change.folder);
    if (lifecycle_ != nullptr)
      status = lifecycle_->replace(id, change);
    else
      status = replace_alone(manifest, change);
  } catch (const base::Error& failure) {
    if (data) discard_restored_export(id);
    tidy();
    if (failure.code() != newer_data) throw;
    throw base::Error(failure.status(), failure.code(),
                      failure.message() + rollback_hint(id, store_.previous(id)));
  } catch (...) {
    if (data) discard_restored_export(id);
    tidy();
    throw;
  }
  observability::log_info("a plugin was installed", {{"plugin", id},
                                                     {"version", next.version},
                                                     {"before", plan.from},
                                                     {"signer", next.signer},
                                                     {"data", file},
                                                     {"by", actor}});
  // The line must be in the log even if the plugin crashes the server at once.
  observability::log().flush();
  if (options_.on_failing_upgrade != OnFailingUpgrade::nothing && !upgrade.from.empty() &&
      status.state == State::active) {
    upgrade.generation = status.generation;
    watch_.begin(upgrade, base::monotonic_nanoseconds());
  }
  tidy();
  return status;
}

// The change is decided in the database already, so a failure to read it must not fail the change.
void PluginInstaller::refresh_public_paths() noexcept {
  if (lifecycle_ == nullptr) return;
  try {
    lifecycle_->public_paths().refresh();
  } catch (const std::exception& failure) {
    observability::log_warning("could not read the public paths of plugins",
                               {{"reason", failure.what()}});
  }
}

// Without a running server: the next one activates the plugin, and migrates its data.
PluginStatus PluginInstaller::replace_alone(const Manifest& manifest, const Replacement& change) {
  const std::unique_ptr<data::Database> opened = data_.open(manifest.id);
  if (opened) {
    const data::schema::Plan plan = data::plan(*opened, read_declaration(manifest, change.folder));
    if (plan.is_refused()) throw refused_by(plan, change.folder);
  }
  change.take_snapshot(opened.get(), nullptr);
  change.commit_to_restore();
  change.commit();
  return status_alone(manifest.id);
}

PluginStatus PluginInstaller::status_alone(const std::string& id) const {
  const std::optional<DiscoveredPlugin> found = folders_.one(id);
  if (!found) throw unknown_plugin(id);
  return status_with_tables(*found);
}

std::string PluginInstaller::keep_data(const std::string& id, data::Database* database,
                                       data::OnlineSnapshot* begun, const std::string& begun_name) {
  std::string snapshot(no_data);
  if (begun != nullptr) {
    snapshot = begun_name;
    begun->finish();
  } else if (database != nullptr) {
    snapshot = store_.new_snapshot_name(id, data_.snapshot_ending());
    data::snapshot(*database, store_.absolute(snapshot));
  }
  return snapshot;
}

void PluginInstaller::restore(const std::string& id, const std::string& snapshot) {
  restore_data(id, snapshot);
  end_restore(id, snapshot);
}

// In this order: while the change is open the snapshot may be read. Afterwards no one reads it, but
// opening the data would change it, too.
void PluginInstaller::end_restore(const std::string& id, const std::string& snapshot) {
  store_.end(id);
  std::error_code failure;
  if (!snapshot.empty() && snapshot != no_data) fs::remove(store_.absolute(snapshot), failure);
}

void PluginInstaller::restore_data(const std::string& id, const std::string& snapshot) {
  if (snapshot == no_data)
    data_.remove(id);
  else if (!snapshot.empty())
    data_.restore(id, store_.absolute(snapshot));
}

InstalledVersion PluginInstaller::require_previous(const std::string& id) const {
  if (!folders_.one(id)) throw unknown_plugin(id);
  std::optional<InstalledVersion> before = store_.previous(id);
  if (!before) {
    throw Refusal(
        {"plugins.no_previous_version", "No earlier version of \"" + id + "\" is kept.", {}, {}});
  }
  return std::move(*before);
}

RollbackPlan PluginInstaller::plan_rollback(const std::string& id) {
  const std::lock_guard lock(changing_);
  const InstalledVersion before = require_previous(id);
  require_snapshot(before);
  return {id,
          version_of(folders_, id),
          before.version,
          before.remaining_ms,
          !before.snapshot.empty(),
          serve(before),
          diff_since(before)};
}

std::optional<std::vector<data::TableChanges>> PluginInstaller::diff_since(
    const InstalledVersion& version) const {
  if (version.snapshot.empty()) return std::nullopt;
  try {
    return data_.diff_since(
        version.plugin,
        version.snapshot == no_data ? std::string() : store_.absolute(version.snapshot),
        lifecycle_ != nullptr);
  } catch (const base::Error& failure) {
    observability::log_warning("could not count changes since the upgrade",
                               {{"plugin", version.plugin}, {"reason", failure.message()}});
    return std::nullopt;
  }
}

// Called before anything is changed.
void PluginInstaller::require_snapshot(const InstalledVersion& version) const {
  if (version.snapshot.empty() || version.snapshot == no_data) return;
  const std::string file = store_.absolute(version.snapshot);
  if (fs::is_regular_file(file) && !data_.is_linked(version.plugin, file)) return;
  throw Refusal({"plugins.snapshot_missing",
                 "The data of version " + version.version +
                     " cannot be restored: its snapshot is gone. Restore the file, or install the "
                     "package of that version.",
                 file,
                 {}});
}

void PluginInstaller::require_free_space(const std::string& id, std::uint64_t bytes) const {
  if (::access(options_.data.c_str(), W_OK) != 0 && errno == EROFS) {
    throw Refusal({"data.io",
                   "\"" + id +
                       "\" cannot be changed: the data directory is on a read-only file system. "
                       "Nothing was changed. Look after the disk, then try again.",
                   options_.data,
                   {}},
                  503);
  }
  std::error_code failure;
  const fs::space_info disk = fs::space(options_.data, failure);
  const std::uint64_t needed = bytes + min_free_bytes;
  if (failure || disk.available >= needed) return;
  throw Refusal({"data.disk_full",
                 "The disk is too full to change \"" + id + "\": its data is copied first, so " +
                     std::to_string(needed / 1024) + " KiB are needed, and " +
                     std::to_string(disk.available / 1024) +
                     " KiB are free. Nothing was changed. Free disk space, then try again.",
                 options_.data,
                 {}},
                507);
}

PluginStatus PluginInstaller::rollback(const std::string& id, RollbackData data) {
  return roll_back(id, data, nullptr);
}

PluginStatus PluginInstaller::roll_back(const std::string& id, RollbackData data,
                                        const NoWritesSince* only) {
  const std::lock_guard lock(changing_);
  InstalledVersion before = require_previous(id);
  if (data == RollbackData::keep) {
    require_serves(before);
    before.snapshot.clear();
  }
  const std::string from = version_of(folders_, id);
  if (!before.folder.empty()) verify_files(store_.absolute(before.folder), before.list_hash);
  require_snapshot(before);
  require_free_space(
      id, before.snapshot.empty() ? 0 : data_.bytes_to_restore(store_.absolute(before.snapshot)));
  resume_pending(id);
  // Requests wait for the restore, but not for the disk to free the old data.
  const data::DeferredUnlink left(data_.file(id));
  const std::optional<InstalledVersion> now = store_.current(id);
  const std::string& folder = before.folder;
  std::exception_ptr failure;
  std::string reason;
  const auto commit = [&] {
    store_.commit_rollback(id, data == RollbackData::restore);
    watch_.take_over(id);
    bool data_modified = before.snapshot == no_data;
    try {
      restore_data(id, before.snapshot);
      data_modified = true;
      end_restore(id, before.snapshot);
      return;
    } catch (const std::exception& thrown) {
      failure = std::current_exception();
      reason = describe(reason_of(thrown, "plugins.failed"));
      data_modified =
          data_modified || data_.may_be_restored(id, store_.absolute(before.snapshot), thrown);
    }
    // While the data is unchanged the rollback can be undone; otherwise the next start must
    // complete it.
    if (data_modified) return;
    try {
      store_.undo_rollback(now, before);
    } catch (const std::exception&) {
      return;
    }
    std::rethrow_exception(failure);
  };
  const auto complete = [&] {
    if (failure) std::rethrow_exception(failure);
  };
  PluginStatus status;
  if (lifecycle_ != nullptr) {
    status = lifecycle_->swap(id, folder.empty() ? folder : store_.absolute(folder), commit,
                              complete, only, !before.snapshot.empty());
  } else {
    commit();
    if (failure) {
      observability::log_warning("the next start of the server ends the rollback",
                                 {{"plugin", id}, {"reason", reason}});
    }
    status = status_alone(id);
  }
  observability::log_info("a plugin was rolled back",
                          {{"plugin", id}, {"from", from}, {"to", before.version}});
  observability::log().flush();
  tidy();
  return status;
}

}  // namespace tenon::plugins
