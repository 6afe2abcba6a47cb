#include "realtime/change_log.hpp"

#include "schema/ddl.hpp"

namespace tenon::realtime {

LogEnds read_ends(data::Transaction& transaction, data::Dialect engine) {
  LogEnds ends;
  {
    data::Rows name = transaction.query("SELECT value FROM tenon_meta WHERE name = 'log'");
    if (name.next()) ends.name = name.text(0);
  }
  {
    // The sequence that was assigned last. SQLite's log may be trimmed already; PostgreSQL's log
    // keeps its newest change.
    data::Rows newest =
        transaction.query(engine == data::Dialect::sqlite
                              ? "SELECT seq FROM sqlite_sequence WHERE name = 'tenon_changes'"
                              : "SELECT max(seq) FROM tenon_changes");
    if (newest.next() && !newest.is_null(0)) ends.newest = newest.integer(0);
  }
  data::Rows oldest = transaction.query("SELECT min(seq) FROM tenon_changes");
  ends.oldest = oldest.next() && !oldest.is_null(0) ? oldest.integer(0) : ends.newest + 1;
  return ends;
}

Changes read_changes(data::Transaction& transaction, std::int64_t sequence, std::int64_t until,
                     std::size_t max_count) {
  Changes changes;
  changes.last = sequence;
  data::Rows rows = transaction.query(
      "SELECT seq, tbl, record, kind, before FROM tenon_changes WHERE seq > ?1 AND seq <= ?2 "
      "ORDER BY seq LIMIT ?3",
      {sequence, until, max_count + 1});
  std::size_t read = 0;
  while (rows.next()) {
    if (read == max_count) {
      changes.has_more = true;
      break;
    }
    const std::int64_t at = rows.integer(0);
    if (read++ == 0 && at != sequence + 1) changes.is_gapless = false;
    changes.last = at;
    Change& change = changes.list.emplace_back();
    change.sequence = at;
    change.table = rows.text(1);
    change.record = rows.text(2);
    change.is_create = rows.text(3) == "create";
    change.is_delete = rows.text(3) == "delete";
    change.before = rows.optional_text(4);
  }
  if (read == 0 && until > sequence) changes.is_gapless = false;
  return changes;
}

void correct_deletes(data::Transaction& transaction, data::Dialect engine, Changes& changes) {
  if (engine != data::Dialect::sqlite) return;
  for (Change& change : changes.list) {
    if (!change.is_delete) continue;
    const std::string find =
        "SELECT 1 FROM " + data::schema::quoted(change.table) + " WHERE id = ?1";
    if (!transaction.query(find, {change.record}).next()) continue;
    // The record exists, and was not created again since.
    change.is_delete = transaction
                           .query(
                               "SELECT 1 FROM tenon_changes WHERE seq > ?1 AND tbl = ?2 AND "
                               "record = ?3 AND kind = 'create'",
                               {change.sequence, change.table, change.record})
                           .next();
  }
}

}  // namespace tenon::realtime
