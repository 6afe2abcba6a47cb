#pragma once

#include <string>
#include <vector>

#include "expression/check.hpp"

namespace tenon::expression {

/// The target of a path.
struct Resolved {
  Path path;
  bool is_nullable = true;
  bool is_many = false;              ///< several values
  bool ends_on_many = false;         ///< the last field is many: it can be asked for emptiness
  bool is_many_before_last = false;  ///< one before it is
  std::string target;                ///< id: "cards", "core:users"
  std::vector<std::string> choices;  ///< choice
  data::schema::Field last;          ///< by its declaration; for ids a reference or "id"
};

/// Looks up the names of a path. `named` gets every field on the way. Throws 422
/// expression.invalid.
Resolved resolve(const Ast& ast, const Node& node, const data::schema::Tables& tables,
                 const data::schema::Table& table, Purpose purpose, std::vector<NamedField>& named);

}  // namespace tenon::expression
