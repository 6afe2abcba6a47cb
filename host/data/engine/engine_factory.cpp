#include "data/engine/engine_factory.hpp"

#include <stdexcept>

namespace tenon::data {

namespace {

const SqliteFactory* sqlite = nullptr;
const PostgresqlFactory* postgresql = nullptr;

}  // namespace

void register_engine(const SqliteFactory& factory) noexcept {
  sqlite = &factory;
}

void register_engine(const PostgresqlFactory& factory) noexcept {
  postgresql = &factory;
}

const SqliteFactory& sqlite_factory() {
  if (!sqlite) throw std::logic_error("SQLite is not registered; call engines::register_all()");
  return *sqlite;
}

const PostgresqlFactory& postgresql_factory() {
  if (!postgresql)
    throw std::logic_error("PostgreSQL is not registered; call engines::register_all()");
  return *postgresql;
}

}  // namespace tenon::data
