#include "admin_api/plugins/package_admin.hpp"

#include <utility>

#include "admin_api/plugins/packages_json.hpp"
#include "base/error.hpp"
#include "base/json_writer.hpp"
#include "observability/audit.hpp"
#include "observability/log.hpp"
#include "packages/archive/archive.hpp"
#include "packages/archive/file_access.hpp"
#include "packages/archive/file_list.hpp"
#include "packages/archive/limits.hpp"

namespace tenon::console {

namespace {

constexpr const char* sent = "the package";  // what messages call one that came without a name

std::string name_of(const plugins::Archive& archive) {
  return plugins::hex_of(plugins::hash_of(archive.list_text()));
}

std::string detail(const char* name, const std::string& value) {
  std::string details;
  base::JsonWriter(details).begin_object().member(name, value).end_object();
  return details;
}

// Returns the result of `install`; logs the actor and the reason of a refusal.
template <class F>
std::string log_refusal(const std::string& actor, F install) {
  try {
    return install();
  } catch (const base::Error& refusal) {
    observability::log_warning(
        "a package was refused",
        {{"code", refusal.code()}, {"reason", refusal.what()}, {"by", actor}});
    throw;
  }
}

}  // namespace

PackageAdmin::PackageAdmin(plugins::PluginInstaller& packages, Show show,
                           observability::Audit& audit, const std::string& data)
    : packages_(packages), show_(std::move(show)), audit_(audit), uploads_(data) {}

std::string PackageAdmin::plan(std::string bytes) {
  const plugins::Archive archive(std::move(bytes), sent);
  const plugins::PackagePlan plan = packages_.plan(archive);
  uploads_.keep(plan.package, archive.bytes());
  return plan_json(plan);
}

std::string PackageAdmin::plan_kept(const std::string& package) {
  return plan(plugins::read_bounded(uploads_.find(package), plugins::PackageLimits::packed,
                                    "plugins.package_unreadable"));
}

std::string PackageAdmin::plan_file(const std::string& path) {
  return plan_json(packages_.plan(plugins::Archive::read(path)));
}

std::string PackageAdmin::install(const plugins::Archive& archive,
                                  const std::vector<std::string>& consents, const std::string& data,
                                  const std::string& actor) {
  const std::string file =
      data.empty() || data.starts_with('/') ? data : packages_.exports().find(data);
  const plugins::PluginStatus status = file.empty()
                                           ? packages_.install(archive, consents, actor)
                                           : packages_.install_with(archive, consents, actor, file);
  std::string details;
  base::JsonWriter json(details);
  json.begin_object().member("version", status.version).member("signer", status.signer);
  json.key("consents").begin_array();
  for (const std::string& consent : consents)
    json.value(consent);
  json.end_array();
  if (!data.empty()) json.member("data", data);
  json.end_object();
  audit_.record({.actor = actor,
                 .action = "plugins.installed",
                 .object = status.id,
                 .details = std::move(details)});
  return show_(status.id);
}

std::string PackageAdmin::install(std::string bytes, const std::vector<std::string>& consents,
                                  const std::string& data, const std::string& actor) {
  return log_refusal(actor, [&] {
    const plugins::Archive archive(std::move(bytes), sent);
    try {
      return install(archive, consents, data, actor);
    } catch (const base::Error& error) {
      if (error.code() == "plugins.consent_required")
        uploads_.keep(name_of(archive), archive.bytes());
      throw;
    }
  });
}

std::string PackageAdmin::install_kept(const std::string& package,
                                       const std::vector<std::string>& consents,
                                       const std::string& data, const std::string& actor) {
  return log_refusal(actor, [&] {
    const plugins::Archive archive = plugins::Archive::read(uploads_.find(package));
    if (name_of(archive) != package)
      throw base::Error(409, "plugins.package_unknown", "The package was changed. Send it again.");
    std::string item = install(archive, consents, data, actor);
    uploads_.forget(package);
    return item;
  });
}

std::string PackageAdmin::install_file(const std::string& path,
                                       const std::vector<std::string>& consents,
                                       const std::string& data, const std::string& actor) {
  return log_refusal(actor,
                     [&] { return install(plugins::Archive::read(path), consents, data, actor); });
}

std::string PackageAdmin::plan_rollback(const std::string& id) const {
  return rollback_json(packages_.plan_rollback(id));
}

std::string PackageAdmin::rollback(const std::string& id, const std::string& data,
                                   const std::string& actor) {
  using plugins::RollbackData;
  if (!data.empty() && data != "restore" && data != "keep") {
    throw base::Error(422, "plugins.validation", "Say what becomes of the data.",
                      {{"data", "invalid", "This is restore or keep."}});
  }
  const plugins::PluginStatus status =
      packages_.rollback(id, data == "keep" ? RollbackData::keep : RollbackData::restore);
  audit_.record({.actor = actor,
                 .action = "plugins.rolled_back",
                 .object = id,
                 .details = detail("version", status.version)});
  return show_(id);
}

std::string PackageAdmin::remove(const std::string& id, const std::string& data,
                                 const std::string& actor) {
  using plugins::DataChoice;
  const bool is_exported = data == "export";
  if (data != "keep" && data != "purge" && !is_exported) {
    throw base::Error(422, "plugins.validation", "Say what becomes of the plugin's data.",
                      {{"data", "invalid", "This is \"keep\", \"export\" or \"purge\"."}});
  }
  std::string exported = packages_.remove(id, is_exported       ? DataChoice::export_and_purge
                                              : data == "purge" ? DataChoice::purge
                                                                : DataChoice::keep);
  std::string details;
  base::JsonWriter json(details);
  json.begin_object().member("data", data);
  if (is_exported) json.member("export", exported);
  json.end_object();
  audit_.record(
      {.actor = actor, .action = "plugins.removed", .object = id, .details = std::move(details)});
  return exported;
}

std::string PackageAdmin::reset_data(const std::string& id, const std::string& actor) {
  packages_.reset_data(id);
  audit_.record({.actor = actor, .action = "plugins.data_reset", .object = id, .details = {}});
  return show_(id);
}

std::string PackageAdmin::keys() const {
  std::string text = "{\"items\":[";
  for (const plugins::KnownKey& key : packages_.keyring().list()) {
    if (!text.ends_with('[')) text += ',';
    text += key_json(key);
  }
  return text + "],\"next\":null}";
}

std::string PackageAdmin::trust(const std::string& key, const std::string& name,
                                const std::string& actor) {
  const plugins::KnownKey known =
      packages_.keyring().trust(plugins::read_given_key(key, "the key"), name, actor);
  audit_.record({.actor = actor,
                 .action = "plugins.key_trusted",
                 .object = known.number,
                 .details = detail("name", known.name)});
  return key_json(known);
}

std::string PackageAdmin::revoke(const std::string& number, const std::string& reason,
                                 const std::string& actor) {
  const plugins::KnownKey known = packages_.keyring().revoke(number, reason, actor);
  audit_.record({.actor = actor,
                 .action = "plugins.key_revoked",
                 .object = number,
                 .details = detail("reason", known.reason)});
  return key_json(known);
}

void PackageAdmin::forget(const std::string& number, const std::string& actor) {
  packages_.keyring().forget(number);
  audit_.record(
      {.actor = actor, .action = "plugins.key_forgotten", .object = number, .details = {}});
}

}  // namespace tenon::console
