#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tenon/error.hpp>

namespace tenon::detail {

/// The columns that a message of the host names: "UNIQUE constraint failed: cards.board,
/// cards.title" → board, title; "CHECK constraint failed: title" → title.
inline std::vector<std::string> columns_named(std::string_view message) {
  std::vector<std::string> columns;
  const auto colon = message.find("constraint failed: ");
  if (colon == std::string_view::npos) return columns;
  message.remove_prefix(message.find(": ", colon) + 2);
  while (!message.empty()) {
    const std::size_t comma = message.find(", ");
    std::string_view one = message.substr(0, comma);
    message = comma == std::string_view::npos ? std::string_view() : message.substr(comma + 2);
    if (const auto dot = one.rfind('.'); dot != std::string_view::npos) one.remove_prefix(dot + 1);
    columns.emplace_back(one);
  }
  return columns;
}

struct ConstraintWords {
  std::string_view code;        ///< of the host's error
  std::string_view message;     ///< for people
  std::string_view field_code;  ///< as records over HTTP have it
  std::string_view field_message;
};

inline constexpr ConstraintWords constraint_words[] = {
    {"data.unique", "A record with these values exists already.", "unique",
     "This value is taken already."},
    {"data.required", "A required field is empty.", "required", "This field is required."},
    {"data.check", "A value is outside of what its field allows.", "invalid",
     "This value is not allowed here."},
    {"data.reference",
     "A record that this one refers to does not exist, or others refer to the one to be removed.",
     "reference", "There is no such record."},
};

/// What the host said of a constraint, in words for people and with the fields that it named.
/// `fields` are known otherwise. Other errors come back as they are.
inline Error in_words(const Error& error, std::vector<std::string> fields = {}) {
  for (const ConstraintWords& words : constraint_words) {
    if (error.code() != words.code) continue;
    if (fields.empty()) fields = columns_named(error.message());
    std::vector<FieldError> named;
    for (std::string& field : fields)
      named.push_back(
          {std::move(field), std::string(words.field_code), std::string(words.field_message)});
    return error.in_other_words(std::string(words.message), std::move(named));
  }
  return error;
}

inline Error conflict() {
  return {412, "records.conflict",
          "The record was changed meanwhile. Look at what it is now and try again."};
}

inline Error missing(std::string_view field) {
  return {422,
          "data.required",
          "A required field is empty.",
          {{std::string(field), "required", "This field is required."}}};
}

}  // namespace tenon::detail
