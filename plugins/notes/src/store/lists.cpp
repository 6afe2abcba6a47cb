#include "store/lists.hpp"

#include <algorithm>
#include <utility>

#include "store/dialect.hpp"

namespace notes::store {
namespace {

/// One run of an index: equal pinned, ordered by key and id.
struct Run {
  bool pinned;
  std::optional<Position> after;
};

std::vector<NoteRow> read_run(Scope& scope, const ListQuery& query, const Run& run,
                              std::int64_t limit) {
  const bool by_tag = query.tag.has_value();
  const std::string_view plus = dialect_of(scope.db()).plus;
  const std::string column = query.sort == Sort::title ? "title_key" : "updated";
  const std::string table = by_tag ? "t." : "n.";
  const std::string id = by_tag ? "t.note" : "n.id";
  const std::string order = query.sort == Sort::title ? " ASC NULLS FIRST" : " DESC NULLS LAST";
  std::string sql = std::string("SELECT ").append(note_columns);
  tenon::Arguments arguments;
  if (by_tag) {
    sql += " FROM note_tags t JOIN notes n ON n.id = t.note WHERE t.tag = ? AND ";
    arguments.add(*query.tag);
  } else {
    sql += " FROM notes n WHERE ";
    if (query.is_direct) {
      append_equals(sql, arguments, "n.notebook", query.location);
      sql += " AND ";
    }
  }
  sql += table + "deleted IS NULL AND " + table + "pinned = ? ";
  arguments.add(run.pinned);
  if (run.after) {
    sql += "AND (" + table + column + ", " + id + ") " + (query.sort == Sort::title ? ">" : "<") +
           " (?, ?) ";
    arguments.add(run.after->key).add(run.after->id);
  }
  if (query.is_direct && !query.location) {
    sql += std::string("AND ").append(plus).append("n.author = ? ");
    arguments.add(scope.actor().user);
  } else if (query.view == View::shared) {
    sql += std::string("AND ").append(plus).append("n.author <> ? ");
    arguments.add(scope.actor().user);
  }
  sql += "AND " + scope.readable("n", arguments) + " ";
  // PostgreSQL does not see that what IS NULL has one value only, and keeps to the order of its
  // indexes where that is named whole.
  sql += "ORDER BY ";
  if (query.is_direct) sql += "n.notebook" + order + ", ";
  sql += table + "deleted" + order + ", " + table + column + order + ", " + id + order + " LIMIT ?";
  arguments.add(limit);
  return scope.db().all<NoteRow>(sql, arguments);
}

std::vector<NoteRow> read_trash(Scope& scope, const std::optional<Position>& after,
                                std::int64_t limit) {
  std::string sql = std::string("SELECT ")
                        .append(note_columns)
                        .append(" FROM notes n WHERE n.deleted IS NOT NULL ");
  tenon::Arguments arguments;
  if (after) {
    sql += "AND (n.deleted, n.id) < (?, ?) ";
    arguments.add(after->key).add(after->id);
  }
  sql += "AND " + scope.readable("n", arguments) + " ";
  sql += "ORDER BY n.deleted DESC NULLS LAST, n.id DESC NULLS LAST LIMIT ?";
  arguments.add(limit);
  return scope.db().all<NoteRow>(sql, arguments);
}

/// Pinned and other notes merged by time: two short runs instead of one more index.
std::vector<NoteRow> read_recent(Scope& scope, const ListQuery& query,
                                 const std::optional<Position>& after, std::int64_t limit) {
  auto rows = read_run(scope, query, {true, after}, limit);
  auto others = read_run(scope, query, {false, after}, limit);
  rows.insert(rows.end(), std::make_move_iterator(others.begin()),
              std::make_move_iterator(others.end()));
  std::sort(rows.begin(), rows.end(), [](const NoteRow& left, const NoteRow& right) {
    return std::tie(left.updated, left.id) > std::tie(right.updated, right.id);
  });
  if (rows.size() > static_cast<std::size_t>(limit)) rows.resize(static_cast<std::size_t>(limit));
  return rows;
}

}  // namespace

std::vector<NoteRow> list_notes(Scope& scope, const ListQuery& query,
                                const std::optional<Position>& after, std::int64_t limit) {
  if (query.view == View::trash) return read_trash(scope, after, limit);
  if (query.view == View::recent) return read_recent(scope, query, after, limit);
  const bool is_in_pinned = !after || after->pinned;
  std::vector<NoteRow> rows;
  if (is_in_pinned) rows = read_run(scope, query, {true, after}, limit);
  const auto missing = limit - static_cast<std::int64_t>(rows.size());
  if (query.view == View::pinned || missing == 0) return rows;
  auto others = read_run(scope, query, {false, is_in_pinned ? std::nullopt : after}, missing);
  rows.insert(rows.end(), std::make_move_iterator(others.begin()),
              std::make_move_iterator(others.end()));
  return rows;
}

Position position_of(const NoteRow& row, const ListQuery& query) {
  if (query.view == View::trash) return {false, row.deleted.value_or(""), row.id};
  return {row.pinned, query.sort == Sort::title ? row.title_key : row.updated, row.id};
}

}  // namespace notes::store
