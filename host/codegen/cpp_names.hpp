#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::codegen {

/// `board_cards` → `BoardCards`. An underscore in front of a digit stays, so that two names never
/// become one.
std::string upper_camel(std::string_view name);

/// Returns the name of one record of a table called `name`, by the plain rules of English:
/// `categories` → `category`, `boxes` → `box`, `cards` → `card`. Any other name is returned
/// unchanged.
std::string singular(std::string_view name);

/// Returns a name of a field or plugin as an identifier of C++: `-` becomes `_`, and a reserved
/// word gets a `_` appended.
std::string identifier(std::string_view name);

/// A choice, which may be any text, as an identifier: what is no letter or digit of ASCII becomes
/// `_`, capitals become small. Never empty.
std::string choice_identifier(std::string_view choice);

/// The names of one scope. Takes `name`, with `_` appended until it is unique.
class NameScope {
 public:
  std::string take(std::string name);
  bool has(const std::string& name) const { return taken_.contains(name); }

 private:
  std::set<std::string> taken_;
};

/// A text as a literal of C++.
std::string string_literal(std::string_view text);

/// Returns an enum, and its choices_of(), whose texts tenon::to_text() and tenon::parse_choice()
/// use. `label` says in its comment what it is of: "cards.state".
std::string choice_enum(const std::string& name, const std::string& label,
                        const std::vector<std::string>& choices);

/// `///` lines of at most 100 columns; nothing for an empty text. No text can end the comment.
std::string doc_comment(std::string_view text, std::string_view indent);

}  // namespace tenon::codegen
