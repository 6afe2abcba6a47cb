#include "store/links.hpp"

#include <map>
#include <optional>
#include <set>
#include <utility>

#include <tenon/id.hpp>
#include <tenon/json.hpp>
#include <tenon/time.hpp>

#include "limits.hpp"
#include "store/access.hpp"
#include "store/dialect.hpp"
#include "text/keys.hpp"
#include "text/paths.hpp"
#include "text/scan.hpp"

namespace notes::store {
namespace {

constexpr std::string_view title_kind = "title";
constexpr std::string_view path_kind = "path";

/// The key that a link waits for: "t:" and a folded title or file name, or "p:", whose tree it is
/// in (none for what is everybody's) and a path from its top.
std::string key_of_title(std::string_view title_key) {
  return std::string("t:").append(title_key);
}
std::string key_of_path(const Owner& owner, std::string_view path) {
  return "p:" + (owner && !path.empty() ? *owner + ":" : std::string()).append(path);
}

struct TextLink {
  std::string kind;
  std::string target;
  bool operator==(const TextLink&) const = default;
};

std::vector<TextLink> distinct_links(std::string_view text) {
  std::vector<TextLink> links;
  std::set<std::pair<text::LinkKind, std::string_view>> seen;
  text::scan_links(text, [&](const text::Link& link) {
    if (seen.emplace(link.kind, link.target).second) {
      const auto kind = link.kind == text::LinkKind::title ? title_kind : path_kind;
      links.push_back({std::string(kind), std::string(link.target)});
    }
    return links.size() < max_links;
  });
  return links;
}

/// Returns the owner of the tree of a note, which distinguishes paths from the top.
Owner tree_of(tenon::Statements& db, const NoteRow& note) {
  if (!note.notebook) return note.author;
  const auto notebook = find_notebook(db, *note.notebook);
  return notebook ? notebook->owner : Owner(note.author);
}

/// The first note that may be read of those that a condition leaves.
std::optional<std::string> first_readable(Scope& scope, const std::string& where,
                                          const std::string& order, tenon::Arguments arguments) {
  const std::string sql = "SELECT n.id FROM notes n WHERE n.deleted IS NULL AND " + where +
                          " AND " + scope.readable("n", arguments) + order + " LIMIT 1";
  return scope.db().first<std::string>(sql, arguments);
}

std::optional<std::string> note_titled(Scope& scope, const Location& near, const std::string& key) {
  for (const bool pinned : {true, false}) {
    tenon::Arguments arguments;
    std::string where;
    append_equals(where, arguments, "n.notebook", near);
    arguments.add(pinned).add(key);
    auto found = first_readable(scope, where + " AND n.pinned = ? AND n.title_key = ?",
                                " ORDER BY n.id", std::move(arguments));
    if (found) return found;
  }
  for (const bool pinned : {true, false}) {
    tenon::Arguments arguments;
    arguments.add(pinned).add(key);
    auto found = first_readable(scope, "n.pinned = ? AND n.title_key = ?", " ORDER BY n.id",
                                std::move(arguments));
    if (found) return found;
  }
  tenon::Arguments arguments;
  arguments.add(key);
  return first_readable(scope, "n.file_key = ?", "", std::move(arguments));
}

std::optional<std::string> note_at(Scope& scope, const Owner& owner, const std::string& path) {
  const std::size_t slash = path.rfind('/');
  tenon::Arguments arguments;
  if (slash == std::string::npos) {
    std::string where;
    append_equals(where, arguments, std::string(dialect_of(scope.db()).plus) + "n.author", owner);
    arguments.add(path);
    return first_readable(scope, where + " AND n.notebook IS NULL AND n.file = ?", "",
                          std::move(arguments));
  }
  const Location location = notebook_at(scope.db(), owner, std::string_view(path).substr(0, slash));
  if (!location) return std::nullopt;
  arguments.add(*location).add(path.substr(slash + 1));
  return first_readable(scope, "n.notebook = ? AND n.file = ?", "", std::move(arguments));
}

/// Looks links of one note up; its own path is asked for once, and only when a link needs it.
class Resolver {
 public:
  Resolver(Scope& scope, const NoteRow& note)
      : scope_(scope), note_(note), owner_(tree_of(scope.db(), note)) {}

  std::string key_of(const TextLink& link) {
    if (link.kind == title_kind) return key_of_title(text::fold(link.target));
    if (!folder_) folder_ = path_of(scope_.db(), note_.notebook);
    const std::string path = text::resolve_path(*folder_, link.target).value_or("");
    paths_[key_of_path(owner_, path)] = path;
    return key_of_path(owner_, path);
  }

  /// Asks once which titles among the keys any note has, readable or not: find() looks for these.
  void expect(const std::vector<std::string>& keys) {
    tenon::Json titles = tenon::Json::array();
    for (const auto& key : keys) {
      if (!paths_.contains(key) && key.size() > 2) titles.push_back(key.substr(2));
    }
    if (titles.empty()) return;
    const std::string sql =
        std::string("SELECT k.value FROM ")
            .append(dialect_of(scope_.db()).texts)
            .append(
                " AS k WHERE EXISTS (SELECT 1 FROM notes n WHERE n.deleted IS NULL AND n.pinned IN "
                "(TRUE, FALSE) AND n.title_key = k.value) OR EXISTS (SELECT 1 FROM notes n WHERE "
                "n.deleted IS NULL AND n.file_key = k.value)");
    for (auto& title : scope_.db().all<std::string>(sql, tenon::to_text(titles)))
      titles_.insert(std::move(title));
  }

  std::optional<std::string> find(const std::string& key) {
    if (const auto path = paths_.find(key); path != paths_.end())
      return path->second.empty() ? std::nullopt : note_at(scope_, owner_, path->second);
    const std::string title = key.substr(2);
    return titles_.contains(title) ? note_titled(scope_, note_.notebook, title) : std::nullopt;
  }

 private:
  Scope& scope_;
  const NoteRow& note_;
  Owner owner_;
  std::optional<std::string> folder_;
  std::map<std::string, std::string> paths_;  // key → path
  std::set<std::string> titles_;              // that notes have
};

/// Returns links independent of what they lead to.
std::vector<OutgoingLink> all_links(tenon::Statements& db, std::string_view note) {
  return db.all<OutgoingLink>(
      "SELECT l.kind, l.target, l.note, n.title, n.deleted FROM links l LEFT JOIN notes n ON n.id "
      "= l.note WHERE l.source = ? ORDER BY l.place",
      note);
}

}  // namespace

void record_links(Scope& scope, const NoteRow& note, std::string_view text,
                  const KnownTargets& known) {
  tenon::Statements& db = scope.db();
  const auto links = distinct_links(text);
  const auto before = all_links(db, note.id);
  KnownTargets targets = known;
  std::vector<TextLink> old_links;
  for (const auto& link : before) {
    old_links.push_back({link.kind, link.target});
    if (link.note && !link.deleted) targets.emplace(std::pair(link.kind, link.target), *link.note);
  }
  if (old_links == links && known.empty()) return;
  if (!before.empty()) db.exec("DELETE FROM links WHERE source = ?", note.id);
  if (links.empty()) return;
  Resolver resolver(scope, note);
  std::vector<std::string> keys;
  for (const auto& link : links)
    keys.push_back(resolver.key_of(link));
  resolver.expect(keys);
  tenon::Json rows = tenon::Json::array();
  for (std::size_t i = 0; i < links.size(); ++i) {
    const auto sticky = targets.find({links[i].kind, links[i].target});
    const auto target =
        sticky != targets.end() ? std::optional(sticky->second) : resolver.find(keys[i]);
    rows.push_back({{"id", tenon::new_id()},
                    {"place", i},
                    {"kind", links[i].kind},
                    {"target", links[i].target},
                    {"key", keys[i]},
                    {"note", target ? tenon::Json(*target) : tenon::Json()}});
  }
  // All at once: for PostgreSQL each statement is a way to the server and back.
  const std::string sql =
      std::string(
          "INSERT INTO links (id, source, place, kind, target, target_key, note) SELECT l.value "
          "->> 'id', n.id, CAST(l.value ->> 'place' AS bigint), l.value ->> 'kind', l.value ->> "
          "'target', l.value ->> 'key', l.value ->> 'note' FROM ")
          .append(dialect_of(db).objects)
          .append(" AS l JOIN notes n ON n.id = ?");
  db.exec(sql, tenon::to_text(rows), note.id);
}

void adopt_links(tenon::Statements& db, const NoteRow& note) {
  const std::string folder = path_of(db, note.notebook);
  const std::string path = folder.empty() ? note.file : folder + "/" + note.file;
  const Owner owner = tree_of(db, note);
  const std::set<std::string> keys = {key_of_title(note.title_key),
                                      key_of_title(text::fold(text::stem(note.file))),
                                      key_of_path(owner, path)};
  for (const auto& key : keys) {
    if (key.size() == 2) continue;
    tenon::Arguments arguments;
    arguments.add(note.id).add(key).add(note.author);
    std::string sql =
        "UPDATE links SET note = ? WHERE target_key = ? AND (note IS NULL OR "
        "EXISTS (SELECT 1 FROM notes n WHERE n.id = links.note AND n.deleted IS NOT NULL)) AND "
        "EXISTS (SELECT 1 FROM notes s LEFT JOIN notebooks b ON b.id = s.notebook WHERE s.id = "
        "links.source AND (s.author = ?";
    if (note.notebook) {
      sql += " OR (b.id IS NOT NULL AND ";
      append_equals(sql, arguments, "b.owner", owner);
      sql += ")";
    }
    db.exec(sql + "))", arguments);
  }
}

Rewritten rewrite_links(Scope& scope, const NoteRow& renamed, const std::string& old_key) {
  if (old_key.empty()) return {};
  tenon::Statements& db = scope.db();
  // The rows of sources are read before any is written.
  const auto sources = db.all<std::string>(
      "SELECT DISTINCT source FROM links WHERE note = ? AND target_key = ? AND source <> ?",
      renamed.id, key_of_title(old_key), renamed.id);
  Rewritten result;
  std::size_t bytes = 0;
  const bool is_linkable = text::linkable(renamed.title);
  for (const auto& id : sources) {
    const auto source = find_note(db, id);
    const Level level = source ? scope.level_of(*source) : Level::none;
    if (level == Level::none) continue;
    if (!is_linkable || result.notes >= max_rewritten_notes || bytes >= max_rewritten_bytes ||
        level == Level::reader || source->deleted) {
      ++result.left;
      continue;
    }
    const std::string text = text_of(db, source->rowid);
    bytes += text.size();
    std::size_t replaced = 0;
    const std::string changed = text::replace_title_links(text, old_key, renamed.title, replaced);
    if (replaced == 0 || changed.size() > max_text_bytes) {
      ++result.left;
      continue;
    }
    change_note(scope, *source, text, source->title, changed, kind::rename);
    record_links(scope, need_note(db, id), changed,
                 {{{std::string(title_kind), renamed.title}, renamed.id}});
    ++result.notes;
  }
  return result;
}

std::vector<OutgoingLink> links_of(Scope& scope, std::string_view note) {
  tenon::Arguments arguments;
  const std::string readable = scope.readable("n", arguments);
  arguments.add(note);
  return scope.db().all<OutgoingLink>(
      "SELECT l.kind, l.target, n.id, n.title, n.deleted FROM links l LEFT JOIN notes n ON n.id = "
      "l.note AND " +
          readable + " WHERE l.source = ? ORDER BY l.place",
      arguments);
}

std::vector<Backlink> backlinks_of(Scope& scope, std::string_view note, std::int64_t limit) {
  tenon::Arguments arguments;
  arguments.add(note).add(note);
  const std::string readable = scope.readable("n", arguments);
  arguments.add(limit);
  // min(): of equal ones; the groups are read off the index then.
  return scope.db().all<Backlink>(
      "SELECT l.source, min(n.title), min(n.excerpt) FROM links l JOIN notes n ON n.id = l.source "
      "WHERE l.note = ? AND l.source <> ? AND n.deleted IS NULL AND " +
          readable + " GROUP BY l.source ORDER BY l.source LIMIT ?",
      arguments);
}

}  // namespace notes::store
