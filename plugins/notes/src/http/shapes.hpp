#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <tenon/database.hpp>
#include <tenon/identity.hpp>
#include <tenon/json.hpp>
#include <tenon/response.hpp>

#include "store/access.hpp"
#include "store/attachments.hpp"
#include "store/links.hpp"
#include "store/notes.hpp"
#include "store/revisions.hpp"
#include "store/shares.hpp"

namespace notes::http {

/// Names of users, each looked up once. For one response.
class People {
 public:
  explicit People(const tenon::Identity& identity) : identity_(&identity) {}
  /// {"id","name"}
  tenon::Json json(const std::string& id);

 private:
  const tenon::Identity* identity_;
  std::map<std::string, std::string> names_;
};

/// A note with all that a response shows of it, read inside the transaction and written out after
/// it.
struct NoteView {
  store::NoteRow row;
  std::string text;
  std::vector<std::string> tags;
  std::vector<store::OutgoingLink> links;
  std::vector<store::Backlink> backlinks;
  std::vector<store::Attachment> attachments;
  store::NoteAccess access;
};

/// Throws 404.
NoteView view_note(store::Scope& scope, std::string_view id);

/// The shapes of README.md.
tenon::Json row_json(const store::NoteRow& row, const std::vector<std::string>& tags,
                     const store::NoteAccess& access, People& people);
tenon::Json attachment_json(const store::Attachment& attachment);
tenon::Json note_json(const NoteView& note, People& people);
tenon::Json revision_json(const store::Revision& revision, People& people);

/// Rows with their tags.
std::vector<tenon::Json> rows_json(store::Scope& scope, const std::vector<store::NoteRow>& rows,
                                   People& people);

/// Returns a response with a note and its ETag.
tenon::Response note_response(const NoteView& note, People& people, int status = 200,
                              const tenon::Json& more = tenon::Json::object());

}  // namespace notes::http
