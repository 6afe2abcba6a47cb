#include "store/attachments.hpp"

#include <tenon/json.hpp>

#include "limits.hpp"
#include "store/dialect.hpp"

namespace notes::store {
namespace {

constexpr std::string_view select =
    "SELECT id, note, blob, target, name, media, bytes, width, height, created, author FROM "
    "attachments ";

}  // namespace

std::optional<Attachment> find_attachment(tenon::Statements& db, std::string_view id) {
  static const std::string sql = std::string(select) + "WHERE id = ?";
  return db.first<Attachment>(sql, id);
}

std::vector<Attachment> attachments_of(tenon::Statements& db, std::string_view note) {
  static const std::string sql = std::string(select) + "WHERE note = ? ORDER BY created, id";
  return db.all<Attachment>(sql, note);
}

void add_attachment(tenon::Statements& db, const Attachment& attachment) {
  const auto count =
      db.first<std::int64_t>("SELECT count(*) FROM attachments WHERE note = ?", attachment.note);
  if (count.value_or(0) >= max_attachments) {
    throw tenon::Error(422, "notes.too_many_attachments",
                       "A note has at most " + std::to_string(max_attachments) + " files.");
  }
  if (db.first<std::int64_t>("SELECT 1 FROM attachments WHERE note = ? AND target = ?",
                             attachment.note, attachment.target)) {
    throw tenon::Error(409, "notes.attachment_exists",
                       "The note has a file for this place in its text already.");
  }
  db.exec(
      "INSERT INTO attachments (id, note, blob, target, name, media, bytes, width, height, "
      "created, author) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      attachment.id, attachment.note, attachment.blob, attachment.target, attachment.name,
      attachment.media, attachment.bytes, attachment.width, attachment.height, attachment.created,
      attachment.author);
}

void remove_attachment(tenon::Statements& db, std::string_view id) {
  db.exec("DELETE FROM attachments WHERE id = ?", id);
}

std::string claim_key(std::string_view attachment) {
  return std::string("attachments/").append(attachment);
}

std::vector<std::string> gone_attachments(tenon::Statements& db) {
  return db.all<std::string>("SELECT id FROM attachments_gone LIMIT ?", bulk_step);
}

void forget_gone(tenon::Statements& db, const std::vector<std::string>& ids) {
  const std::string sql =
      std::string("DELETE FROM attachments_gone WHERE id ").append(dialect_of(db).in_json);
  db.exec(sql, tenon::to_text(tenon::Json(ids)));
}

}  // namespace notes::store
