#include "http/shapes.hpp"

#include <utility>

#include "limits.hpp"
#include "store/tags.hpp"

namespace notes::http {
namespace {

tenon::Json nullable(const std::optional<std::string>& text) {
  return text ? tenon::Json(*text) : tenon::Json();
}

tenon::Json link_json(const store::OutgoingLink& link) {
  tenon::Json note;
  if (link.note && link.title) {
    note = {{"id", *link.note}, {"title", *link.title}, {"deleted", link.deleted.has_value()}};
  }
  return {{"kind", link.kind}, {"target", link.target}, {"note", std::move(note)}};
}

}  // namespace

tenon::Json People::json(const std::string& id) {
  const auto [known, is_new] = names_.try_emplace(id);
  if (is_new) {
    if (auto user = identity_->find(id)) known->second = std::move(user->name);
  }
  return {{"id", id}, {"name", known->second}};
}

NoteView view_note(store::Scope& scope, std::string_view id) {
  tenon::Statements& db = scope.db();
  NoteView view;
  view.row = store::need_readable(scope, id);
  view.text = store::text_of(db, view.row.rowid);
  view.tags = store::tags_of(db, id);
  view.links = store::links_of(scope, id);
  view.backlinks = store::backlinks_of(scope, id, max_backlinks_shown + 1);
  view.attachments = store::attachments_of(db, id);
  view.access = store::access_of(scope, {view.row})[view.row.id];
  return view;
}

tenon::Json attachment_json(const store::Attachment& attachment) {
  const auto pixels = [](const std::optional<std::int64_t>& number) {
    return number ? tenon::Json(*number) : tenon::Json();
  };
  return {{"id", attachment.id},
          {"target", attachment.target},
          {"name", attachment.name},
          {"type", attachment.media},
          {"bytes", attachment.bytes},
          {"width", pixels(attachment.width)},
          {"height", pixels(attachment.height)},
          {"created", attachment.created}};
}

tenon::Json row_json(const store::NoteRow& row, const std::vector<std::string>& tags,
                     const store::NoteAccess& access, People& people) {
  return {{"id", row.id},
          {"notebook", nullable(row.notebook)},
          {"title", row.title},
          {"excerpt", row.excerpt},
          {"version", row.version},
          {"pinned", row.pinned},
          {"tags", tags},
          {"file", row.file},
          {"created", row.created},
          {"updated", row.updated},
          {"deleted", nullable(row.deleted)},
          {"trashed_from", nullable(row.trashed_from)},
          {"author", people.json(row.author)},
          {"editor", people.json(row.editor)},
          {"access", store::name_of(access.level)},
          {"shared", access.is_shared}};
}

tenon::Json note_json(const NoteView& note, People& people) {
  tenon::Json json = row_json(note.row, note.tags, note.access, people);
  json["text"] = note.text;
  json["links"] = tenon::Json::array();
  for (const auto& link : note.links)
    json["links"].push_back(link_json(link));
  json["backlinks"] = tenon::Json::array();
  const auto max_shown = static_cast<std::size_t>(max_backlinks_shown);
  for (const auto& link : note.backlinks) {
    if (json["backlinks"].size() == max_shown) break;
    json["backlinks"].push_back(
        {{"id", link.id}, {"title", link.title}, {"excerpt", link.excerpt}});
  }
  json["attachments"] = tenon::Json::array();
  for (const auto& attachment : note.attachments)
    json["attachments"].push_back(attachment_json(attachment));
  json["backlinks_more"] = note.backlinks.size() > max_shown;
  return json;
}

tenon::Json revision_json(const store::Revision& revision, People& people) {
  return {{"id", revision.id},           {"version", revision.version},
          {"title", revision.title},     {"size", revision.size},
          {"kind", revision.kind},       {"author", people.json(revision.author)},
          {"created", revision.created}, {"updated", revision.updated}};
}

std::vector<tenon::Json> rows_json(store::Scope& scope, const std::vector<store::NoteRow>& rows,
                                   People& people) {
  tenon::Json ids = tenon::Json::array();
  for (const auto& row : rows)
    ids.push_back(row.id);
  const auto tags = store::tags_of_all(scope.db(), tenon::to_text(ids));
  auto access = store::access_of(scope, rows);
  std::vector<tenon::Json> items;
  items.reserve(rows.size());
  for (const auto& row : rows) {
    const auto own = tags.find(row.id);
    items.push_back(row_json(row, own == tags.end() ? std::vector<std::string>{} : own->second,
                             access[row.id], people));
  }
  return items;
}

tenon::Response note_response(const NoteView& note, People& people, int status,
                              const tenon::Json& more) {
  tenon::Json json = note_json(note, people);
  json.update(more);
  return tenon::Response::json(json, status)
      .header("ETag", "\"" + std::to_string(note.row.version) + "\"");
}

}  // namespace notes::http
