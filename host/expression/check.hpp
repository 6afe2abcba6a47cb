#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "expression/ast.hpp"
#include "expression/typed.hpp"
#include "schema/tables.hpp"

namespace tenon::expression {

/// The purpose of an expression.
enum class Purpose : std::uint8_t {
  rule,    ///< a condition by the author of a plugin: may name hidden fields
  filter,  ///< a condition from an API client: hidden fields do not exist for it
  value,   ///< a computed field: any type but json and blob; may name hidden fields
};

/// A field that an expression reads, its own table's or one on a path.
struct NamedField {
  std::string table;
  std::string field;

  bool operator==(const NamedField&) const = default;
};

/// An expression whose names and types fit a table. Immutable, cheap to copy, safe for any number
/// of threads; keeps nothing of the Tables and the Ast it was made from.
class Checked {
 public:
  Checked(std::shared_ptr<const Typed> root, std::vector<NamedField> fields)
      : root_(std::move(root)), fields_(std::move(fields)) {}

  const Typed& root() const noexcept { return *root_; }
  Type type() const noexcept { return root_->type; }
  /// Every field it reads, none twice, with the steps of its paths: for who must know whether the
  /// reader may see them.
  const std::vector<NamedField>& fields() const noexcept { return fields_; }

 private:
  std::shared_ptr<const Typed> root_;
  std::vector<NamedField> fields_;
};

/// Resolves the names of `ast` as fields of `table`, one of `tables`, and checks the types. Throws
/// 422 expression.invalid whose message says where and what was meant.
Checked check(const Ast& ast, const data::schema::Tables& tables, const data::schema::Table& table,
              Purpose purpose);

}  // namespace tenon::expression
