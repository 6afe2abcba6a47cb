#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <tenon/plugin.hpp>

#include "http/body.hpp"
#include "http/page.hpp"
#include "http/routes.hpp"
#include "http/shapes.hpp"
#include "http/sweep.hpp"
#include "limits.hpp"
#include "store/access.hpp"
#include "store/attachments.hpp"
#include "store/problems.hpp"

namespace notes::http {
namespace {

constexpr std::size_t blob_id_characters = 64;

bool is_blob_id(const std::string& text) {
  return text.size() == blob_id_characters &&
         text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

store::Attachment read_attachment(const tenon::Request& request) {
  Body body(request, {"id", "blob", "target", "name", "width", "height"});
  for (const char* name : {"id", "blob", "target", "name"})
    body.require(name);
  store::Attachment attachment;
  attachment.note = path_id(request);
  attachment.id = body.id("id").value_or("");
  attachment.blob = body.text("blob").value_or("");
  if (body.has("blob") && !is_blob_id(attachment.blob))
    body.wrong("blob", "wrong_value", "This must be the id of an uploaded file.");
  attachment.target = body.file_target().value_or("");
  attachment.name = body.file_name().value_or("");
  attachment.width = body.pixels("width");
  attachment.height = body.pixels("height");
  body.done();
  if (!attachment.width || !attachment.height) attachment.width = attachment.height = std::nullopt;
  attachment.author = request.user_id();
  attachment.created = tenon::now_text();
  return attachment;
}

/// Returns whether this very request succeeded before. Throws when the id is taken by another file.
bool is_there(tenon::Statements& db, const store::Attachment& wanted) {
  const auto there = store::find_attachment(db, wanted.id);
  if (!there) return false;
  if (there->note == wanted.note && there->blob == wanted.blob && there->target == wanted.target)
    return true;
  throw tenon::Error(409, "notes.exists", "There is another file with this id.");
}

/// First the claim, then the row: a crash between leaves a claim too many and never a note without
/// its file.
tenon::Response attach(tenon::Host& host, const tenon::Request& request) {
  store::Attachment wanted = read_attachment(request);
  const store::Reader who = reader_of(request);
  const bool is_known = host.database().read([&](tenon::Read& db) {
    store::Scope scope(db, who);
    static_cast<void>(store::need_editable(scope, wanted.note));
    return is_there(db, wanted);
  });
  if (!is_known) {
    const auto blob = host.blobs().find(wanted.blob);
    if (!blob || !host.blobs().has_uploaded(wanted.blob, wanted.author))
      throw invalid("blob", "unknown", "Upload the file first.");
    wanted.media = blob->type;
    wanted.bytes = static_cast<std::int64_t>(blob->bytes);
    const std::string key = store::claim_key(wanted.id);
    host.blobs().claim(wanted.blob, key);
    try {
      host.database().transaction([&](tenon::Transaction& db) {
        store::Scope scope(db, who);
        static_cast<void>(store::need_editable(scope, wanted.note));
        if (!is_there(db, wanted)) store::add_attachment(db, wanted);
      });
    } catch (...) {
      // The same request, sent twice at once: the other one has the row, and needs the claim.
      if (!store::find_attachment(host.database(), wanted.id))
        host.blobs().release(wanted.blob, key);
      throw;
    }
  }
  const auto kept = store::find_attachment(host.database(), wanted.id);
  if (!kept) throw not_found();
  return tenon::Response::json(attachment_json(*kept), is_known ? 200 : 201)
      .header("Location", "/api/notes/attachments/" + wanted.id);
}

/// Returns an attachment; readers of the note may read its files.
store::Attachment need_attachment(store::Scope& scope, const std::string& id) {
  auto found = store::find_attachment(scope.db(), id);
  if (!found) throw not_found();
  static_cast<void>(store::need_readable(scope, found->note));
  return *std::move(found);
}

tenon::Response send(tenon::Host& host, const tenon::Request& request) {
  const std::string id = path_id(request);
  const std::string save = request.query("save", "false");
  if (save != "true" && save != "false") throw bad_query("save");
  const store::Reader who = reader_of(request);
  auto found = host.database().read([&](tenon::Read& db) {
    store::Scope scope(db, who);
    return need_attachment(scope, id);
  });
  return save == "true" ? tenon::Response::attachment(std::move(found.blob), std::move(found.name))
                        : tenon::Response::blob(std::move(found.blob), std::move(found.name));
}

tenon::Response remove_attachment(tenon::Host& host, const tenon::Request& request) {
  const std::string id = path_id(request);
  const store::Reader who = reader_of(request);
  host.database().transaction([&](tenon::Transaction& db) {
    store::Scope scope(db, who);
    static_cast<void>(store::need_editable(scope, need_attachment(scope, id).note));
    store::remove_attachment(db, id);
  });
  release_gone(host);
  return tenon::Response::empty();
}

}  // namespace

void release_gone(tenon::Host& host) {
  for (auto ids = store::gone_attachments(host.database()); !ids.empty();
       ids = store::gone_attachments(host.database())) {
    for (const auto& id : ids)
      host.blobs().release_all(store::claim_key(id));
    host.database().transaction([&](tenon::Transaction& db) { store::forget_gone(db, ids); });
  }
}

void add_attachment_routes(tenon::Host& host) {
  host.blobs().accept_uploads(use, {.max_bytes = max_attachment_bytes});
  auto& http = host.http();
  http.post("/notes/{id}/attachments", use, {.summary = "Gives a note a file that was uploaded"},
            [&host](const tenon::Request& request) { return attach(host, request); });
  http.get("/attachments/{id}", use, {.summary = "A file of a note"},
           [&host](const tenon::Request& request) { return send(host, request); });
  http.del("/attachments/{id}", use, {.summary = "Takes a file from its note"},
           [&host](const tenon::Request& request) { return remove_attachment(host, request); });
}

}  // namespace notes::http
