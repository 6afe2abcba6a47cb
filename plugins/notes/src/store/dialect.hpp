#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <tenon/database.hpp>

namespace notes::store {

/// SQL that differs between the engines in this plugin; both understand all other SQL.
struct Dialect {
  std::string_view in_json;  ///< "IN (…)": among the texts of a JSON array, which is bound
  std::string_view texts;    ///< in FROM: the texts of a JSON array, which is bound, as `value`
  std::string_view objects;  ///< the same of an array of objects; `value ->> 'name'` is a text
  std::string_view plus;     ///< before a column that no index is to be chosen by
  /// FROM and WHERE: notes n that are found by ?1, which is made by asked_for().
  std::string_view found;
  std::string_view order;  ///< of what `found` gives, the best first
  std::string_view title;  ///< the title with the marks of text/search_terms.hpp
  std::string_view text;   ///< an extract of the text, marked in the same way
};

const Dialect& dialect_of(const tenon::Statements& db) noexcept;

/// Appends "column = ?" and the value, or "column IS NULL": either is looked up in an index by both
/// engines.
void append_equals(std::string& sql, tenon::Arguments& arguments, std::string_view column,
                   const std::optional<std::string>& value);

}  // namespace notes::store
