#include "app/commands/registry_setup.hpp"

#include <string_view>
#include <utility>

#include "admin_api/plugins/package_admin.hpp"
#include "base/error.hpp"

namespace tenon::app {

std::unique_ptr<plugins::IndexCache> make_index_cache(const config::Settings& settings,
                                                      std::string folder) {
  const config::RegistrySettings& registry = settings.registry;
  if (registry.url.empty() != registry.key.empty()) {
    throw base::Error(422, "config.invalid",
                      registry.url.empty()
                          ? "registry.key is set and registry.url is not: set both, or none."
                          : "registry.url is set and registry.key is not: name the file with the "
                            "public key of the registry.");
  }
  if (registry.url.empty()) return nullptr;
  return std::make_unique<plugins::IndexCache>(plugins::IndexCache::Options{
      plugins::RegistryLocation(registry.url), registry.key, std::move(folder), registry.refresh});
}

plugins::KeyTrust standing_of(const plugins::Keyring& keyring, const std::string& number) {
  const auto key = keyring.find(number);
  if (!key) return plugins::KeyTrust::unknown;
  return key->trust == plugins::Trust::trusted ? plugins::KeyTrust::trusted
                                               : plugins::KeyTrust::revoked;
}

plugins::Downloads::Keep keep_in(console::PackageAdmin& admin) {
  return [&admin](const std::string& name, std::string_view bytes) { admin.keep(name, bytes); };
}

}  // namespace tenon::app
