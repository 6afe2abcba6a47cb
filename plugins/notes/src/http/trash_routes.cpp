#include <string>

#include <tenon/plugin.hpp>

#include "http/page.hpp"
#include "http/routes.hpp"
#include "http/shapes.hpp"
#include "http/sweep.hpp"
#include "store/problems.hpp"
#include "store/trash.hpp"

namespace notes::http {
namespace {

constexpr std::chrono::seconds purge_deadline{30};

tenon::Response delete_note(tenon::Host& host, const tenon::Request& request) {
  const std::string id = path_id(request);
  const std::string forever = request.query("forever", "false");
  if (forever != "true" && forever != "false") throw bad_query("forever");
  const store::Reader who = reader_of(request);
  host.database().transaction([&](tenon::Transaction& db) {
    store::Scope scope(db, who);
    const store::NoteRow note = store::need_writable(scope, id);
    forever == "true" ? store::purge_note(scope, note) : store::trash_note(db, note);
  });
  if (forever == "true") release_gone(host);
  return tenon::Response::empty();
}

tenon::Response restore_note(tenon::Host& host, const tenon::Request& request) {
  const std::string id = path_id(request);
  const store::Reader who = reader_of(request);
  const NoteView view = host.database().transaction([&](tenon::Transaction& db) {
    store::Scope scope(db, who);
    store::restore_note(db, store::need_writable(scope, id));
    store::Scope after(db, who);
    return view_note(after, id);
  });
  People people(host.identity());
  return note_response(view, people);
}

tenon::Response empty_trash(tenon::Host& host, const tenon::Request& request) {
  const store::Reader who = reader_of(request);
  auto response = host.database().transaction(
      [&](tenon::Transaction& db) {
        const auto deleted = store::purge_step(db, who.user);
        store::Scope scope(db, who);
        return tenon::Response::json(
            {{"deleted", deleted}, {"left", store::totals(scope).trash_own}});
      },
      purge_deadline);
  release_gone(host);
  return response;
}

}  // namespace

void add_trash_routes(tenon::Host& host) {
  auto& http = host.http();
  http.del("/notes/{id}", use, {.summary = "Puts a note into the trash, or deletes it for ever"},
           [&host](const tenon::Request& request) { return delete_note(host, request); });
  http.post("/notes/{id}/restore", use,
            {.body = tenon::Body::none, .summary = "Takes a note out of the trash"},
            [&host](const tenon::Request& request) { return restore_note(host, request); });
  http.del("/trash", use, {.summary = "Deletes one's own notes in the trash, some a call"},
           [&host](const tenon::Request& request) { return empty_trash(host, request); });
}

}  // namespace notes::http
