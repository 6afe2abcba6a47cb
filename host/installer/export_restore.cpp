#include <exception>
#include <memory>
#include <utility>

#include "base/error.hpp"
#include "blobs/blobs.hpp"
#include "bridge/declaration.hpp"
#include "data/database.hpp"
#include "data/migrate/migrate.hpp"
#include "data/snapshot/snapshot.hpp"
#include "installer/copied_data.hpp"
#include "installer/exports/checked_export.hpp"
#include "installer/exports/export_facts.hpp"
#include "installer/exports/export_refusal.hpp"
#include "installer/exports/exporting.hpp"
#include "installer/exports/received_export.hpp"
#include "installer/plugin_installer.hpp"
#include "lifecycle/discovery.hpp"
#include "observability/log.hpp"
#include "packages/manifest/manifest.hpp"
#include "packages/reason.hpp"
#include "settings/store.hpp"

namespace tenon::plugins {

namespace {

[[noreturn]] void refuse_data(const std::string& id, const std::string& what) {
  throw Refusal({"plugins.data_exists",
                 "The data of an export can be restored only if nothing of \"" + id +
                     "\" is here, and " + what,
                 {},
                 {}});
}

// An export that did not change since it was written may still be untrusted.
template <typename Work>
auto read_database(const CheckedExport& data, Work&& work) {
  try {
    return std::forward<Work>(work)();
  } catch (const base::Error& failure) {
    if (failure.code() != "data.snapshot_refused" && failure.code() != "data.corrupt") throw;
    refuse_export_damage("It is no sound database.", data.file(), data_entry);
  }
}

}  // namespace

// An export has the tables that a version makes, so it must be the version of the data.
data::Declaration PluginInstaller::declaration_of_data(const std::string& id) const {
  std::string found;
  for (const auto& version : {store_.current(id), store_.previous(id)}) {
    if (!version || version->folder.empty()) continue;
    const DiscoveredPlugin folder = look_at_version(store_.absolute(version->folder), id);
    if (!folder.manifest) continue;
    data::Declaration declaration = read_declaration(*folder.manifest, folder.folder);
    const data::schema::Plan plan = data_.plan(declaration);
    if (plan.is_empty()) return declaration;
    found = plan.from_version;
  }
  throw Refusal({"plugins.export_version",
                 "The data of \"" + id + "\" are of version " + (found.empty() ? "none" : found) +
                     ", and no such version is installed that says what they are. Start the server "
                     "once, which migrates them, then try again.",
                 {},
                 {}});
}

bool PluginInstaller::keep_for_export(const std::string& id, const std::string& path) const {
  if (data_.is_postgresql()) {
    const auto location = options_.schemas.location(id, false);
    return location && copy_schema_to_file(
                           *location, [&] { return declaration_of_data(id); }, path);
  }
  const std::unique_ptr<data::Database> database = data_.open(id);
  if (database) data::snapshot(*database, path);
  return database != nullptr;
}

std::string PluginInstaller::export_data(const std::string& id, const std::string& version) {
  const std::string name = exports_.new_name(id, version);
  write_export({.plugin = id,
                .version = version,
                .keep_data = [&](const std::string& path) { return keep_for_export(id, path); },
                .settings = settings_.read_for_export(id),
                .blobs = *options_.blobs},
               exports_.begun(name));
  return name;
}

std::unique_ptr<ReceivedExport> PluginInstaller::receive_export(std::uint64_t bytes) {
  return std::make_unique<ReceivedExport>(exports_, bytes);
}

void PluginInstaller::remove_export(const std::string& name) {
  const std::lock_guard lock(changing_);
  for (const PendingOperation& change : store_.pending_operations()) {
    if (change.snapshot != name) continue;
    throw Refusal({"plugins.purge_pending",
                   "The data that it is of are still to be removed, which the server does when it "
                   "starts. Start it once, then try again.",
                   {},
                   {}});
  }
  exports_.remove(name);
}

void PluginInstaller::require_no_data(const std::string& id) const {
  if (store_.current(id))
    refuse_data(id, "it is installed. Remove it with its data first, or with an export of them.");
  const auto wanted = wanted_.enabled();
  const auto found = wanted.find(id);
  if (folders_.one(id) && (found == wanted.end() || found->second))
    refuse_data(id, "a directory of plugins has it. Disable it first.");
  constexpr const char* removed =
      " Install it without them, and remove it with its data (or with an export of them) first.";
  if (data_.exists(id)) refuse_data(id, std::string("its database is.") + removed);
  if (!settings_.is_empty(id)) refuse_data(id, std::string("settings of it are.") + removed);
  if (!options_.blobs->all_claims(id, {}, 1).empty())
    refuse_data(id, std::string("files of it are.") + removed);
}

void PluginInstaller::require_takes(const CheckedExport& data, const Manifest& manifest,
                                    const std::string& folder) const {
  if (data.facts().plugin != manifest.id) {
    throw Refusal({"plugins.export_plugin_mismatch",
                   "It has the data of \"" + data.facts().plugin + "\", and the package is \"" +
                       manifest.id + "\".",
                   data.file(),
                   {}});
  }
  if (data.database().empty()) return;
  const data::schema::Plan plan = read_database(data, [&] {
    data::check_snapshot(data.database());
    return data::plan_file(data.database(), false, read_declaration(manifest, folder));
  });
  if (!plan.is_refused()) return;
  throw Refusal({"data.migration_refused",
                 "Its data cannot become what this version declares:\n" + plan.to_text(),
                 data.file(),
                 {}});
}

// Records the purge first: if the restore is interrupted, the next process purges.
void PluginInstaller::restore_export(const CheckedExport& data, const Manifest& manifest,
                                     const std::string& folder) {
  const std::string& id = manifest.id;
  store_.begin({id, PendingOperation::Kind::purge, {}});
  data.restore_to(settings_, *options_.blobs);
  if (data.database().empty()) return;
  if (data_.is_postgresql()) {
    read_database(data, [&] {
      copy_file_to_schema(data.database(), read_declaration(manifest, folder),
                          *options_.schemas.location(id, true));
    });
  } else {
    data::restore_snapshot(data_.file(id), data.database());
  }
}

// Jobs have none of this data; the next start removes what cannot be removed now.
void PluginInstaller::discard_restored_export(const std::string& id) noexcept {
  try {
    data_.remove(id);
    options_.blobs->forget(id);
    store_.finish_restore(id);
  } catch (const std::exception& failure) {
    observability::log_error(
        "could not remove partly restored data of an export",
        {{"plugin", id}, {"reason", describe(reason_of(failure, "plugins.failed"))}});
  }
}

}  // namespace tenon::plugins
