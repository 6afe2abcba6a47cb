#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json_writer.hpp"
#include "openapi/fragment.hpp"

namespace tenon::openapi {

/// The components that operations may refer to; the document has those that they do refer to.
class Components {
 public:
  /// The first one of a name stays.
  void add(const std::vector<Component>& components);

  /// True when everything that the JSON text refers to is there, through any number of steps.
  bool has_all_of(std::string_view text) const;
  /// The document is to have what this text refers to.
  void use(std::string_view text);

  /// The members of the Components object: sections with what is used, by name.
  void write(base::JsonWriter& json) const;

 private:
  using Key = std::pair<std::string, std::string>;  // section, name
  /// Adds what can be reached from the text to `reached`. False where something is missing.
  bool reach(std::string_view text, std::set<Key>& reached) const;

  std::map<Key, std::string> known_;
  std::set<Key> used_;
};

}  // namespace tenon::openapi
