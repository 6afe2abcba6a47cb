#include "plugins/bridge/declaration.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

#include "base/error.hpp"
#include "plugins/manifest/manifest.hpp"
#include "records/records.hpp"

namespace tenon::plugins {

namespace {

std::string read_text(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

void check_requirements(const Manifest& manifest, const data::schema::Tables& tables,
                        const std::string& file) {
  for (const auto& plugin : data::schema::referred_plugins(tables)) {
    const bool is_required =
        std::any_of(manifest.requires_plugins.begin(), manifest.requires_plugins.end(),
                    [&](const Requirement& one) { return one.id == plugin; });
    if (is_required) continue;
    throw base::Error(422, "data.tables_invalid",
                      file + ": there are references to tables of the plugin '" + plugin +
                          "', which plugin.json does not name under \"requires\".");
  }
}

data::Declaration declaration_of(const Manifest& manifest, const std::string& folder,
                                 const std::optional<std::string>& tables,
                                 const std::string& file) {
  data::Declaration declaration;
  declaration.plugin = manifest.id;
  declaration.version = manifest.version_text;
  if (tables) {
    declaration.tables = data::schema::parse_tables(*tables, file);
    check_requirements(manifest, declaration.tables, file);
    records::Records::check(declaration.tables, file);
  }
  declaration.migrations = data::read_migrations(folder + "/migrations");
  return declaration;
}

}  // namespace

data::Declaration read_declaration(const Manifest& manifest, const std::string& folder) {
  const std::string file = folder + "/tables.json";
  if (std::filesystem::exists(file)) return declaration_of(manifest, folder, read_text(file), file);
  return declaration_of(manifest, folder, std::nullopt, file);
}

data::Declaration read_declaration(const Manifest& manifest, const std::string& folder,
                                   std::string_view tables) {
  return declaration_of(manifest, folder, std::string(tables), "tables.json");
}

}  // namespace tenon::plugins
