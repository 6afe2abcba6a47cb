#include "sqlite/engine/metadata_store.hpp"

#include "sqlite/connection/sql.hpp"

namespace tenon::data::sqlite {

namespace {

constexpr std::string_view meta_sql =
    "CREATE TABLE tenon_meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID";
constexpr std::string_view migrations_sql =
    "CREATE TABLE tenon_migrations (owner TEXT NOT NULL, number INTEGER NOT NULL, name TEXT NOT "
    "NULL, checksum TEXT NOT NULL, applied TEXT NOT NULL, PRIMARY KEY (owner, number)) STRICT, "
    "WITHOUT ROWID";

}  // namespace

MetadataStore::MetadataStore(Connection& connection)
    : data::MetadataStore({meta_sql, migrations_sql}), connection_(connection) {}

bool MetadataStore::has_table(std::string_view name) const {
  return Sql::number(connection_,
                     "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = ?1",
                     {name}) != 0;
}

void MetadataStore::run(std::string_view sql, Cells cells) {
  Sql::run(connection_, sql, cells);
}

MetadataStore::TextRows MetadataStore::read(std::string_view sql, Cells cells) const {
  TextRows rows;
  Sql row(connection_, sql, cells);
  while (row.next()) {
    rows.emplace_back();
    for (int i = 0; i < row.columns(); ++i)
      rows.back().push_back(row.text(i));
  }
  return rows;
}

}  // namespace tenon::data::sqlite
