#include "bridge/declaration.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

#include <sys/stat.h>

#include "base/error.hpp"
#include "base/ids.hpp"
#include "packages/manifest/manifest.hpp"
#include "packages/manifest/schedules.hpp"
#include "records/model/model.hpp"

namespace tenon::plugins {

namespace {

std::string read_tables(const std::string& file) {
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

std::string digest_of(const data::Declaration& declaration,
                      const std::optional<std::string>& tables) {
  std::string text;
  const auto add = [&text](std::string_view part) {
    ((text += std::to_string(part.size())) += ':') += part;
  };
  add(program_mark("/proc/self/exe"));
  add(declaration.plugin);
  add(declaration.version);
  add(tables.value_or(std::string()));
  for (const data::Migration& migration : declaration.migrations) {
    add(migration.name);
    add(migration.sql);
  }
  return base::sha256_hex(text);
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
  check_schedules(manifest, *model);
  declaration.migrations = data::read_migrations(folder + "/migrations");
  declaration.has_phased_functions = !manifest.expanding_migrations.empty();
  declaration.digest = digest_of(declaration, tables);
  return {std::move(declaration), std::move(model)};
}

}  // namespace

std::string program_mark(const std::string& path) {
  struct stat program {};
  ::stat(path.c_str(), &program);
  std::string mark = std::to_string(program.st_ino) + " " + std::to_string(program.st_size);
  for (const timespec& time : {program.st_mtim, program.st_ctim})
    ((mark += ' ') += std::to_string(time.tv_sec)) += "." + std::to_string(time.tv_nsec);
  return mark;
}

Declared read_declared(const Manifest& manifest, const std::string& folder, data::Dialect engine) {
  const std::string file = folder + "/tables.json";
  std::optional<std::string> tables;
  if (std::filesystem::exists(file)) tables = read_tables(file);
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
