#include "store/search.hpp"

#include <algorithm>
#include <utility>

#include "store/lists.hpp"
#include "text/keys.hpp"
#include "text/search_terms.hpp"

namespace notes::store {
namespace {

void add_new(std::vector<Suggestion>& all, std::vector<Suggestion> more, std::string_view except,
             std::int64_t limit) {
  for (auto& each : more) {
    const bool is_there = each.id == except ||
                          std::any_of(all.begin(), all.end(),
                                      [&](const Suggestion& other) { return other.id == each.id; });
    if (!is_there && all.size() < static_cast<std::size_t>(limit)) all.push_back(std::move(each));
  }
}

/// Titles that begin with a key: a stretch of the index. U+10FFFF sorts behind every character.
std::vector<Suggestion> by_beginning(Scope& scope, const std::string& key, bool pinned,
                                     std::int64_t limit) {
  tenon::Arguments arguments;
  arguments.add(pinned).add(key).add(key + "\xF4\x8F\xBF\xBF");
  const std::string readable = scope.readable("n", arguments);
  arguments.add(limit);
  return scope.db().all<Suggestion>(
      "SELECT n.id, n.title, n.notebook FROM notes n WHERE n.deleted IS NULL AND n.pinned = ? AND "
      "n.title_key >= ? AND n.title_key < ? AND " +
          readable + " ORDER BY n.title_key, n.id LIMIT ?",
      arguments);
}

}  // namespace

std::vector<Hit> search(Scope& scope, std::string_view expression,
                        const std::optional<std::string>& tag, std::int64_t limit,
                        std::int64_t offset) {
  // "rank" is ordered inside the index, so that snippets are made of the rows that are shown only.
  std::string sql =
      "SELECT rowid, highlight(note_search, 0, ?, ?), snippet(note_search, 1, ?, ?, '…', 24) FROM "
      "note_search "
      "WHERE note_search MATCH ? AND rank MATCH 'bm25(8.0, 1.0)' ";
  tenon::Arguments arguments;
  for (int i = 0; i < 2; ++i)
    arguments.add(text::match_begin).add(text::match_end);
  arguments.add(expression);
  if (tag) {
    sql +=
        "AND rowid IN (SELECT n.rowid FROM note_tags t JOIN notes n ON n.id = t.note WHERE t.tag = "
        "?) ";
    arguments.add(*tag);
  }
  sql += "AND EXISTS (SELECT 1 FROM notes n WHERE n.rowid = note_search.rowid AND " +
         scope.readable("n", arguments) + ") ";
  arguments.add(limit).add(offset);
  return scope.db().all<Hit>(sql + "ORDER BY rank LIMIT ? OFFSET ?", arguments);
}

std::vector<NoteRow> notes_by_rowid(tenon::Statements& db, const std::string& rowids) {
  static const std::string sql =
      std::string("SELECT ")
          .append(note_columns)
          .append(" FROM notes n WHERE n.rowid IN (SELECT value FROM json_each(?))");
  return db.all<NoteRow>(sql, rowids);
}

std::vector<Suggestion> suggest(Scope& scope, std::string_view typed, std::string_view except,
                                std::int64_t limit) {
  const std::string key = text::fold(typed);
  std::vector<Suggestion> found;
  if (key.empty()) {
    ListQuery recent;
    recent.view = View::recent;
    for (auto& row : list_notes(scope, recent, std::nullopt, limit + 1)) {
      add_new(found, {{row.id, row.title, row.notebook}}, except, limit);
    }
    return found;
  }
  add_new(found, by_beginning(scope, key, true, limit + 1), except, limit);
  add_new(found, by_beginning(scope, key, false, limit + 1), except, limit);
  const std::string expression = text::match_expression(typed, "title");
  if (found.size() < static_cast<std::size_t>(limit) && !expression.empty()) {
    tenon::Arguments arguments;
    arguments.add(expression);
    const std::string readable = scope.readable("n", arguments);
    arguments.add(2 * limit + 1);
    add_new(found,
            scope.db().all<Suggestion>(
                "SELECT n.id, n.title, n.notebook FROM note_search s JOIN notes n ON n.rowid = "
                "s.rowid WHERE note_search MATCH ? AND " +
                    readable + " ORDER BY s.rank LIMIT ?",
                arguments),
            except, limit);
  }
  return found;
}

}  // namespace notes::store
