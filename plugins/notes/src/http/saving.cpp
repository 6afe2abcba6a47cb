#include "http/saving.hpp"

#include <tenon/error.hpp>

namespace notes::http {

store::Rewritten save_content(store::Scope& scope, const store::NoteRow& note, const Save& save) {
  const std::string current = store::text_of(scope.db(), note.rowid);
  const std::string& title = save.title ? *save.title : note.title;
  const std::string& text = save.text ? *save.text : current;
  if (title == note.title && text == current) return {};
  if (!save.base) {
    throw tenon::Error(428, "notes.version_required",
                       "Say with If-Match which version of the note this was made from.");
  }
  if (*save.base != note.version) throw Conflict{note, current};
  return store::change_note(scope, note, current, title, text, save.kind);
}

tenon::Error conflict_error(const Conflict& conflict, People& people) {
  const tenon::Json current = {{"version", conflict.row.version},
                               {"title", conflict.row.title},
                               {"text", conflict.text},
                               {"editor", people.json(conflict.row.editor)},
                               {"updated", conflict.row.updated}};
  return tenon::Error(412, "notes.conflict", "Another user has changed this note since.")
      .with(tenon::to_text({{"current", current}}));
}

}  // namespace notes::http
