#include "store/search.hpp"

#include <algorithm>
#include <utility>

#include <tenon/json.hpp>

#include "store/dialect.hpp"
#include "store/lists.hpp"
#include "text/keys.hpp"

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

/// Titles that begin with a key: a stretch of the index. U+10FFFF sorts after every character.
std::vector<Suggestion> by_beginning(Scope& scope, const std::string& key, bool pinned,
                                     std::int64_t limit) {
  tenon::Arguments arguments;
  arguments.add(pinned).add(key).add(key + "\xF4\x8F\xBF\xBF");
  const std::string readable = scope.readable("n", arguments);
  arguments.add(limit);
  return scope.db().all<Suggestion>(
      "SELECT n.id, n.title, n.notebook FROM notes n WHERE n.deleted IS NULL AND n.pinned = ? AND "
      "n.title_key >= ? AND n.title_key < ? AND " +
          readable +
          " ORDER BY n.deleted NULLS FIRST, n.title_key NULLS FIRST, n.id NULLS FIRST LIMIT ?",
      arguments);
}

enum class In : std::uint8_t { title, title_and_text };

/// Returns the search expression of Dialect::found.
std::string asked_for(const tenon::Statements& db, const std::vector<text::Term>& terms, In where) {
  const bool is_title = where == In::title;
  if (db.engine() == tenon::Engine::sqlite)
    return text::match_expression(terms, is_title ? "title" : "");
  tenon::Json asked = {{"fields", tenon::Json::array()}, {"terms", tenon::Json::array()}};
  asked["fields"].push_back(0);
  if (!is_title) asked["fields"].push_back(1);
  for (const auto& term : terms) {
    asked["terms"].push_back(
        {{"text", term.words}, {"beginning", term.unfinished}, {"excluded", term.excluded}});
  }
  return tenon::to_text(asked);
}

/// The rest of a statement about notes n that are found, may be read, and are not in the trash.
std::string found_notes(const Dialect& dialect, Scope& scope, tenon::Arguments& arguments) {
  return std::string(dialect.found)
      .append("AND ")
      .append(dialect.plus)
      .append("n.deleted IS NULL AND ")
      .append(scope.readable("n", arguments));
}

}  // namespace

std::vector<SearchHit> search(Scope& scope, const std::vector<text::Term>& terms,
                              const std::optional<std::string>& tag, std::int64_t limit,
                              std::int64_t offset) {
  const Dialect& dialect = dialect_of(scope.db());
  tenon::Arguments arguments;
  arguments.add(asked_for(scope.db(), terms, In::title_and_text));
  // The rank orders what is found before titles and texts are marked, of what is shown only.
  std::string sql = std::string("SELECT n.id, ")
                        .append(dialect.title)
                        .append(", ")
                        .append(dialect.text)
                        .append(found_notes(dialect, scope, arguments));
  if (tag) {
    sql += " AND EXISTS (SELECT 1 FROM note_tags t WHERE t.note = n.id AND t.tag = ?)";
    arguments.add(*tag);
  }
  arguments.add(limit).add(offset);
  return scope.db().all<SearchHit>(sql.append(dialect.order).append(" LIMIT ? OFFSET ?"),
                                   arguments);
}

std::vector<NoteRow> notes_by_id(tenon::Statements& db, const std::string& ids) {
  const std::string sql = std::string("SELECT ")
                              .append(note_columns)
                              .append(" FROM notes n WHERE n.id ")
                              .append(dialect_of(db).in_json);
  return db.all<NoteRow>(sql, ids);
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
  const auto terms = text::search_terms(typed);
  if (found.size() < static_cast<std::size_t>(limit) && !terms.empty()) {
    const Dialect& dialect = dialect_of(scope.db());
    tenon::Arguments arguments;
    arguments.add(asked_for(scope.db(), terms, In::title));
    std::string sql = "SELECT n.id, n.title, n.notebook" + found_notes(dialect, scope, arguments);
    arguments.add(2 * limit + 1);
    sql.append(dialect.order).append(" LIMIT ?");
    add_new(found, scope.db().all<Suggestion>(sql, arguments), except, limit);
  }
  return found;
}

}  // namespace notes::store
