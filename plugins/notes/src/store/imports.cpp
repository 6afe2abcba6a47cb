#include "store/imports.hpp"

#include <utility>

#include <tenon/id.hpp>
#include <tenon/time.hpp>

#include "limits.hpp"
#include "store/dialect.hpp"
#include "store/notes.hpp"
#include "text/paths.hpp"

namespace notes::store {
namespace {

/// How many "a (2).md" are looked at for the same bytes.
constexpr std::int64_t compared_names = 9;

Imported refused(ImportResult result, std::string code, std::string message) {
  return {result, {}, {}, std::move(code), std::move(message)};
}

class Batch {
 public:
  Batch(Scope& scope, const Import& import)
      : scope_(scope),
        db_(scope.db()),
        import_(import),
        key_(scope.actor().user + "/" + import.id),
        paths_(db_, scope.actor().user),
        depth_(depth_of(db_, import.location)) {}

  Imported take(const ImportFile& file) {
    if (auto before = earlier(file.path)) return *std::move(before);
    auto names = text::split_path(file.path);
    if (!names)
      return refused(ImportResult::failed, "notes.path_invalid",
                     "This path cannot be one of notes.");
    for (const auto& name : *names) {
      if (name.starts_with('.')) {
        return refused(ImportResult::skipped, "notes.hidden",
                       "Hidden files and folders are left out.");
      }
    }
    const std::string name = std::move(names->back());
    names->pop_back();
    if (!text::is_markdown_file(name)) {
      return refused(ImportResult::skipped, "notes.not_markdown",
                     "By its name this is not Markdown.");
    }
    if (depth_ + static_cast<std::int64_t>(names->size()) > max_notebook_depth) {
      return refused(ImportResult::failed, "notes.too_deep", "This lies in too many folders.");
    }
    if (file.text.size() > max_text_bytes) {
      return refused(ImportResult::failed, "notes.text_too_long", "This is too long for one note.");
    }
    if (file.text.find('\0') != std::string::npos) {
      return refused(ImportResult::failed, "notes.binary", "This is not text.");
    }
    return location(file, *names, name);
  }

 private:
  std::optional<Imported> earlier(const std::string& path) {
    struct Known {
      std::string note;
      std::optional<std::string> file;
    };
    auto known = db_.first<Known>("SELECT note, file FROM imported WHERE import = ? AND path = ?",
                                  key_, path);
    if (!known) return std::nullopt;
    return Imported{
        ImportResult::created, std::move(known->note), known->file.value_or(""), {}, {}};
  }

  Imported location(const ImportFile& file, const std::vector<std::string>& folders,
                    const std::string& name) {
    Location location;
    try {
      location = paths_.make(import_.location, folders);
    } catch (const tenon::Error& error) {
      if (error.status() != 422) throw;
      return refused(ImportResult::failed, error.code(), error.message());
    }
    if (auto same = same_note(location, name, file.text)) {
      return {ImportResult::unchanged, *std::move(same), {}, {}, {}};
    }
    const std::string id = tenon::new_id();
    const std::string time = tenon::now_text();
    const std::string given = add_note(scope_, {.id = id,
                                                .notebook = location,
                                                .title = text::title_of(file.text, name),
                                                .text = file.text,
                                                .tags = {},
                                                .author = scope_.actor().user,
                                                .kind = kind::import,
                                                .file = name,
                                                .time = file.modified.value_or(time)});
    const std::optional<std::string> other = given == name ? std::nullopt : std::optional(given);
    db_.exec(
        "INSERT INTO imported (id, import, path, note, file, created) VALUES (?, ?, ?, ?, ?, ?)",
        tenon::new_id(), key_, file.path, id, other, time);
    return {ImportResult::created, id, other.value_or(""), {}, {}};
  }

  std::optional<std::string> same_note(const Location& location, const std::string& name,
                                       const std::string& text) {
    for (std::int64_t number = 1; number <= compared_names; ++number) {
      const std::string file = number == 1 ? name : text::numbered(name, number);
      struct Candidate {
        std::string id;
        std::string text;
      };
      tenon::Arguments arguments;
      std::string sql = "SELECT id, text FROM notes WHERE ";
      append_equals(sql, arguments, "notebook", location);
      sql += " AND file = ? AND deleted IS NULL";
      arguments.add(file);
      if (!location) {
        sql.append(" AND ").append(dialect_of(db_).plus).append("author = ?");
        arguments.add(scope_.actor().user);
      }
      auto candidate = db_.first<Candidate>(sql + " LIMIT 1", arguments);
      if (!candidate) return std::nullopt;
      if (candidate->text == text) return std::move(candidate->id);
    }
    return std::nullopt;
  }

  Scope& scope_;
  tenon::Statements& db_;
  const Import& import_;
  std::string key_;  // another person's import of the same id is another one
  Paths paths_;
  std::int64_t depth_;
};

}  // namespace

std::string_view name_of(ImportResult result) noexcept {
  switch (result) {
    case ImportResult::created:
      return "created";
    case ImportResult::unchanged:
      return "unchanged";
    case ImportResult::skipped:
      return "skipped";
    case ImportResult::failed:
      return "failed";
  }
  return "failed";
}

std::vector<Imported> import_files(Scope& scope, const Import& import,
                                   const std::vector<ImportFile>& files) {
  const auto forgotten = tenon::rfc3339(tenon::now() - import_memory);
  scope.db().exec(
      "DELETE FROM imported WHERE rowid IN (SELECT rowid FROM imported WHERE created < ? LIMIT "
      "500)",
      forgotten);
  Batch batch(scope, import);
  std::vector<Imported> results;
  results.reserve(files.size());
  for (const auto& file : files)
    results.push_back(batch.take(file));
  return results;
}

}  // namespace notes::store
