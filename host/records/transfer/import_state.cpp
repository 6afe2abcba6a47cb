#include "records/transfer/import_state.hpp"

#include "records/model/limits.hpp"
#include "records/query/dialect.hpp"

namespace tenon::records::imports {

namespace {

bool has_table(data::Transaction& transaction, data::Dialect engine) {
  return transaction.query(dialect::find_table(engine), {"tenon_imports"}).next();
}

}  // namespace

std::vector<blobs::Blobs::Claim> begin(data::Transaction& transaction, data::Dialect engine,
                                       const ImportRequest& request, std::int64_t now_ms) {
  if (!has_table(transaction, engine)) {
    for (const std::string_view statement : dialect::import_tables)
      transaction.exec_as_host(dialect::host_table(engine, statement));
  }
  std::vector<blobs::Blobs::Claim> ended;
  std::vector<std::string> ids;
  {
    data::Rows rows = transaction.query(
        "SELECT id, blob, claim FROM tenon_imports WHERE made <= ?1 ORDER BY made LIMIT 10",
        {now_ms - import_retention_ms});
    while (rows.next()) {
      ids.emplace_back(rows.text(0));
      ended.push_back({std::string(rows.text(1)), std::string(rows.text(2))});
    }
  }
  for (const std::string& id : ids) {
    transaction.exec_as_host("DELETE FROM tenon_import_errors WHERE import = ?1", {id});
    transaction.exec_as_host("DELETE FROM tenon_imports WHERE id = ?1", {id});
  }
  transaction.exec_as_host(
      "INSERT INTO tenon_imports (id, made, blob, claim, \"rows\", created, changed, wrong, "
      "errors, "
      "is_over, failure) VALUES (?1, ?2, ?3, ?4, 0, 0, 0, 0, 0, 0, '')",
      {request.id, now_ms, request.blob, request.claim});
  return ended;
}

std::optional<ImportProgress> find(data::Database& database, std::string_view id) {
  if (!database.query(dialect::find_table(database.dialect()), {"tenon_imports"}).next())
    return std::nullopt;
  data::Rows rows = database.query(
      "SELECT \"rows\", created, changed, wrong, errors, is_over, failure FROM tenon_imports WHERE "
      "id = ?1",
      {id});
  if (!rows.next()) return std::nullopt;
  return ImportProgress{rows.integer(0), rows.integer(1), rows.integer(2),          rows.integer(3),
                        rows.integer(4), rows.boolean(5), std::string(rows.text(6))};
}

std::vector<ImportError> errors(data::Database& database, std::string_view id) {
  std::vector<ImportError> found;
  data::Rows rows = database.query(
      "SELECT line, field, code, message FROM tenon_import_errors WHERE import = ?1 ORDER BY "
      "number",
      {id});
  while (rows.next())
    found.push_back({static_cast<std::uint64_t>(rows.integer(0)), std::string(rows.text(1)),
                     std::string(rows.text(2)), std::string(rows.text(3))});
  return found;
}

void keep(data::Transaction& transaction, std::string_view id, ImportProgress& tally,
          const std::vector<ImportError>& found) {
  for (const ImportError& error : found) {
    if (tally.errors >= static_cast<std::int64_t>(max_import_errors)) break;
    transaction.exec_as_host(
        "INSERT INTO tenon_import_errors (import, number, line, field, code, message) VALUES (?1, "
        "?2, ?3, ?4, ?5, ?6)",
        {id, tally.errors++, error.line, error.field, error.code, error.message});
  }
  transaction.exec_as_host(
      "UPDATE tenon_imports SET \"rows\" = ?2, created = ?3, changed = ?4, wrong = ?5, errors = "
      "?6, "
      "is_over = ?7, failure = ?8 WHERE id = ?1",
      {id, tally.rows, tally.created, tally.changed, tally.wrong, tally.errors,
       tally.is_finished ? 1 : 0, tally.failure});
}

}  // namespace tenon::records::imports
