#include "live/change_log.hpp"

namespace tenon::live {

LogEnds read_ends(data::Transaction& transaction) {
  LogEnds ends;
  {
    data::Rows name = transaction.query("SELECT value FROM tenon_meta WHERE name = 'log'");
    if (name.next()) ends.name = name.text(0);
  }
  {
    // What was given out last, though it be trimmed already.
    data::Rows newest =
        transaction.query("SELECT seq FROM sqlite_sequence WHERE name = 'tenon_changes'");
    if (newest.next()) ends.newest = newest.integer(0);
  }
  data::Rows oldest = transaction.query("SELECT min(seq) FROM tenon_changes");
  ends.oldest = oldest.next() && !oldest.is_null(0) ? oldest.integer(0) : ends.newest + 1;
  return ends;
}

Changes read_changes(data::Transaction& transaction, std::int64_t sequence, std::int64_t until,
                     std::size_t most) {
  Changes changes;
  changes.last = sequence;
  data::Rows rows = transaction.query(
      "SELECT seq, tbl, record, kind, before FROM tenon_changes WHERE seq > ?1 AND seq <= ?2 "
      "ORDER BY seq LIMIT ?3",
      {sequence, until, most + 1});
  std::size_t read = 0;
  while (rows.next()) {
    if (read == most) {
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

}  // namespace tenon::live
