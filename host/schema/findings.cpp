#include "schema/findings.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace tenon::data::schema {

void Findings::throw_if_any() const {
  if (found_.empty()) return;
  std::string message = file_ + ": " + found_.front().field + ": " + found_.front().message;
  if (found_.size() > 1) message += " (and " + std::to_string(found_.size() - 1) + " more)";
  throw base::Error(422, "data.tables_invalid", std::move(message), found_);
}

std::string list_of(std::span<const std::string_view> names) {
  std::string list;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i != 0) list += i + 1 == names.size() ? " or " : ", ";
    list.append("'").append(names[i]).append("'");
  }
  return list;
}

std::size_t characters(std::string_view text) noexcept {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

void Node::refuse_unknown(std::span<const std::string_view> known) const {
  for (const auto& [key, value] : *object_) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    wrong(key, "unknown key; known here are " + list_of(known));
  }
}

std::string Node::text(const std::string& key, std::size_t max_characters) const {
  if (!has(key)) return {};
  const auto value = raw(key);
  if (!value.isString()) {
    wrong(key, "a text is expected");
    return {};
  }
  auto text = value.extract<std::string>();
  if (characters(text) > max_characters)
    wrong(key, "at most " + std::to_string(max_characters) + " characters are allowed");
  return text;
}

bool Node::flag(const std::string& key) const {
  if (!has(key)) return false;
  const auto value = raw(key);
  if (!value.isBoolean()) {
    wrong(key, "true or false is expected");
    return false;
  }
  return value.extract<bool>();
}

std::optional<std::int64_t> Node::integer(const std::string& key) const {
  if (!has(key)) return std::nullopt;
  const auto value = raw(key);
  try {
    if (!value.isBoolean() && value.isInteger()) return value.convert<Poco::Int64>();
  } catch (const Poco::Exception&) {  // outside of 64 bits
  }
  wrong(key, "an integer is expected");
  return std::nullopt;
}

std::optional<Node> Node::object(const std::string& key) const {
  if (!has(key)) return std::nullopt;
  if (object_->isObject(key)) return Node(findings_, pointer_ + "/" + key, object_->getObject(key));
  wrong(key, "an object is expected");
  return std::nullopt;
}

Poco::JSON::Array::Ptr Node::array(const std::string& key, std::size_t max_count) const {
  if (!has(key)) return {};
  const auto value = raw(key);
  if (value.type() != typeid(Poco::JSON::Array::Ptr)) {
    wrong(key, "an array is expected");
    return {};
  }
  auto array = value.extract<Poco::JSON::Array::Ptr>();
  if (array->size() > max_count) {
    wrong(key, "at most " + std::to_string(max_count) + " are allowed");
    return {};
  }
  return array;
}

std::vector<Node> Node::objects(const std::string& key, std::size_t max_count) const {
  std::vector<Node> nodes;
  const auto list = array(key, max_count);
  for (unsigned i = 0; list && i < list->size(); ++i) {
    const std::string location = pointer_ + "/" + key + "/" + std::to_string(i);
    if (list->isObject(i)) {
      nodes.emplace_back(findings_, location, list->getObject(i));
    } else {
      findings_.add(location, "an object is expected");
    }
  }
  return nodes;
}

std::vector<std::string> Node::texts(const std::string& key, std::size_t max_count,
                                     std::size_t max_characters) const {
  std::vector<std::string> texts;
  const auto list = array(key, max_count);
  for (unsigned i = 0; list && i < list->size(); ++i) {
    const std::string location = key + "/" + std::to_string(i);
    const auto value = list->get(i);
    if (!value.isString()) {
      wrong(location, "a text is expected");
      continue;
    }
    auto text = value.extract<std::string>();
    if (text.empty() || characters(text) > max_characters) {
      wrong(location,
            "a text of 1 to " + std::to_string(max_characters) + " characters is expected");
    } else if (std::find(texts.begin(), texts.end(), text) != texts.end()) {
      wrong(location, "'" + text + "' occurs here twice");
    }
    texts.push_back(std::move(text));
  }
  return texts;
}

}  // namespace tenon::data::schema
