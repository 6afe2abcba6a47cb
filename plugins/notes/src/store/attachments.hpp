#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tenon/database.hpp>

namespace notes::store {

/// A file of a note. Members in the order of the columns that are read.
struct Attachment {
  std::string id;
  std::string note;
  std::string blob;
  std::string target;  ///< its destination in the text, as in a link
  std::string name;
  std::string media;  ///< media type of an image, found in its content; empty for all else
  std::int64_t bytes = 0;
  std::optional<std::int64_t> width;  ///< of an image, in pixels, as its uploader said
  std::optional<std::int64_t> height;
  std::string created;
  std::string author;
};

std::optional<Attachment> find_attachment(tenon::Statements& db, std::string_view id);
/// Returns those of a note, in the order of their making.
std::vector<Attachment> attachments_of(tenon::Statements& db, std::string_view note);

/// Adds one. Throws 422 notes.too_many_attachments, and 409 notes.attachment_exists where the note
/// has one with this target.
void add_attachment(tenon::Statements& db, const Attachment& attachment);

/// Forgets one; its claim is released by the next caller of gone_attachments.
void remove_attachment(tenon::Statements& db, std::string_view id);

/// The key of its claim of the blob.
std::string claim_key(std::string_view attachment);

/// Ids of attachments that are gone, at most bulk_step, whose claims may still be there.
std::vector<std::string> gone_attachments(tenon::Statements& db);
/// Their claims were released.
void forget_gone(tenon::Statements& db, const std::vector<std::string>& ids);

}  // namespace notes::store
