#include "registry/check.hpp"

#include "base/json_writer.hpp"
#include "packages/archive/file_access.hpp"
#include "packages/archive/limits.hpp"
#include "packages/reason.hpp"
#include "registry/index_json.hpp"
#include "registry/limits.hpp"
#include "registry/package_facts.hpp"

namespace tenon::plugins {

namespace {

FetchBounds one_download() {
  return {std::chrono::steady_clock::now() + RegistryLimits::download};
}

std::string text_of(const IndexedVersion& version) {
  std::string text;
  base::JsonWriter json(text);
  json.begin_object();
  write_version_members(json, version);
  json.end_object();
  return text;
}

}  // namespace

void check_registry(const RegistryLocation& location, const PackageIndex& index,
                    const std::string& folder) {
  for (const IndexedPlugin& plugin : index.plugins) {
    for (const IndexedVersion& version : plugin.versions) {
      const FetchedPackage package = fetch_package(location, version, folder, one_download(), {});
      const PackageFacts facts = read_package_facts(
          read_bounded(package.path(), PackageLimits::packed, "plugins.package_unreadable"),
          version.file, index.keys);
      if (facts.manifest.id != plugin.id || text_of(facts.version) != text_of(version)) {
        throw Refusal({"plugins.registry_damaged",
                       "The index says something else of it than the package itself; build the "
                       "registry again.",
                       version.file,
                       {}},
                      502);
      }
      for (const Screenshot& screenshot : version.screenshots)
        fetch_picture(location, screenshot, one_download());
    }
  }
}

}  // namespace tenon::plugins
