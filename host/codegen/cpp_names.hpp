#pragma once

#include <set>
#include <string>
#include <string_view>

namespace tenon::codegen {

/// `board_cards` → `BoardCards`. An underscore in front of a digit stays, so that two names never
/// become one.
std::string upper_camel(std::string_view name);

/// The name of one record of a table called `name`, by the plain rules of English: `categories` →
/// `category`, `boxes` → `box`, `cards` → `card`. What is no plural so stays as it is.
std::string singular(std::string_view name);

/// A name of a field or plugin as an identifier of C++: `-` becomes `_`, and what means something
/// to the compiler gets a `_` behind it.
std::string identifier(std::string_view name);

/// A choice, which may be any text, as an identifier: what is no letter or digit of ASCII becomes
/// `_`, capitals become small. Never empty.
std::string choice_identifier(std::string_view choice);

/// Names of one scope. Takes `name`, with `_` behind it as often as it is taken already.
class NameScope {
 public:
  std::string take(std::string name);
  bool has(const std::string& name) const { return taken_.contains(name); }

 private:
  std::set<std::string> taken_;
};

/// A text as a literal of C++.
std::string string_literal(std::string_view text);

/// `///` lines of at most 100 columns; nothing for an empty text. No text can end the comment.
std::string doc_comment(std::string_view text, std::string_view indent);

}  // namespace tenon::codegen
