#include "installer/exports/export_facts.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/json.hpp"
#include "base/json_writer.hpp"
#include "installer/exports/export_refusal.hpp"
#include "installer/exports/limits.hpp"
#include "packages/manifest/manifest.hpp"
#include "packages/reason.hpp"

namespace tenon::plugins {

namespace {

using Object = Poco::JSON::Object;

// An object from an export, whose members are these and no others.
class Members {
 public:
  Members(std::string_view text, std::size_t max_bytes, const std::string& file,
          const std::string& location)
      : file_(file), location_(location) {
    try {
      object_ = base::parse_json_object(text, {.max_bytes = max_bytes});
    } catch (const base::Error& failure) {
      refuse_export_form(failure.message(), file_, location_);
    }
  }
  Members(Object::Ptr object, const std::string& file, const std::string& location)
      : object_(std::move(object)), file_(file), location_(location) {
    if (!object_) refuse_export_form("There is something that is no object.", file_, location_);
  }

  void require_count(std::size_t count) const {
    if (object_->size() != count)
      refuse_export_form("It has members that are not known, or lacks some.", file_, location_);
  }
  std::string text(const char* name, std::size_t max_bytes) const {
    const Poco::Dynamic::Var value = required(name);
    if (!value.isString()) refuse(name);
    std::string text = value.extract<std::string>();
    if (text.size() > max_bytes) refuse(name);
    return text;
  }
  std::uint64_t number(const char* name, std::uint64_t max) const {
    const Poco::Dynamic::Var value = required(name);
    if (!value.isInteger()) refuse(name);
    try {
      const std::uint64_t number = value.convert<Poco::UInt64>();
      if (number <= max) return number;
    } catch (const Poco::Exception&) {  // negative
    }
    refuse(name);
  }
  Poco::JSON::Array::Ptr array(const char* name) const {
    Poco::JSON::Array::Ptr found = object_->getArray(name);
    if (!found) refuse(name);
    return found;
  }
  [[noreturn]] void refuse(const char* name) const {
    refuse_export_form("\"" + std::string(name) + "\" is missing, or not what it should be.", file_,
                       location_);
  }

 private:
  Poco::Dynamic::Var required(const char* name) const {
    if (!object_->has(name)) refuse(name);
    return object_->get(name);
  }

  Object::Ptr object_;
  const std::string& file_;
  const std::string& location_;
};

constexpr std::uint64_t max_number = (std::uint64_t{1} << 53) - 1;
constexpr std::size_t max_table_name = 200;

}  // namespace

std::string facts_text(const ExportFacts& facts) {
  std::string text;
  base::JsonWriter json(text);
  json.begin_object()
      .member("format", export_format)
      .member("plugin", facts.plugin)
      .member("version", facts.version)
      .member("taken_ms", facts.taken_ms)
      .member("data_version", facts.data_version)
      .member("migration", facts.migration)
      .member("data_bytes", facts.data_bytes)
      .member("files", facts.files)
      .member("file_bytes", facts.file_bytes);
  json.key("tables").begin_array();
  for (const data::TableRows& one : facts.tables)
    json.begin_object().member("table", one.table).member("rows", one.rows).end_object();
  json.end_array().end_object();
  return text + "\n";
}

ExportFacts parse_facts(std::string_view text, const std::string& file) {
  const std::string location = facts_entry;
  const Members members(text, ExportLimits::facts, file, location);
  if (const std::uint64_t format = members.number("format", max_number); format != export_format) {
    throw Refusal({"plugins.export_format",
                   "It has format " + std::to_string(format) + ", and this server reads format " +
                       std::to_string(export_format) +
                       ". Take it back with the server that wrote "
                       "it, or a newer one.",
                   file, location},
                  422);
  }
  members.require_count(10);
  ExportFacts facts;
  facts.plugin = members.text("plugin", 100);
  if (!is_plugin_id(facts.plugin)) members.refuse("plugin");
  facts.version = members.text("version", 64);
  facts.taken_ms = static_cast<std::int64_t>(members.number("taken_ms", max_number));
  facts.data_version = members.text("data_version", 64);
  facts.migration = static_cast<int>(members.number("migration", 1'000'000'000));
  facts.data_bytes = members.number("data_bytes", ExportLimits::entry);
  facts.files = members.number("files", max_number);
  facts.file_bytes = members.number("file_bytes", max_number);
  const auto tables = members.array("tables");
  for (std::size_t i = 0; i < tables->size(); ++i) {
    const Members one(tables->getObject(static_cast<unsigned>(i)), file, location);
    one.require_count(2);
    facts.tables.push_back({one.text("table", max_table_name),
                            static_cast<std::int64_t>(one.number("rows", max_number))});
  }
  return facts;
}

std::string setting_text(const ExportedSetting& setting) {
  std::string text;
  base::JsonWriter(text)
      .begin_object()
      .member("key", setting.key)
      .member("value", setting.json)
      .end_object();
  return text + "\n";
}

ExportedSetting parse_setting(std::string_view text, const std::string& file,
                              const std::string& location) {
  const Members members(text, ExportLimits::setting, file, location);
  members.require_count(2);
  ExportedSetting setting{members.text("key", 64), members.text("value", 64 * 1024)};
  if (!is_setting_key(setting.key)) members.refuse("key");
  try {
    base::check_json("[" + setting.json + "]", {.max_bytes = ExportLimits::setting});
  } catch (const base::Error&) {
    members.refuse("value");
  }
  return setting;
}

std::string claims_text(const std::vector<blobs::Blobs::Claim>& claims) {
  std::string text;
  base::JsonWriter json(text);
  json.begin_object().key("claims").begin_array();
  for (const blobs::Blobs::Claim& claim : claims)
    json.begin_object().member("key", claim.key).member("blob", claim.blob).end_object();
  json.end_array().end_object();
  return text + "\n";
}

std::vector<blobs::Blobs::Claim> parse_claims(std::string_view text, const std::string& file,
                                              const std::string& location) {
  const Members members(text, ExportLimits::page, file, location);
  members.require_count(1);
  const auto items = members.array("claims");
  if (items->size() > ExportLimits::claims)
    refuse_export_size("It has more than " + std::to_string(ExportLimits::claims) + " claims.",
                       file, location);
  std::vector<blobs::Blobs::Claim> claims;
  for (std::size_t i = 0; i < items->size(); ++i) {
    const Members one(items->getObject(static_cast<unsigned>(i)), file, location);
    one.require_count(2);
    claims.push_back({one.text("blob", 64), one.text("key", blobs::max_key_bytes)});
    if (!blobs::is_blob_id(claims.back().blob)) one.refuse("blob");
  }
  return claims;
}

}  // namespace tenon::plugins
