#include "routing/request_body.hpp"

#include <set>

#include <Poco/JSON/Array.h>
#include <Poco/JSON/Object.h>

#include "base/error.hpp"
#include "base/json.hpp"

namespace tenon::console {

class RequestBody::Implementation {
 public:
  explicit Implementation(std::string_view json)
      : object(base::parse_json_object(json.empty() ? "{}" : json)) {}

  /// The member, empty where it is missing or null.
  Poco::Dynamic::Var take(const std::string& name) {
    known.insert(name);
    return object->get(name);
  }
  void refuse(const std::string& name, const std::string& code, const std::string& message) {
    wrong.push_back({name, code, message});
  }

  Poco::JSON::Object::Ptr object;
  std::set<std::string> known;
  std::vector<base::FieldError> wrong;
};

RequestBody::RequestBody(std::string_view json)
    : implementation_(std::make_unique<Implementation>(json)) {}
RequestBody::~RequestBody() = default;

std::optional<std::string> RequestBody::optional_text(const std::string& name) {
  const Poco::Dynamic::Var value = implementation_->take(name);
  if (value.isEmpty()) return std::nullopt;
  if (!value.isString()) {
    refuse(name, "type", "This must be a text.");
    return std::nullopt;
  }
  return value.extract<std::string>();
}

std::string RequestBody::text(const std::string& name) {
  const std::size_t mistakes = implementation_->wrong.size();
  const std::optional<std::string> value = optional_text(name);
  if (!value && implementation_->wrong.size() == mistakes)
    refuse(name, "required", "This is needed.");
  return value.value_or("");
}

std::optional<bool> RequestBody::optional_flag(const std::string& name) {
  const Poco::Dynamic::Var value = implementation_->take(name);
  if (value.isEmpty()) return std::nullopt;
  if (!value.isBoolean()) {
    refuse(name, "type", "This must be true or false.");
    return std::nullopt;
  }
  return value.extract<bool>();
}

std::vector<std::string> RequestBody::texts(const std::string& name, std::size_t max_count) {
  const Poco::Dynamic::Var value = implementation_->take(name);
  if (value.isEmpty()) return {};
  std::vector<std::string> all;
  const bool is_array = value.type() == typeid(Poco::JSON::Array::Ptr);
  if (is_array) {
    for (const Poco::Dynamic::Var& item : *value.extract<Poco::JSON::Array::Ptr>()) {
      if (item.isString()) all.push_back(item.extract<std::string>());
    }
  }
  if (!is_array || all.size() != value.extract<Poco::JSON::Array::Ptr>()->size()) {
    refuse(name, "type", "This must be an array of texts.");
  } else if (all.size() > max_count) {
    refuse(name, "too_many", "This takes at most " + std::to_string(max_count) + " at once.");
  } else {
    return all;
  }
  return {};
}

void RequestBody::refuse(const std::string& name, const std::string& code,
                         const std::string& message) {
  implementation_->refuse(name, code, message);
}

void RequestBody::require_valid(const std::string& code) {
  for (const auto& [name, value] : *implementation_->object) {
    if (!implementation_->known.contains(name))
      refuse(name, "unknown", "There is no such field here.");
  }
  const auto& wrong = implementation_->wrong;
  if (!wrong.empty()) throw base::Error(422, code, "Some fields are wrong.", wrong);
}

}  // namespace tenon::console
