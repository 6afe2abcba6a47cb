#pragma once

#include <array>
#include <string>
#include <string_view>

#include "data/sql_error.hpp"

namespace tenon::data::postgresql {

/// First words that a statement of a plugin may have.
inline constexpr std::array<std::string_view, 7> allowed_statements = {
    "select", "insert", "update", "delete", "merge", "values", "with"};

template <std::size_t size>
constexpr bool is_among(const std::array<std::string_view, size>& list,
                        std::string_view word) noexcept {
  for (const auto& one : list) {
    if (one == word) return true;
  }
  return false;
}

/// 500 data.denied: what the confinement of a plugin's SQL denies.
SqlError denied(const std::string& detail);

/// Throws 500 data.denied for a name that no statement of a plugin may have: what PostgreSQL lets
/// everybody call or read, or what runs a text as SQL. `is_migration`: nor the host's own names,
/// `tenon_…`, as its owner has rights on them.
void check_name(std::string_view name, bool is_migration);

}  // namespace tenon::data::postgresql
