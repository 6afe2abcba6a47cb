#include "store/access.hpp"

#include <algorithm>
#include <utility>

#include <tenon/json.hpp>

#include "store/dialect.hpp"
#include "store/problems.hpp"

namespace notes::store {
namespace {

/// Selects the notebooks that a person sees, by owner and by shares.
std::string seen_sql(const Dialect& dialect) {
  return std::string(
             "WITH RECURSIVE seen (id, level) AS ("
             "SELECT id, 3 FROM notebooks WHERE owner = ? UNION "
             "SELECT notebook, CASE level WHEN 'writer' THEN 2 ELSE 1 END FROM shares "
             "WHERE notebook IS NOT NULL AND subject ")
      .append(dialect.in_json)
      .append(
          " UNION SELECT n.id, seen.level FROM seen JOIN notebooks n ON n.parent = seen.id) "
          "SELECT n.id, n.parent, n.name, n.notes, n.owner, best.level, "
          "EXISTS (SELECT 1 FROM shares s WHERE s.notebook = n.id) "
          "FROM (SELECT id, max(level) AS level FROM seen GROUP BY id) AS best "
          "JOIN notebooks n ON n.id = best.id");
}

struct VisibleNotebook {
  std::string id;
  Location parent;
  std::string name;
  std::int64_t notes = 0;
  std::optional<std::string> owner;
  std::int64_t level = 0;
  bool has_shares = false;
};

Level to_level(std::int64_t number) noexcept {
  return number >= 3   ? Level::owner
         : number == 2 ? Level::writer
         : number == 1 ? Level::reader
                       : Level::none;
}

tenon::Error read_only() {
  return {403, "notes.read_only", "This is shared with you to read only."};
}

}  // namespace

std::string_view name_of(Level level) noexcept {
  switch (level) {
    case Level::none:
      return "none";
    case Level::reader:
      return "reader";
    case Level::writer:
      return "writer";
    case Level::owner:
      return "owner";
  }
  return "none";
}

std::string user_subject(std::string_view id) {
  return std::string("user:").append(id);
}

std::string group_subject(std::string_view id) {
  return std::string("group:").append(id);
}

Reader::Reader(std::string user_id, const std::vector<std::string>& groups)
    : user(std::move(user_id)) {
  tenon::Json all = {everyone, user_subject(user)};
  for (const auto& group : groups)
    all.push_back(group_subject(group));
  subjects = tenon::to_text(all);
}

std::string Scope::condition(std::string_view alias, const std::string& notebooks, bool writes,
                             tenon::Arguments& arguments) const {
  const Dialect& dialect = dialect_of(*db_);
  const std::string n = std::string(dialect.plus).append(alias) + ".";
  const std::string in_json(dialect.in_json);
  arguments.add(actor_->user).add(notebooks).add(actor_->subjects);
  return "(" + n + "author = ? OR " + n + "notebook " + in_json + " OR " + n +
         "id IN (SELECT note FROM shares WHERE note IS NOT NULL" +
         (writes ? " AND level = 'writer'" : "") + " AND subject " + in_json + "))";
}

std::string Scope::readable(std::string_view alias, tenon::Arguments& arguments) {
  load();
  return condition(alias, readable_, false, arguments);
}

std::string Scope::writable(std::string_view alias, tenon::Arguments& arguments) {
  load();
  return condition(alias, writable_, true, arguments);
}

const std::string& Scope::readable_notebooks() {
  load();
  return readable_;
}

const std::map<std::string, Notebook, std::less<>>& Scope::notebooks() {
  load();
  return notebooks_;
}

void Scope::load() {
  if (is_loaded_) return;
  is_loaded_ = true;
  tenon::Json reads = tenon::Json::array();
  tenon::Json writes = tenon::Json::array();
  for (auto& row :
       db_->all<VisibleNotebook>(seen_sql(dialect_of(*db_)), actor_->user, actor_->subjects)) {
    const Level level = to_level(row.level);
    reads.push_back(row.id);
    if (level >= Level::writer) writes.push_back(row.id);
    levels_[row.id] = level;
    shared_[row.id] = row.has_shares || level != Level::owner;
    notebooks_[row.id] = {row.id, row.parent, std::move(row.name), row.notes, std::move(row.owner)};
  }
  readable_ = tenon::to_text(reads);
  writable_ = tenon::to_text(writes);
}

Level Scope::level_at(const Location& location) {
  if (!location) return Level::owner;
  load();
  const auto found = levels_.find(*location);
  return found == levels_.end() ? Level::none : found->second;
}

bool Scope::is_shared(const std::string& notebook) {
  load();
  for (auto at = shared_.find(notebook); at != shared_.end();) {
    if (at->second) return true;
    const Location& parent = notebooks_.find(at->first)->second.parent;
    at = parent ? shared_.find(*parent) : shared_.end();
  }
  return false;
}

Level Scope::level_of(const NoteRow& note) {
  if (note.author == actor_->user) return Level::owner;
  const Level here = note.notebook ? std::min(level_at(note.notebook), Level::writer) : Level::none;
  if (here == Level::writer) return here;
  const std::string sql = std::string(
                              "SELECT CASE level WHEN 'writer' THEN 2 ELSE 1 END FROM shares WHERE "
                              "note = ? AND subject ")
                              .append(dialect_of(*db_).in_json)
                              .append(" ORDER BY 1 DESC LIMIT 1");
  const auto direct = db_->first<std::int64_t>(sql, note.id, actor_->subjects);
  return std::max(here, to_level(direct.value_or(0)));
}

NoteRow need_readable(Scope& scope, std::string_view id) {
  NoteRow note = need_note(scope.db(), id);
  if (scope.level_of(note) == Level::none) throw not_found();
  return note;
}

NoteRow need_writable(Scope& scope, std::string_view id) {
  NoteRow note = need_note(scope.db(), id);
  const Level level = scope.level_of(note);
  if (level == Level::none) throw not_found();
  if (level == Level::reader) throw read_only();
  return note;
}

NoteRow need_editable(Scope& scope, std::string_view id) {
  NoteRow note = need_writable(scope, id);
  if (note.deleted)
    throw tenon::Error(409, "notes.in_trash", "This note is in the trash: restore it first.");
  return note;
}

void require_location(Scope& scope, const Location& location, const std::string& field) {
  const Level level = scope.level_at(location);
  if (level == Level::none)
    throw invalid(field, "unknown", "This notebook is not here (any more).");
  if (level == Level::reader)
    throw invalid(field, "read_only", "This notebook is shared with you to read only.");
}

Notebook need_notebook(Scope& scope, std::string_view id, Level level) {
  const auto& all = scope.notebooks();
  const auto found = all.find(id);
  if (found == all.end()) throw not_found();
  if (scope.level_at(found->first) < std::min(level, Level::writer)) throw read_only();
  return found->second;
}

}  // namespace notes::store
