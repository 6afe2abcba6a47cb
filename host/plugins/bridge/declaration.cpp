#include "plugins/bridge/declaration.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

#include "base/error.hpp"
#include "plugins/manifest/manifest.hpp"
#include "records/model.hpp"

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

Declared declared_of(const Manifest& manifest, const std::string& folder, data::Dialect engine,
                     const std::optional<std::string>& tables, const std::string& file) {
  data::Declaration declaration;
  declaration.plugin = manifest.id;
  declaration.version = manifest.version_text;
  if (tables) {
    declaration.tables = data::schema::parse_tables(*tables, file);
    check_requirements(manifest, declaration.tables, file);
  }
  auto model = std::make_shared<const records::Model>(declaration.tables, engine, file);
  declaration.migrations = data::read_migrations(folder + "/migrations");
  return {std::move(declaration), std::move(model)};
}

}  // namespace

Declared read_declared(const Manifest& manifest, const std::string& folder, data::Dialect engine) {
  const std::string file = folder + "/tables.json";
  std::optional<std::string> tables;
  if (std::filesystem::exists(file)) tables = read_text(file);
  return declared_of(manifest, folder, engine, tables, file);
}

// Whether an expression compiles does not depend on the engine.
data::Declaration read_declaration(const Manifest& manifest, const std::string& folder) {
  return read_declared(manifest, folder, data::Dialect::sqlite).declaration;
}

data::Declaration read_declaration(const Manifest& manifest, const std::string& folder,
                                   std::string_view tables) {
  return declared_of(manifest, folder, data::Dialect::sqlite, std::string(tables), "tables.json")
      .declaration;
}

}  // namespace tenon::plugins
