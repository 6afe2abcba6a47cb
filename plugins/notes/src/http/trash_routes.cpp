#include <string>

#include <tenon/plugin.hpp>

#include "http/page.hpp"
#include "http/routes.hpp"
#include "http/shapes.hpp"
#include "store/problems.hpp"
#include "store/trash.hpp"

namespace notes::http {
namespace {

constexpr std::chrono::seconds purge_deadline{30};

tenon::Response delete_note(tenon::Host& host, const tenon::Request& request) {
  const std::string id = path_id(request);
  const std::string forever = request.query("forever", "false");
  if (forever != "true" && forever != "false") throw bad_query("forever");
  host.database().transaction([&](tenon::Transaction& db) {
    const store::NoteRow note = store::need_note(db, id);
    forever == "true" ? store::purge_note(db, note) : store::trash_note(db, note);
  });
  return tenon::Response::empty();
}

tenon::Response restore(tenon::Host& host, const tenon::Request& request) {
  const std::string id = path_id(request);
  const NoteView view = host.database().transaction([&](tenon::Transaction& db) {
    store::restore_note(db, store::need_note(db, id));
    return view_note(db, id);
  });
  People people(host.identity());
  return note_response(view, people);
}

tenon::Response empty_trash(tenon::Host& host) {
  return host.database().transaction(
      [](tenon::Transaction& db) {
        const auto deleted = store::purge_step(db);
        return tenon::Response::json({{"deleted", deleted}, {"left", store::totals(db).trash}});
      },
      purge_deadline);
}

}  // namespace

void add_trash_routes(tenon::Host& host) {
  auto& http = host.http();
  http.del("/notes/{id}", use, {.summary = "Puts a note into the trash, or deletes it for ever"},
           [&host](const tenon::Request& request) { return delete_note(host, request); });
  http.post("/notes/{id}/restore", use,
            {.body = tenon::Body::none, .summary = "Takes a note out of the trash"},
            [&host](const tenon::Request& request) { return restore(host, request); });
  http.del("/trash", use, {.summary = "Empties the trash, some notes a call"},
           [&host](const tenon::Request&) { return empty_trash(host); });
}

}  // namespace notes::http
