#include <exception>
#include <filesystem>

#include "base/error.hpp"
#include "blobs/blobs.hpp"
#include "data/migrate.hpp"
#include "data/snapshot.hpp"
#include "observability/log.hpp"
#include "plugins/bridge/declaration.hpp"
#include "plugins/bridge/settings_store.hpp"
#include "plugins/changes/packages.hpp"
#include "plugins/exports/checked_export.hpp"
#include "plugins/exports/exporting.hpp"
#include "plugins/manifest/manifest.hpp"
#include "plugins/reason.hpp"

namespace tenon::plugins {

namespace {

[[noreturn]] void refuse_data(const std::string& id, const std::string& what) {
  throw Refusal({"plugins.data_exists",
                 "The data of an export are taken back only where nothing of \"" + id +
                     "\" is here, and " + what,
                 {},
                 {}});
}

}  // namespace

void Packages::require_exports() const {
  if (!data_.is_postgresql() && options_.blobs != nullptr) return;
  throw base::Error(501, "plugins.export_unsupported",
                    "There are no exports of a plugin's data on PostgreSQL yet. Make a backup of "
                    "its schema with the server's own tools (pg_dump --schema).");
}

std::string Packages::export_data(const std::string& id, const std::string& version) {
  const std::string name = exports_.new_name(id, version);
  write_export({.plugin = id,
                .version = version,
                .data_file = data_.file(id),
                .settings = settings_.read(id),
                .blobs = *options_.blobs},
               exports_.begun(name));
  return name;
}

void Packages::remove_export(const std::string& name) {
  const std::lock_guard lock(changing_);
  for (const OpenChange& change : store_.open_changes()) {
    if (change.snapshot != name) continue;
    throw Refusal({"plugins.purge_open",
                   "The data that it is of are still to be removed, which the server does when it "
                   "starts. Start it once, then try again.",
                   {},
                   {}});
  }
  exports_.remove(name);
}

void Packages::require_no_data(const std::string& id) const {
  if (store_.current(id))
    refuse_data(id, "it is installed. Remove it with its data first, or with an export of them.");
  const auto wanted = wanted_.enabled();
  const auto found = wanted.find(id);
  if (folders_.one(id) && (found == wanted.end() || found->second))
    refuse_data(id, "a directory of plugins has it. Disable it first.");
  constexpr const char* removed =
      " Install it without them, and remove it with its data (or with an export of them) first.";
  if (std::filesystem::exists(data_.file(id)))
    refuse_data(id, std::string("its database is.") + removed);
  if (!settings_.read(id).empty()) refuse_data(id, std::string("settings of it are.") + removed);
  if (!options_.blobs->all_claims(id, {}, 1).empty())
    refuse_data(id, std::string("files of it are.") + removed);
}

void Packages::require_takes(const CheckedExport& data, const Manifest& manifest,
                             const std::string& folder) const {
  if (data.facts().plugin != manifest.id) {
    throw Refusal({"plugins.export_of_another",
                   "It has the data of \"" + data.facts().plugin + "\", and the package is \"" +
                       manifest.id + "\".",
                   data.file(),
                   {}});
  }
  if (data.database().empty()) return;
  const data::schema::Plan plan =
      data::plan_file(data.database(), false, read_declaration(manifest, folder));
  if (!plan.is_refused()) return;
  throw Refusal({"data.migration_refused",
                 "Its data cannot become what this version declares:\n" + plan.to_text(),
                 data.file(),
                 {}});
}

// Written down first: whoever finds it purges.
void Packages::put_back(const std::string& id, const CheckedExport& data) {
  store_.begin({id, OpenChange::Kind::purge, {}});
  data.put_back(settings_, *options_.blobs);
  if (!data.database().empty()) data::restore_snapshot(data_.file(id), data.database());
}

// Jobs have none of these data; what cannot be removed now is by the next start.
void Packages::forget_put_back(const std::string& id) noexcept {
  try {
    data_.remove(id);
    options_.blobs->forget(id);
    store_.end_put_back(id);
  } catch (const std::exception& failure) {
    observability::log_error(
        "data of an export that were not taken back are still there",
        {{"plugin", id}, {"reason", describe(reason_of(failure, "plugins.failed"))}});
  }
}

}  // namespace tenon::plugins
