#include "console/packages_desk.hpp"

#include <utility>

#include "base/error.hpp"
#include "base/json_writer.hpp"
#include "console/packages_json.hpp"
#include "observability/audit.hpp"
#include "observability/log.hpp"
#include "plugins/package/archive.hpp"
#include "plugins/package/file_list.hpp"

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

// What `install` gives; who tried it, and why it was refused, is in the log.
template <class F>
std::string telling(const std::string& actor, F install) {
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

PackagesDesk::PackagesDesk(plugins::Packages& packages, Show show, observability::Audit& audit,
                           const std::string& data)
    : packages_(packages), show_(std::move(show)), audit_(audit), uploads_(data) {}

std::string PackagesDesk::plan(std::string bytes) {
  const plugins::Archive archive(std::move(bytes), sent);
  const plugins::PackagePlan plan = packages_.plan(archive);
  uploads_.keep(plan.package, archive.bytes());
  return plan_json(plan);
}

std::string PackagesDesk::plan_file(const std::string& path) {
  return plan_json(packages_.plan(plugins::Archive::read(path)));
}

std::string PackagesDesk::install(const plugins::Archive& archive,
                                  const std::vector<std::string>& consents,
                                  const std::string& actor) {
  const plugins::PluginStatus status = packages_.install(archive, consents, actor);
  std::string details;
  base::JsonWriter json(details);
  json.begin_object().member("version", status.version).member("signer", status.signer);
  json.key("consents").begin_array();
  for (const std::string& consent : consents)
    json.value(consent);
  json.end_array().end_object();
  audit_.record({.actor = actor,
                 .action = "plugins.installed",
                 .object = status.id,
                 .details = std::move(details)});
  return show_(status.id);
}

std::string PackagesDesk::install(std::string bytes, const std::vector<std::string>& consents,
                                  const std::string& actor) {
  return telling(actor, [&] {
    const plugins::Archive archive(std::move(bytes), sent);
    try {
      return install(archive, consents, actor);
    } catch (const base::Error& error) {
      if (error.code() == "plugins.consent_required")
        uploads_.keep(name_of(archive), archive.bytes());
      throw;
    }
  });
}

std::string PackagesDesk::install_kept(const std::string& package,
                                       const std::vector<std::string>& consents,
                                       const std::string& actor) {
  return telling(actor, [&] {
    const plugins::Archive archive = plugins::Archive::read(uploads_.find(package));
    if (name_of(archive) != package)
      throw base::Error(409, "plugins.package_unknown", "The package was changed. Send it again.");
    std::string item = install(archive, consents, actor);
    uploads_.forget(package);
    return item;
  });
}

std::string PackagesDesk::install_file(const std::string& path,
                                       const std::vector<std::string>& consents,
                                       const std::string& actor) {
  return telling(actor, [&] { return install(plugins::Archive::read(path), consents, actor); });
}

std::string PackagesDesk::plan_rollback(const std::string& id) const {
  return rollback_json(packages_.plan_rollback(id));
}

std::string PackagesDesk::rollback(const std::string& id, const std::string& actor) {
  const plugins::PluginStatus status = packages_.rollback(id);
  audit_.record({.actor = actor,
                 .action = "plugins.rolled_back",
                 .object = id,
                 .details = detail("version", status.version)});
  return show_(id);
}

void PackagesDesk::remove(const std::string& id, const std::string& data,
                          const std::string& actor) {
  if (data != "keep" && data != "purge") {
    throw base::Error(422, "plugins.validation", "Say what becomes of the plugin's data.",
                      {{"data", "invalid", "This is \"keep\" or \"purge\"."}});
  }
  packages_.remove(id, data == "purge" ? plugins::DataChoice::purge : plugins::DataChoice::keep);
  audit_.record(
      {.actor = actor, .action = "plugins.removed", .object = id, .details = detail("data", data)});
}

std::string PackagesDesk::keys() const {
  std::string text = "{\"items\":[";
  for (const plugins::KnownKey& key : packages_.keyring().list()) {
    if (!text.ends_with('[')) text += ',';
    text += key_json(key);
  }
  return text + "],\"next\":null}";
}

std::string PackagesDesk::trust(const std::string& key, const std::string& name,
                                const std::string& actor) {
  const plugins::KnownKey known =
      packages_.keyring().trust(plugins::read_given_key(key, "the key"), name, actor);
  audit_.record({.actor = actor,
                 .action = "plugins.key_trusted",
                 .object = known.number,
                 .details = detail("name", known.name)});
  return key_json(known);
}

std::string PackagesDesk::revoke(const std::string& number, const std::string& reason,
                                 const std::string& actor) {
  const plugins::KnownKey known = packages_.keyring().revoke(number, reason, actor);
  audit_.record({.actor = actor,
                 .action = "plugins.key_revoked",
                 .object = number,
                 .details = detail("reason", known.reason)});
  return key_json(known);
}

void PackagesDesk::forget(const std::string& number, const std::string& actor) {
  packages_.keyring().forget(number);
  audit_.record(
      {.actor = actor, .action = "plugins.key_forgotten", .object = number, .details = {}});
}

}  // namespace tenon::console
