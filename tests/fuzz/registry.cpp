// Data from a registry. The first line says what the rest is: "index", index.json;
// "search", a search in a known index; "changelog", CHANGELOG.md; "location", the location of a
// registry.

#include <algorithm>

#include "base/error.hpp"
#include "packages/archive/names.hpp"
#include "packages/reason.hpp"
#include "property.hpp"
#include "registry/changelog.hpp"
#include "registry/compatibility.hpp"
#include "registry/limits.hpp"
#include "registry/location.hpp"
#include "registry/package_index.hpp"
#include "registry/search.hpp"

namespace {

using namespace tenon::plugins;

const std::string file = "index.json";

void check_names(const IndexedVersion& version) {
  TENON_HOLDS(fault_of_name(version.file).empty());
  TENON_HOLDS(version.screenshots.size() <= RegistryLimits::screenshots);
  TENON_HOLDS(version.changelog.size() <= RegistryLimits::changelog);
  for (const Screenshot& screenshot : version.screenshots)
    TENON_HOLDS(fault_of_name(screenshot.file).empty());
}

void check_offers(const PackageIndex& index) {
  HostFacts facts;
  facts.abi_minor = 10;
  facts.architecture = "x86_64";
  facts.key = [](const std::string&) { return KeyTrust::trusted; };
  if (!index.plugins.empty()) facts.installed[index.plugins[0].id] = "1.0.0";
  const auto offers = check_compatibility(index, facts);
  TENON_HOLDS(offers.size() == index.plugins.size());
  for (const PluginOffer& plugin : offers) {
    const VersionOffer* newest = plugin.newest_installable();
    TENON_HOLDS(!newest || newest->is_installable());
    for (const VersionOffer& offer : plugin.versions) {
      TENON_HOLDS(offer.is_installable() || offer.with.empty());
      TENON_HOLDS(newest || !offer.is_installable());
      for (const Prerequisite& prerequisite : offer.with)
        TENON_HOLDS(index.find(prerequisite.id) != nullptr);
    }
  }
}

// An index that was read has exactly one text, except for unknown members.
void check_index(std::string_view text) {
  const PackageIndex index = parse_index(text, file);
  for (std::size_t i = 0; i < index.plugins.size(); ++i) {
    const IndexedPlugin& plugin = index.plugins[i];
    TENON_HOLDS(i == 0 || index.plugins[i - 1].id < plugin.id);
    TENON_HOLDS(index.find(plugin.id) == &plugin);
    std::for_each(plugin.versions.begin(), plugin.versions.end(), check_names);
  }
  const std::string written = write_index(index);
  TENON_HOLDS(write_index(parse_index(written, file)) == written);
  check_offers(index);
  TENON_HOLDS(search_plugins(index, "").size() == index.plugins.size());
}

void check_search(std::string_view query) {
  PackageIndex index;
  for (const char* id : {"calendar", "notes", "tasks"}) {
    IndexedPlugin plugin;
    plugin.id = id;
    plugin.name = "Ärzte & Co";
    plugin.description = "What a team writes down";
    plugin.versions.emplace_back();
    index.plugins.push_back(std::move(plugin));
  }
  const auto found = search_plugins(index, query);
  TENON_HOLDS(found.size() <= index.plugins.size());
  // A search that finds a plugin also finds it by each half of the words.
  const std::size_t space = query.find(' ');
  if (space == std::string_view::npos) return;
  TENON_HOLDS(search_plugins(index, query.substr(0, space)).size() >= found.size());
}

void check_changelog(std::string_view text) {
  const std::string section = changelog_of(text, "1.0.0");
  TENON_HOLDS(section.size() <= text.size() + 1);
  TENON_HOLDS(section.empty() || section.ends_with('\n'));
  TENON_HOLDS(section.find("\n## ") == std::string::npos && !section.starts_with("## "));
}

void check_location(std::string_view text) {
  const RegistryLocation location(text);
  const RegistryLocation again(location.text());
  TENON_HOLDS(again.text() == location.text() && again.is_remote() == location.is_remote());
  TENON_HOLDS(location.at("x") == location.text() + "/x");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text = tenon::fuzz::text_of(data, size);
  const std::string_view kind = tenon::fuzz::take_line(text);
  const tenon::fuzz::Piece piece(text);
  try {
    if (kind == "index") check_index(piece.get());
    if (kind == "search") check_search(piece.get());
    if (kind == "changelog") check_changelog(piece.get());
    if (kind == "location") check_location(piece.get());
  } catch (const tenon::base::Error& error) {
    TENON_HOLDS(error.code().starts_with("plugins.registry_"));
  }
  return 0;
}
