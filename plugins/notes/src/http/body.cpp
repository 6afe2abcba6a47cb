#include "http/body.hpp"

#include <algorithm>
#include <utility>

#include <tenon/id.hpp>

#include "limits.hpp"
#include "text/front_matter.hpp"
#include "text/paths.hpp"
#include "text/utf8.hpp"

namespace notes::http {

Body::Body(const tenon::Request& request, std::initializer_list<std::string_view> known)
    : json_(request.json()) {
  if (!json_.is_object()) {
    throw tenon::Error(422, "notes.validation", "The body must be a JSON object.",
                       {{"", "wrong_type", "The body must be a JSON object."}});
  }
  for (const auto& [name, value] : json_.items()) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      wrong(name, "unknown", "There is no such member here.");
    }
  }
}

void Body::wrong(std::string field, std::string code, std::string message) {
  findings_.push_back({std::move(field), std::move(code), std::move(message)});
}

bool Body::has(const std::string& name) const {
  return json_.contains(name);
}

const tenon::Json& Body::raw(const std::string& name) const {
  static const tenon::Json null;
  const auto found = json_.find(name);
  return found == json_.end() ? null : *found;
}

void Body::require(const std::string& name) {
  if (!has(name)) wrong(name, "required", "This is required.");
}

void Body::done() {
  if (findings_.empty()) return;
  std::string summary = findings_.front().message;
  throw tenon::Error(422, "notes.validation", std::move(summary), std::move(findings_));
}

std::optional<std::string> Body::text(const std::string& name) {
  const auto found = json_.find(name);
  if (found == json_.end()) return std::nullopt;
  if (found->is_string()) return found->get<std::string>();
  wrong(name, "wrong_type", "This must be a text.");
  return std::nullopt;
}

std::optional<bool> Body::flag(const std::string& name) {
  const auto found = json_.find(name);
  if (found == json_.end()) return std::nullopt;
  if (found->is_boolean()) return found->get<bool>();
  wrong(name, "wrong_type", "This must be true or false.");
  return std::nullopt;
}

std::optional<std::string> Body::id(const std::string& name) {
  auto value = text(name);
  if (!value || tenon::is_id(*value)) return value;
  wrong(name, "wrong_value", "This must be a UUID in lower case.");
  return std::nullopt;
}

std::optional<store::Location> Body::location(const std::string& name) {
  if (!has(name)) return std::nullopt;
  if (raw(name).is_null()) return store::Location();
  if (auto value = id(name)) return store::Location(*std::move(value));
  return std::nullopt;
}

std::optional<std::string> Body::short_text(const std::string& name, std::size_t max_length) {
  auto value = text(name);
  if (!value) return value;
  std::string trimmed(text::trim(*value));
  if (text::length(trimmed) > max_length) {
    wrong(name, "too_long", "At most " + std::to_string(max_length) + " characters.");
  } else if (text::has_control(trimmed)) {
    wrong(name, "wrong_value", "Line ends and control characters cannot be in it.");
  }
  return trimmed;
}

std::optional<std::string> Body::title() {
  return short_text("title", text::max_title_characters);
}

std::optional<std::string> Body::note_text() {
  auto value = text("text");
  if (!value) return value;
  if (value->size() > max_text_bytes) {
    wrong("text", "too_long",
          "A note has at most " + std::to_string(max_text_bytes) + " bytes of text.");
  } else if (value->find('\0') != std::string::npos) {
    wrong("text", "wrong_value", "A NUL character cannot be in it.");
  }
  return value;
}

std::optional<std::string> Body::notebook_name() {
  return file_name();
}

std::optional<std::string> Body::tag_name() {
  auto value = text("name");
  if (!value) return value;
  std::string name = text::tag_name(*value);
  if (name.empty()) {
    wrong(
        "name", "wrong_value",
        "A tag has 1 to " + std::to_string(text::max_tag_characters) + " characters and no comma.");
  }
  return name;
}

std::optional<std::string> Body::file_target() {
  auto value = text("target");
  if (!value) return value;
  if (value->size() > max_target_bytes || text::has_control(*value) || !text::is_relative(*value)) {
    wrong(
        "target", "wrong_value",
        "This must be a relative path of at most " + std::to_string(max_target_bytes) + " bytes.");
  }
  return value;
}

std::optional<std::string> Body::file_name() {
  const std::size_t before = findings_.size();
  auto name = short_text("name", text::max_name_characters);
  if (!name || findings_.size() > before || text::is_notebook_name(*name)) return name;
  wrong("name", name->empty() ? "required" : "wrong_value",
        name->empty() ? "This is required." : "A name has no / and \\ in it, and is not . or ..");
  return name;
}

std::optional<std::int64_t> Body::pixels(const std::string& name) {
  const tenon::Json& value = raw(name);
  if (value.is_null()) return std::nullopt;
  if (value.is_number_integer() && value.get<std::int64_t>() >= 1 &&
      value.get<std::int64_t>() <= max_pixels) {
    return value.get<std::int64_t>();
  }
  wrong(name, "wrong_value", "This must be a number of pixels.");
  return std::nullopt;
}

std::optional<std::vector<std::string>> Body::tags() {
  if (!has("tags")) return std::nullopt;
  const tenon::Json& list = raw("tags");
  if (!list.is_array()) {
    wrong("tags", "wrong_type", "This must be a list of texts.");
    return std::nullopt;
  }
  if (list.size() > text::max_tags) {
    wrong("tags", "too_many", "A note has at most " + std::to_string(text::max_tags) + " tags.");
    return std::nullopt;
  }
  std::vector<std::string> names;
  for (std::size_t i = 0; i < list.size(); ++i) {
    std::string name = list[i].is_string() ? text::tag_name(list[i].get<std::string>()) : "";
    if (name.empty()) {
      wrong("tags." + std::to_string(i), "wrong_value",
            "A tag has 1 to " + std::to_string(text::max_tag_characters) +
                " characters and no comma.");
    }
    names.push_back(std::move(name));
  }
  return names;
}

}  // namespace notes::http
