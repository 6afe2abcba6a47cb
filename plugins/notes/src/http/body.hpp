#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tenon/error.hpp>
#include <tenon/json.hpp>
#include <tenon/request.hpp>

#include "store/notebooks.hpp"

namespace notes::http {

/// The JSON object of a request, read member by member. Faults of members are gathered and
/// thrown by done() as one 422 notes.validation that names them all; a member of `known` that is
/// absent is an empty optional.
class Body {
 public:
  /// Throws when the body is no object; members outside `known` are findings.
  Body(const tenon::Request& request, std::initializer_list<std::string_view> known);

  std::optional<std::string> text(const std::string& name);
  std::optional<bool> flag(const std::string& name);
  /// A UUID.
  std::optional<std::string> id(const std::string& name);
  /// A notebook's id or null: the inner nullopt is null.
  std::optional<store::Location> location(const std::string& name);

  /// A note's title: at most max_title_characters, no control characters; trimmed.
  std::optional<std::string> title();
  /// A note's text: at most max_text_bytes, no NUL.
  std::optional<std::string> note_text();
  /// A notebook's name, trimmed.
  std::optional<std::string> notebook_name();
  /// A tag's name.
  std::optional<std::string> tag_name();
  /// The destination of a file in a text: relative, of at most
  /// max_target_bytes.
  std::optional<std::string> file_target();
  /// A file's name, without folders.
  std::optional<std::string> file_name();
  /// A size of an image, 1…max_pixels; null and absent are none.
  std::optional<std::int64_t> pixels(const std::string& name);
  /// A note's tags.
  std::optional<std::vector<std::string>> tags();

  void wrong(std::string field, std::string code, std::string message);
  void require(const std::string& name);
  bool has(const std::string& name) const;
  /// The member as it is; null when absent.
  const tenon::Json& raw(const std::string& name) const;

  /// Throws when something was wrong.
  void done();

 private:
  std::optional<std::string> short_text(const std::string& name, std::size_t max_length);

  tenon::Json json_;
  std::vector<tenon::FieldError> findings_;
};

}  // namespace notes::http
