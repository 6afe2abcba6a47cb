#include "packages/manifest/json_reader.hpp"

#include <algorithm>
#include <sstream>

#include <Poco/JSON/Stringifier.h>

#include "base/join.hpp"
#include "packages/reason.hpp"

namespace tenon::plugins {

namespace {

using Poco::Dynamic::Var;

bool holds_text(const Var& value) {
  return !value.isEmpty() && value.type() == typeid(std::string);
}

std::string to_json(const Var& value) {
  std::ostringstream out;
  Poco::JSON::Stringifier::stringify(value, out, 0, -1);
  return out.str();
}

bool is_shown(std::string_view text) {
  return std::none_of(text.begin(), text.end(),
                      [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

}  // namespace

std::string JsonReader::location(std::string_view key) const {
  if (path_.empty() || key.empty()) return path_ + std::string(key);
  return path_ + (key.starts_with('[') ? "" : ".") + std::string(key);
}

void JsonReader::refuse(std::string_view key, const std::string& message) const {
  throw Refusal({"plugins.manifest_invalid", message, file_, location(key)});
}

void JsonReader::allow(std::initializer_list<std::string_view> keys) const {
  for (const std::string& name : object_->getNames()) {
    if (std::find(keys.begin(), keys.end(), name) != keys.end()) continue;
    refuse(name, "The key \"" + name + "\" is not known here; known are " + base::join(keys) + ".");
  }
}

Var JsonReader::required(const std::string& key) const {
  if (!object_->has(key)) refuse(key, "The key \"" + key + "\" is missing.");
  return object_->get(key);
}

std::string JsonReader::text(const std::string& key, std::size_t max_bytes) const {
  const Var value = required(key);
  if (!holds_text(value)) refuse(key, "A text is expected.");
  auto text = value.extract<std::string>();
  if (text.empty() || text.size() > max_bytes) {
    refuse(key, "A text of 1 to " + std::to_string(max_bytes) + " bytes is expected, not of " +
                    std::to_string(text.size()) + ".");
  }
  if (!is_shown(text)) refuse(key, "The text holds a control character.");
  return text;
}

std::string JsonReader::optional_text(const std::string& key, std::size_t max_bytes) const {
  if (!object_->has(key)) return {};
  if (const Var value = object_->get(key);
      holds_text(value) && value.extract<std::string>().empty())
    return {};
  return text(key, max_bytes);
}

bool JsonReader::optional_flag(const std::string& key, bool fallback) const {
  if (!object_->has(key)) return fallback;
  const Var value = object_->get(key);
  if (value.isEmpty() || value.type() != typeid(bool)) refuse(key, "true or false is expected.");
  return value.extract<bool>();
}

std::uint32_t JsonReader::number(const std::string& key) const {
  const Var value = required(key);
  const bool is_whole = !value.isEmpty() && value.isInteger() && value.type() != typeid(bool);
  if (!is_whole || value < 0 || value > 65535)
    refuse(key, "A whole number of 0 to 65535 is expected.");
  return value.convert<std::uint32_t>();
}

JsonReader JsonReader::object(const std::string& key) const {
  const Var value = required(key);
  if (value.isEmpty() || value.type() != typeid(Poco::JSON::Object::Ptr))
    refuse(key, "A JSON object is expected.");
  return {value.extract<Poco::JSON::Object::Ptr>(), file_, location(key)};
}

std::optional<JsonReader> JsonReader::optional_object(const std::string& key) const {
  if (!object_->has(key)) return std::nullopt;
  return object(key);
}

Poco::JSON::Array::Ptr JsonReader::array(const std::string& key, std::size_t max_count) const {
  const Var value = required(key);
  if (value.isEmpty() || value.type() != typeid(Poco::JSON::Array::Ptr))
    refuse(key, "A JSON array is expected.");
  auto found = value.extract<Poco::JSON::Array::Ptr>();
  if (found->size() > max_count)
    refuse(key, "At most " + std::to_string(max_count) + " entries are allowed here.");
  return found;
}

std::vector<JsonReader> JsonReader::objects(const std::string& key, std::size_t max_count) const {
  std::vector<JsonReader> readers;
  if (!object_->has(key)) return readers;
  const auto found = array(key, max_count);
  for (unsigned i = 0; i < found->size(); ++i) {
    const std::string at = key + "[" + std::to_string(i) + "]";
    const Var value = found->get(i);
    if (value.isEmpty() || value.type() != typeid(Poco::JSON::Object::Ptr))
      refuse(at, "A JSON object is expected.");
    readers.emplace_back(value.extract<Poco::JSON::Object::Ptr>(), file_, location(at));
  }
  return readers;
}

std::vector<std::string> JsonReader::texts(const std::string& key, std::size_t max_count) const {
  std::vector<std::string> values;
  const auto found = array(key, max_count);
  for (unsigned i = 0; i < found->size(); ++i) {
    const Var value = found->get(i);
    if (!holds_text(value)) refuse(key + "[" + std::to_string(i) + "]", "A text is expected.");
    values.push_back(value.extract<std::string>());
  }
  return values;
}

std::string JsonReader::json(const std::string& key) const {
  return to_json(required(key));
}

std::string JsonReader::json() const {
  return to_json(object_);
}

}  // namespace tenon::plugins
