#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "expression/check.hpp"

namespace tenon::expression {

/// A value while it is checked: the facts about it in addition to its type.
struct Operand {
  Typed typed;
  std::size_t at = 0;
  std::string target;                ///< id: whose; empty for a literal, which may be any
  std::vector<std::string> choices;  ///< choice

  bool is_literal() const noexcept { return typed.op == Op::literal; }
  bool is_null() const noexcept { return is_literal() && typed.type == Type::null_; }
};

/// One pass over an Ast; the work of check().
class Checker {
 public:
  Checker(const Ast& ast, const data::schema::Tables& tables, const data::schema::Table& table,
          Purpose purpose)
      : ast_(ast), tables_(tables), table_(table), purpose_(purpose) {}

  Checked run();

 private:
  // conditions (check.cpp)
  Typed condition(const Node& node);
  Typed bare(const Node& node);
  Typed comparison(const Node& node);
  Typed compared(const Node& node);
  Typed contained(const Node& node);
  Typed liked(const Node& node);
  std::optional<Typed> emptiness(const Node& node);

  // values (check_values.cpp)
  Operand value(const Node& node);
  Operand path(const Node& node);
  Operand sum(const Node& node);
  Typed number(const Node& node);
  Operand call(const Node& node);
  Operand unified_call(const Node& node, Op op, std::size_t first);
  Operand date_call(const Node& node, Op op);

  // types (check_types.cpp)
  void unify(Operand& left, Operand& right, std::size_t at, std::string_view verb);
  void unify_all(std::vector<Operand>& all, std::size_t at, std::string_view verb);
  void coerce(Operand& literal, const Operand& to);

  [[noreturn]] void refuse_at(std::size_t at, const std::string& what) const {
    refuse(ast_.text, at, what);
  }

  const Ast& ast_;
  const data::schema::Tables& tables_;
  const data::schema::Table& table_;
  const Purpose purpose_;
  std::vector<NamedField> named_;
  /// The path through many of the comparison that is being checked. nullptr outside of a
  /// comparison.
  std::optional<Path>* many_ = nullptr;
};

/// A node over its parts; knows what follows from them.
Typed combined(Op op, Type type, std::vector<Typed> parts, bool is_nullable);
Typed operation(Op op, Type type, Typed part, bool is_nullable);
Typed operation(Op op, Type type, Typed left, Typed right, bool is_nullable);
Typed literal(Type type, Value value);
/// An integer as a number.
Typed widened(Typed integer);

/// A moment as it is stored, from a date, or from a moment with or without milliseconds; nullopt
/// for anything else.
std::optional<std::string> stored_datetime(std::string_view text);

}  // namespace tenon::expression
