#pragma once

#include <set>
#include <string>

#include <Poco/JSON/Object.h>

namespace tenon::data::test {

/// As much of JSON Schema 2020-12 as sdk/schema uses, to hold the published schema against the
/// parser. A keyword that is not known here throws, so that nothing in a schema goes unchecked.
class JsonSchema {
 public:
  explicit JsonSchema(Poco::JSON::Object::Ptr root) : root_(std::move(root)) {}

  bool accepts(const Poco::Dynamic::Var& value) const {
    std::set<std::string> evaluated;
    return check(root_, value, evaluated);
  }

 private:
  using Names = std::set<std::string>;  ///< properties that a subschema has looked at

  bool check(const Poco::Dynamic::Var& schema, const Poco::Dynamic::Var& value,
             Names& evaluated) const;
  bool check_object(const Poco::JSON::Object& schema, const Poco::Dynamic::Var& value,
                    Names& evaluated) const;
  bool check_array(const Poco::JSON::Object& schema, const Poco::Dynamic::Var& value) const;
  bool check_scalar(const Poco::JSON::Object& schema, const Poco::Dynamic::Var& value) const;
  bool check_combined(const Poco::JSON::Object& schema, const Poco::Dynamic::Var& value,
                      Names& evaluated) const;

  Poco::JSON::Object::Ptr root_;
};

}  // namespace tenon::data::test
