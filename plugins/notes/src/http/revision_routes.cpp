#include <charconv>
#include <limits>
#include <string>
#include <utility>

#include <tenon/plugin.hpp>

#include "http/page.hpp"
#include "http/routes.hpp"
#include "http/saving.hpp"
#include "http/shapes.hpp"
#include "limits.hpp"
#include "store/problems.hpp"
#include "store/revisions.hpp"

namespace notes::http {
namespace {

std::int64_t before_version(const tenon::Request& request) {
  const auto parts = cursor_of(request, 1);
  if (!parts) return std::numeric_limits<std::int64_t>::max();
  const std::string& text = parts->front();
  std::int64_t version = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), version);
  if (error != std::errc() || end != text.data() + text.size()) throw bad_query("cursor");
  return version;
}

tenon::Response list_revisions(tenon::Host& host, const tenon::Request& request) {
  const std::string id = path_id(request);
  const std::int64_t before = before_version(request);
  const std::int64_t limit = limit_of(request, default_page, max_page);
  const store::Reader who = reader_of(request);
  auto revisions = host.database().read([&](tenon::Read& db) {
    store::Scope scope(db, who);
    static_cast<void>(store::need_readable(scope, id));
    return store::list_revisions(db, id, before, limit + 1);
  });
  tenon::Json next;
  if (revisions.size() > static_cast<std::size_t>(limit)) {
    revisions.pop_back();
    next = make_cursor({std::to_string(revisions.back().version)});
  }
  People people(host.identity());
  tenon::Json items = tenon::Json::array();
  for (const auto& revision : revisions)
    items.push_back(revision_json(revision, people));
  return tenon::Response::json({{"items", std::move(items)}, {"next", std::move(next)}});
}

tenon::Response get_revision(tenon::Host& host, const tenon::Request& request) {
  const std::string note = path_id(request);
  const std::string id = path_id(request, "revision");
  const store::Reader who = reader_of(request);
  const auto [revision, text] = host.database().read([&](tenon::Read& db) {
    store::Scope scope(db, who);
    static_cast<void>(store::need_readable(scope, note));
    auto found = store::need_revision(db, note, id);
    return std::pair(std::move(found), store::revision_text(db, id));
  });
  People people(host.identity());
  tenon::Json json = revision_json(revision, people);
  json["text"] = text;
  return tenon::Response::json(json);
}

tenon::Response restore_revision(tenon::Host& host, const tenon::Request& request) {
  const std::string id = path_id(request, "revision");
  Save save{path_id(request), if_match(request), {}, {}, store::kind::restore};
  const store::Reader who = reader_of(request);
  People people(host.identity());
  return respond_to_conflicts(people, [&] {
    const NoteView view = host.database().transaction(
        [&](tenon::Transaction& db) {
          store::Scope scope(db, who);
          const store::NoteRow note = store::need_editable(scope, save.note);
          save.title = store::need_revision(db, save.note, id).title;
          save.text = store::revision_text(db, id);
          save_content(scope, note, save);
          return view_note(scope, save.note);
        },
        save_deadline);
    return note_response(view, people);
  });
}

}  // namespace

void add_revision_routes(tenon::Host& host) {
  auto& http = host.http();
  http.get("/notes/{id}/revisions", use, {.summary = "States of a note, newest first"},
           [&host](const tenon::Request& request) { return list_revisions(host, request); });
  http.get("/notes/{id}/revisions/{revision}", use, {.summary = "A state of a note with its text"},
           [&host](const tenon::Request& request) { return get_revision(host, request); });
  http.post("/notes/{id}/revisions/{revision}/restore", use,
            {.body = tenon::Body::none, .summary = "Makes an earlier state the present one"},
            [&host](const tenon::Request& request) { return restore_revision(host, request); });
}

}  // namespace notes::http
