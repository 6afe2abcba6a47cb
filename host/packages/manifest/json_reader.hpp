#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <Poco/JSON/Array.h>
#include <Poco/JSON/Object.h>

namespace tenon::plugins {

/// Reads one JSON object of a manifest. Every refusal names the file and the location in it. Not
/// thread-safe.
class JsonReader {
 public:
  /// `path` is the location of the object: "" for the whole file, "ui.navigation[0]".
  JsonReader(Poco::JSON::Object::Ptr object, std::string file, std::string path)
      : object_(std::move(object)), file_(std::move(file)), path_(std::move(path)) {}

  /// Refuses every key that is not among these; names it.
  void allow(std::initializer_list<std::string_view> keys) const;

  bool has(const std::string& key) const { return object_->has(key); }
  /// Text of 1…`max_bytes` bytes of UTF-8 without control characters.
  std::string text(const std::string& key, std::size_t max_bytes) const;
  /// Text as text() returns it; empty if the key is missing.
  std::string optional_text(const std::string& key, std::size_t max_bytes) const;
  /// true or false; `fallback` if the key is missing.
  bool optional_flag(const std::string& key, bool fallback) const;
  /// A whole number of 0…65,535.
  std::uint32_t number(const std::string& key) const;
  JsonReader object(const std::string& key) const;
  std::optional<JsonReader> optional_object(const std::string& key) const;
  /// The objects of an array of at most `max_count`; none if the key is missing.
  std::vector<JsonReader> objects(const std::string& key, std::size_t max_count) const;
  /// The texts of an array of at most `max_count`.
  std::vector<std::string> texts(const std::string& key, std::size_t max_count) const;
  std::vector<std::string> keys() const { return object_->getNames(); }
  /// A value as JSON text.
  std::string json(const std::string& key) const;
  std::string json() const;

  /// Throws Refusal "plugins.manifest_invalid" about a key of this object ("" : the object itself).
  [[noreturn]] void refuse(std::string_view key, const std::string& message) const;
  std::string location(std::string_view key) const;

 private:
  Poco::Dynamic::Var required(const std::string& key) const;
  Poco::JSON::Array::Ptr array(const std::string& key, std::size_t max_count) const;

  Poco::JSON::Object::Ptr object_;
  std::string file_;
  std::string path_;
};

}  // namespace tenon::plugins
