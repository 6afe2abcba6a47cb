#include "store/links.hpp"

#include <optional>
#include <set>

#include <tenon/id.hpp>
#include <tenon/time.hpp>

#include "limits.hpp"
#include "text/keys.hpp"
#include "text/paths.hpp"
#include "text/scan.hpp"

namespace notes::store {
namespace {

constexpr std::string_view title_kind = "title";
constexpr std::string_view path_kind = "path";

/// What a link waits for: "t:" and a folded title or file name, or "p:" and a path from the top.
std::string key_of_title(std::string_view title_key) {
  return std::string("t:").append(title_key);
}
std::string key_of_path(std::string_view path) {
  return std::string("p:").append(path);
}

struct FoundLink {
  std::string kind;
  std::string target;
  bool operator==(const FoundLink&) const = default;
};

std::vector<FoundLink> distinct_links(std::string_view text) {
  std::vector<FoundLink> links;
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

std::optional<std::string> note_titled(tenon::Statements& db, const Place& near,
                                       const std::string& key) {
  for (const bool pinned : {true, false}) {
    auto found = db.first<std::string>(
        "SELECT id FROM notes WHERE notebook IS ? AND deleted IS NULL AND pinned = ? AND title_key "
        "= ? "
        "ORDER BY id LIMIT 1",
        near, pinned, key);
    if (found) return found;
  }
  for (const bool pinned : {true, false}) {
    auto found = db.first<std::string>(
        "SELECT id FROM notes WHERE deleted IS NULL AND pinned = ? AND title_key = ? ORDER BY id "
        "LIMIT 1",
        pinned, key);
    if (found) return found;
  }
  return db.first<std::string>(
      "SELECT id FROM notes WHERE file_key = ? AND deleted IS NULL LIMIT 1", key);
}

std::optional<std::string> note_at(tenon::Statements& db, const std::string& path) {
  const std::size_t slash = path.rfind('/');
  Place place;
  if (slash != std::string::npos) {
    place = notebook_at(db, std::string_view(path).substr(0, slash));
    if (!place) return std::nullopt;
  }
  const std::string file = slash == std::string::npos ? path : path.substr(slash + 1);
  return db.first<std::string>(
      "SELECT id FROM notes WHERE notebook IS ? AND file = ? AND deleted IS NULL LIMIT 1", place,
      file);
}

/// Looks links of one note up; its own path is asked for once, and only when a link needs it.
class Resolver {
 public:
  Resolver(tenon::Statements& db, const NoteRow& note) : db_(db), note_(note) {}

  std::string key_of(const FoundLink& link) {
    if (link.kind == title_kind) return key_of_title(text::fold(link.target));
    if (!folder_) folder_ = path_of(db_, note_.notebook);
    return key_of_path(text::resolve_path(*folder_, link.target).value_or(""));
  }

  std::optional<std::string> find(const std::string& key) {
    const std::string rest = key.substr(2);
    if (rest.empty()) return std::nullopt;
    return key.front() == 't' ? note_titled(db_, note_.notebook, rest) : note_at(db_, rest);
  }

 private:
  tenon::Statements& db_;
  const NoteRow& note_;
  std::optional<std::string> folder_;
};

}  // namespace

void record_links(tenon::Statements& db, const NoteRow& note, std::string_view text,
                  const KnownTargets& known) {
  const auto links = distinct_links(text);
  const auto before = links_of(db, note.id);
  KnownTargets targets = known;
  std::vector<FoundLink> old_links;
  for (const auto& link : before) {
    old_links.push_back({link.kind, link.target});
    if (link.note && !link.deleted) targets.emplace(std::pair(link.kind, link.target), *link.note);
  }
  if (old_links == links && known.empty()) return;
  if (!before.empty()) db.exec("DELETE FROM links WHERE source = ?", note.id);
  Resolver resolver(db, note);
  std::int64_t place = 0;
  for (const auto& link : links) {
    const std::string key = resolver.key_of(link);
    const auto sticky = targets.find({link.kind, link.target});
    const auto target =
        sticky != targets.end() ? std::optional(sticky->second) : resolver.find(key);
    db.exec(
        "INSERT INTO links (id, source, place, kind, target, target_key, note) VALUES (?, ?, ?, ?, "
        "?, ?, ?)",
        tenon::new_id(), note.id, place++, link.kind, link.target, key, target);
  }
}

void adopt_links(tenon::Statements& db, const NoteRow& note) {
  const std::string folder = path_of(db, note.notebook);
  const std::string path = folder.empty() ? note.file : folder + "/" + note.file;
  const std::set<std::string> keys = {key_of_title(note.title_key),
                                      key_of_title(text::fold(text::stem(note.file))),
                                      key_of_path(path)};
  for (const auto& key : keys) {
    if (key.size() == 2) continue;
    db.exec(
        "UPDATE links SET note = ?1 WHERE target_key = ?2 AND (note IS NULL OR "
        "EXISTS (SELECT 1 FROM notes n WHERE n.id = links.note AND n.deleted IS NOT NULL))",
        note.id, key);
  }
}

Rewritten rewrite_links(tenon::Statements& db, const NoteRow& renamed, const std::string& old_key,
                        const std::string& editor) {
  if (old_key.empty()) return {};
  // The rows of sources are read before any is written.
  const auto sources = db.all<std::string>(
      "SELECT DISTINCT source FROM links WHERE note = ? AND target_key = ? AND source <> ?",
      renamed.id, key_of_title(old_key), renamed.id);
  Rewritten result;
  std::size_t bytes = 0;
  const bool can_stand = text::linkable(renamed.title);
  for (const auto& id : sources) {
    const auto source =
        can_stand && result.notes < max_rewritten_notes && bytes < max_rewritten_bytes
            ? find_note(db, id)
            : std::nullopt;
    if (!source || source->deleted) {
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
    change_note(db, *source, text, source->title, changed, editor, kind::rename);
    record_links(db, need_note(db, id), changed,
                 {{{std::string(title_kind), renamed.title}, renamed.id}});
    ++result.notes;
  }
  return result;
}

std::vector<OutgoingLink> links_of(tenon::Statements& db, std::string_view note) {
  return db.all<OutgoingLink>(
      "SELECT l.kind, l.target, l.note, n.title, n.deleted FROM links l LEFT JOIN notes n ON n.id "
      "= l.note "
      "WHERE l.source = ? ORDER BY l.place",
      note);
}

std::vector<Backlink> backlinks_of(tenon::Statements& db, std::string_view note,
                                   std::int64_t limit) {
  return db.all<Backlink>(
      "SELECT n.id, n.title, n.excerpt FROM links l JOIN notes n ON n.id = l.source "
      "WHERE l.note = ?1 AND l.source <> ?1 AND n.deleted IS NULL GROUP BY l.source LIMIT ?2",
      note, limit);
}

}  // namespace notes::store
