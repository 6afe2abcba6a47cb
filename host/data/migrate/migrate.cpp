#include "data/migrate/migrate.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "data/database.hpp"
#include "data/engine/engine.hpp"
#include "data/engine/engine_factory.hpp"

namespace tenon::data {

schema::Plan plan(Database& database, const Declaration& declaration) {
  return database.engine().plan(declaration);
}

schema::Plan plan_file(const std::string& path, bool has_writer, const Declaration& declaration) {
  return sqlite_factory().plan_file(path, has_writer, declaration);
}

schema::Plan apply(Database& database, const Declaration& declaration) {
  return database.engine().apply(declaration);
}

bool Declaration::declares_phases() const noexcept {
  return has_phased_functions ||
         std::any_of(migrations.begin(), migrations.end(),
                     [](const Migration& one) { return one.phase != schema::Phase::none; });
}

schema::Plan expand(Database& database, const Declaration& declaration) {
  return database.engine().expand(declaration);
}

schema::Plan contract(Database& database, const Declaration& declaration) {
  return database.engine().contract(declaration);
}

std::string applied_version(Database& database) {
  return database.engine().applied_version();
}

void migrate_room(Database& database, std::string_view room,
                  std::span<const EmbeddedMigration> migrations) {
  std::vector<Migration> list;
  for (const auto& one : migrations) {
    list.push_back(
        {one.number,
         std::string(room) + " " + std::to_string(one.number) + " " + std::string(one.name),
         std::string(one.sql), false, std::nullopt, schema::Phase::none});
  }
  database.engine().migrate_room(room, list);
}

}  // namespace tenon::data
