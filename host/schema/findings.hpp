#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <Poco/JSON/Array.h>
#include <Poco/JSON/Object.h>

#include "base/error.hpp"

namespace tenon::data::schema {

/// Collects the errors of a file, so that an author sees all of them at once.
class Findings {
 public:
  explicit Findings(std::string_view file) : file_(file) {}

  void add(const std::string& pointer, std::string message) {
    found_.push_back({pointer, "invalid", std::move(message)});
  }
  std::size_t size() const noexcept { return found_.size(); }
  /// Throws 422 data.tables_invalid when there is any.
  void throw_if_any() const;

 private:
  std::string file_;
  std::vector<base::FieldError> found_;
};

/// One object of the file with its location. Getters note a finding for a value of the wrong kind
/// and then return the value of an absent key.
class Node {
 public:
  Node(Findings& findings, std::string pointer, Poco::JSON::Object::Ptr object)
      : findings_(findings), pointer_(std::move(pointer)), object_(std::move(object)) {}

  const std::string& pointer() const noexcept { return pointer_; }
  bool has(const std::string& key) const { return object_->has(key); }
  Poco::Dynamic::Var raw(const std::string& key) const { return object_->get(key); }

  /// Notes every key that is not in `known`, naming the nearest that is.
  void refuse_unknown(std::span<const std::string_view> known) const;
  void wrong(const std::string& key, std::string message) const {
    findings_.add(pointer_ + "/" + key, std::move(message));
  }

  std::string text(const std::string& key, std::size_t max_characters) const;
  bool flag(const std::string& key) const;
  std::optional<std::int64_t> integer(const std::string& key) const;
  /// Returns the object of a key.
  std::optional<Node> object(const std::string& key) const;
  /// Returns the objects of an array; notes a finding if there are more than `max_count`.
  std::vector<Node> objects(const std::string& key, std::size_t max_count) const;
  std::vector<std::string> texts(const std::string& key, std::size_t max_count,
                                 std::size_t max_characters) const;

 private:
  Poco::JSON::Array::Ptr array(const std::string& key, std::size_t max_count) const;

  Findings& findings_;
  std::string pointer_;
  Poco::JSON::Object::Ptr object_;
};

/// "'a', 'b' or 'c'".
std::string list_of(std::span<const std::string_view> names);

/// Characters (code points) of valid UTF-8.
std::size_t characters(std::string_view text) noexcept;

}  // namespace tenon::data::schema
