#include "records/transfer/import_request.hpp"

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/json_writer.hpp"

namespace tenon::records {

namespace {

using base::JsonSlice;
using base::JsonType;

[[noreturn]] void refuse(const std::string& member, const std::string& what) {
  const std::string message = member + ": " + what + ".";
  throw base::Error(422, "records.bad_import", message, {{member, "invalid", message}});
}

std::string text_of(const std::string& name, const JsonSlice& value) {
  if (value.type() != JsonType::string) refuse(name, "a text is expected");
  return value.string();
}

bool flag_of(const std::string& name, const JsonSlice& value) {
  if (value.type() != JsonType::boolean) refuse(name, "true or false is expected");
  return value.boolean();
}

// Whether the member is one of those that a client may send.
bool read_option(ImportRequest& request, const std::string& name, const JsonSlice& value) {
  if (name == "format") {
    const auto format = format_named(text_of(name, value));
    if (!format) refuse(name, "csv, json or jsonl is expected");
    request.format = *format;
  } else if (name == "key") {
    request.key = text_of(name, value);
  } else if (name == "dry_run") {
    request.is_dry_run = flag_of(name, value);
  } else if (name == "all_or_nothing") {
    request.is_all_or_nothing = flag_of(name, value);
  } else if (name == "mapping") {
    if (value.type() != JsonType::object) refuse(name, "an object is expected");
    value.each_member([&](const std::string& column, const JsonSlice& field) {
      request.mapping[column] = field.is_null() ? std::string() : text_of(name, field);
    });
  } else {
    return false;
  }
  return true;
}

}  // namespace

std::string ImportRequest::to_json() const {
  std::string text;
  base::JsonWriter json(text);
  json.begin_object()
      .member("id", id)
      .member("table", table)
      .member("user", user)
      .member("blob", blob)
      .member("claim", claim)
      .member("format", name_of(format))
      .member("key", key)
      .member("dry_run", is_dry_run)
      .member("all_or_nothing", is_all_or_nothing)
      .key("mapping")
      .begin_object();
  for (const auto& [column, field] : mapping)
    json.member(column, field);
  json.end_object().end_object();
  return text;
}

ImportRequest ImportRequest::from_json(std::string_view text) {
  ImportRequest request;
  base::check_json(text);
  const JsonSlice json(text);
  if (json.type() != JsonType::object) refuse("payload", "an object is expected");
  json.each_member([&](const std::string& name, const JsonSlice& value) {
    if (read_option(request, name, value)) return;
    if (name == "id") request.id = text_of(name, value);
    if (name == "table") request.table = text_of(name, value);
    if (name == "user") request.user = text_of(name, value);
    if (name == "blob") request.blob = text_of(name, value);
    if (name == "claim") request.claim = text_of(name, value);
  });
  return request;
}

ImportBody read_import(const JsonSlice& body) {
  ImportBody parsed;
  std::string mode = "create";
  if (body.text().empty() || body.type() != JsonType::object)
    refuse("body", "an object is expected");
  body.each_member([&](const std::string& name, const JsonSlice& value) {
    if (read_option(parsed.request, name, value)) return;
    if (name == "upload") {
      parsed.upload = text_of(name, value);
    } else if (name == "text") {
      parsed.text = text_of(name, value);
      parsed.has_text = true;
    } else if (name == "mode") {
      mode = text_of(name, value);
    } else {
      refuse(name, "there is no such member");
    }
  });
  if (mode != "create" && mode != "upsert") refuse("mode", "create or upsert is expected");
  if ((mode == "upsert") == parsed.request.key.empty())
    refuse("key", "it goes with the mode upsert, which needs it");
  if (parsed.upload.empty() != parsed.has_text)
    refuse("upload", "name a finished upload, or send the file itself as text");
  return parsed;
}

}  // namespace tenon::records
