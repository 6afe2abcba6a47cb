#include "app/registry_setup.hpp"

#include <utility>

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
      plugins::RegistryPlace(registry.url), registry.key, std::move(folder), registry.refresh});
}

plugins::KeyStanding standing_of(const plugins::Keyring& keyring, const std::string& number) {
  const auto key = keyring.find(number);
  if (!key) return plugins::KeyStanding::unknown;
  return key->trust == plugins::Trust::trusted ? plugins::KeyStanding::trusted
                                               : plugins::KeyStanding::revoked;
}

std::map<std::string, std::string> versions_of(const plugins::Listing& listing) {
  std::map<std::string, std::string> versions;
  for (const auto& status : listing) {
    if (!status->is_duplicate) versions.emplace(status->id, status->version);
  }
  return versions;
}

}  // namespace tenon::app
