#include <optional>
#include <string>
#include <utility>

#include <tenon/plugin.hpp>

#include "http/body.hpp"
#include "http/page.hpp"
#include "http/routes.hpp"
#include "http/saving.hpp"
#include "http/shapes.hpp"
#include "store/problems.hpp"
#include "store/tags.hpp"
#include "text/exported.hpp"
#include "text/paths.hpp"

namespace notes::http {
namespace {

store::NewNote read_new_note(const tenon::Request& request) {
  Body body(request, {"id", "notebook", "title", "text", "tags", "pinned"});
  store::NewNote note;
  note.id = body.id("id").value_or("");
  note.notebook = body.location("notebook").value_or(std::nullopt);
  note.title = body.title().value_or("");
  note.text = body.note_text().value_or("");
  note.tags = body.tags().value_or(std::vector<std::string>{});
  note.pinned = body.flag("pinned").value_or(false);
  body.done();
  if (note.id.empty()) note.id = tenon::new_id();
  note.author = request.user_id();
  note.time = tenon::now_text();
  return note;
}

/// Returns true when the note was made now, false when this very request succeeded before.
bool create(store::Scope& scope, const store::NewNote& note) {
  const auto there = store::find_note(scope.db(), note.id);
  if (!there) {
    store::require_location(scope, note.notebook, "notebook");
    store::add_note(scope, note);
    return true;
  }
  if (there->author != note.author || there->title != note.title ||
      store::text_of(scope.db(), there->rowid) != note.text) {
    throw tenon::Error(409, "notes.exists", "There is another note with this id.");
  }
  return false;
}

tenon::Response post_note(tenon::Host& host, const tenon::Request& request) {
  const store::NewNote note = read_new_note(request);
  const store::Reader who = reader_of(request);
  const auto [is_new, view] = host.database().transaction(
      [&](tenon::Transaction& db) {
        store::Scope scope(db, who);
        const bool is_created = create(scope, note);
        return std::pair(is_created, view_note(scope, note.id));
      },
      save_deadline);
  People people(host.identity());
  return note_response(view, people, is_new ? 201 : 200)
      .header("Location", "/api/notes/notes/" + note.id);
}

tenon::Response get_note(tenon::Host& host, const tenon::Request& request) {
  const std::string id = path_id(request);
  const store::Reader who = reader_of(request);
  People people(host.identity());
  return note_response(host.database().read([&](tenon::Read& db) {
    store::Scope scope(db, who);
    return view_note(scope, id);
  }),
                       people);
}

struct Change {
  std::optional<std::string> title;
  std::optional<std::string> text;
  std::optional<store::Location> notebook;
  std::optional<bool> pinned;
  std::optional<std::vector<std::string>> tags;
};

Change read_change(const tenon::Request& request) {
  Body body(request, {"title", "text", "notebook", "pinned", "tags"});
  Change change{body.title(), body.note_text(), body.location("notebook"), body.flag("pinned"),
                body.tags()};
  body.done();
  return change;
}

store::Rewritten apply(store::Scope& scope, const Change& change, const Save& save) {
  const store::NoteRow note = store::need_editable(scope, save.note);
  store::Rewritten rewritten;
  if (change.title || change.text) rewritten = save_content(scope, note, save);
  const store::NoteRow saved = store::need_note(scope.db(), save.note);
  if (change.notebook) store::move_note(scope, saved, *change.notebook);
  if (change.pinned) store::pin_note(scope.db(), saved, *change.pinned);
  if (change.tags) store::set_tags(scope.db(), save.note, *change.tags);
  return rewritten;
}

tenon::Response patch_note(tenon::Host& host, const tenon::Request& request) {
  const Change change = read_change(request);
  const Save save{path_id(request), if_match(request), change.title, change.text,
                  store::kind::edit};
  const store::Reader who = reader_of(request);
  People people(host.identity());
  return respond_to_conflicts(people, [&] {
    const auto [rewritten, view] = host.database().transaction(
        [&](tenon::Transaction& db) {
          store::Scope scope(db, who);
          const store::Rewritten done = apply(scope, change, save);
          return std::pair(done, view_note(scope, save.note));
        },
        save_deadline);
    tenon::Json more = tenon::Json::object();
    if (rewritten.notes > 0 || rewritten.left > 0)
      more = {{"rewritten", rewritten.notes}, {"left", rewritten.left}};
    return note_response(view, people, 200, more);
  });
}

tenon::Response get_markdown(tenon::Host& host, const tenon::Request& request) {
  const std::string id = path_id(request);
  struct File {
    std::string name;
    std::string text;
  };
  const store::Reader who = reader_of(request);
  auto file = host.database().read([&](tenon::Read& db) {
    store::Scope scope(db, who);
    const store::NoteRow note = store::need_readable(scope, id);
    return File{note.file, text::exported_text(store::text_of(db, note.rowid), note.title,
                                               note.file, store::tags_of(db, id))};
  });
  return tenon::Response::bytes(std::move(file.text), "text/markdown; charset=utf-8")
      .header("Content-Disposition", text::attachment(file.name));
}

}  // namespace

void add_note_routes(tenon::Host& host) {
  auto& http = host.http();
  http.post("/notes", use, {.summary = "Makes a note"},
            [&host](const tenon::Request& request) { return post_note(host, request); });
  http.get("/notes/{id}", use, {.summary = "A note with its text, links and backlinks"},
           [&host](const tenon::Request& request) { return get_note(host, request); });
  http.patch("/notes/{id}", use, {.summary = "Saves, moves, pins or tags a note"},
             [&host](const tenon::Request& request) { return patch_note(host, request); });
  http.get("/notes/{id}/markdown", use, {.summary = "A note as a Markdown file"},
           [&host](const tenon::Request& request) { return get_markdown(host, request); });
}

}  // namespace notes::http
