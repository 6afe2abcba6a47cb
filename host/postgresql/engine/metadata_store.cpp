#include "postgresql/engine/metadata_store.hpp"

#include "data/rows.hpp"

namespace tenon::data::postgresql {

namespace {

constexpr std::string_view meta_sql =
    "CREATE TABLE tenon_meta (name TEXT COLLATE \"C\" PRIMARY KEY, value TEXT NOT NULL)";
constexpr std::string_view migrations_sql =
    "CREATE TABLE tenon_migrations (owner TEXT COLLATE \"C\" NOT NULL, number BIGINT NOT NULL, "
    "name TEXT NOT NULL, checksum TEXT NOT NULL, applied TEXT NOT NULL, PRIMARY KEY (owner, "
    "number))";

}  // namespace

MetadataStore::MetadataStore(Sql& sql)
    : data::MetadataStore({meta_sql, migrations_sql}), sql_(sql) {}

bool MetadataStore::has_table(std::string_view name) const {
  return sql_.number("SELECT to_regclass(?1) IS NOT NULL", {name}) != 0;
}

void MetadataStore::run(std::string_view sql, Cells cells) {
  sql_.run(sql, cells);
}

MetadataStore::TextRows MetadataStore::read(std::string_view sql, Cells cells) const {
  TextRows texts;
  Rows rows = sql_.rows(sql, cells);
  while (rows.next()) {
    texts.emplace_back();
    for (int i = 0; i < rows.columns(); ++i)
      texts.back().emplace_back(rows.text(i));
  }
  return texts;
}

}  // namespace tenon::data::postgresql
