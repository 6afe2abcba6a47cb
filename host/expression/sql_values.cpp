#include <algorithm>

#include "expression/sql_writer.hpp"

namespace tenon::expression {

namespace {

std::string_view postgresql_name(Type type) noexcept {
  switch (type) {
    case Type::boolean:
      return "boolean";
    case Type::integer:
      return "bigint";
    case Type::number:
      return "double precision";
    default:
      return "text";
  }
}

bool is_compared_by_code_points(Type type) noexcept {
  return type == Type::text || type == Type::date || type == Type::datetime || type == Type::id;
}

}  // namespace

std::string SqlWriter::parameter(Slot slot, Type type) {
  // PostgreSQL takes one type for each parameter, and true and 1 are equal constants.
  auto found = std::find(slots_.begin(), slots_.end(), slot);
  if (found == slots_.end() || (!is_sqlite() && slot.kind == Slot::Kind::constant))
    found = slots_.insert(slots_.end(), std::move(slot));
  const auto number = first_ + static_cast<std::size_t>(found - slots_.begin());
  if (is_sqlite()) return "?" + std::to_string(number);
  return "$" + std::to_string(number) + "::" + std::string(postgresql_name(type));
}

std::string SqlWriter::cast(const std::string& sql, Type type) const {
  const std::string_view sqlite = type == Type::number ? "REAL" : "INTEGER";
  return "CAST(" + sql + " AS " + std::string(is_sqlite() ? sqlite : postgresql_name(type)) + ")";
}

// PostgreSQL orders by the database's language otherwise.
std::string SqlWriter::collated(const Typed& node) {
  const std::string sql = value(node);
  if (is_sqlite() || !is_compared_by_code_points(node.type)) return sql;
  return "(" + sql + " COLLATE \"C\")";
}

std::string SqlWriter::value(const Typed& node) {
  if (is_sqlite() && is_arithmetic(node.op))
    return "nullif(nullif(" + raw(node) + ", 9e999), -9e999)";
  switch (node.op) {
    case Op::literal: {
      if (node.value.index() == 0)
        return is_sqlite() ? "NULL" : "NULL::" + std::string(postgresql_name(node.type));
      Slot slot;
      slot.constant = node.value;
      return parameter(std::move(slot), node.type);
    }
    case Op::user:
    case Op::now:
    case Op::today:
    case Op::days_ago:
    case Op::can: {
      Slot slot;
      if (node.op == Op::days_ago) slot.constant = node.value;
      slot.kind = node.op == Op::user       ? Slot::Kind::user
                  : node.op == Op::now      ? Slot::Kind::now
                  : node.op == Op::today    ? Slot::Kind::today
                  : node.op == Op::days_ago ? Slot::Kind::days_ago
                                            : Slot::Kind::can;
      slot.permission = node.name;
      return parameter(std::move(slot), node.type);
    }
    case Op::column:
      return column(node.path);
    case Op::member:
      return member_;
    case Op::any:
    case Op::is_empty:
    case Op::is_null:
    case Op::equal:
    case Op::not_equal:
    case Op::less:
    case Op::less_equal:
    case Op::greater:
    case Op::greater_equal:
    case Op::in_list:
    case Op::in_groups:
    case Op::like:
    case Op::not_:
    case Op::and_:
    case Op::or_:
      return condition(node, true);
    case Op::add:
    case Op::subtract:
    case Op::multiply:
    case Op::divide:
    case Op::negate:
      return raw(node);
    default:
      return function(node);
  }
}

// In SQLite an infinity within a sum stays one until its end; PostgreSQL's functions end it at
// once.
std::string SqlWriter::raw(const Typed& node) {
  if (!is_arithmetic(node.op)) return value(node);
  if (!is_sqlite()) return arithmetic(node);
  const std::string left = raw(node.parts[0]);
  if (node.op == Op::negate) return "(- " + left + ")";
  const std::string right = node.op == Op::divide ? value(node.parts[1]) : raw(node.parts[1]);
  const char* const sign = node.op == Op::add        ? " + "
                           : node.op == Op::subtract ? " - "
                           : node.op == Op::multiply ? " * "
                                                     : " / ";
  return "(" + left + sign + right + ")";
}

std::string SqlWriter::arithmetic(const Typed& node) {
  const std::string left = value(node.parts[0]);
  if (node.op == Op::negate) return "(0 - " + left + ")";
  const std::string right = value(node.parts[1]);
  switch (node.op) {
    case Op::add:
      return "tenon_add(" + left + ", " + right + ")";
    case Op::subtract:
      return "tenon_add(" + left + ", 0 - " + right + ")";
    case Op::multiply:
      return "tenon_multiply(" + left + ", " + right + ")";
    default:
      return "tenon_divide(" + left + ", " + right + ")";
  }
}

std::string SqlWriter::function(const Typed& node) {
  std::string first = node.op == Op::if_ ? condition(node.parts[0], false) : value(node.parts[0]);
  switch (node.op) {
    case Op::widen:
      return cast(first, Type::number);
    case Op::whole:
      return is_sqlite() ? cast(first, Type::integer) : "tenon_whole(" + first + ")";
    case Op::remainder: {
      const std::string divisor = value(node.parts[1]);
      return "(" + first + " % " + (is_sqlite() ? divisor : "nullif(" + divisor + ", 0)") + ")";
    }
    case Op::concat:
      return "(" + first + " || " + value(node.parts[1]) + ")";
    case Op::lower:
    case Op::upper: {
      const std::string name = node.op == Op::lower ? "lower(" : "upper(";
      return name + (is_sqlite() ? first : first + " COLLATE \"C\"") + ")";
    }
    case Op::trim:
      return "trim(" + first + ")";
    case Op::length:
      return is_sqlite() ? "length(" + first + ")" : cast("length(" + first + ")", Type::integer);
    case Op::coalesce: {
      for (std::size_t i = 1; i < node.parts.size(); ++i)
        first.append(", ").append(value(node.parts[i]));
      return "coalesce(" + first + ")";
    }
    case Op::absolute:
      return "abs(" + first + ")";
    case Op::round:
      return (is_sqlite() ? "round(" : "tenon_round(") + first + ")";
    case Op::date:
      return "substr(" + first + ", 1, 10)";
    case Op::year:
      return cast("substr(" + first + ", 1, 4)", Type::integer);
    case Op::month:
      return cast("substr(" + first + ", 6, 2)", Type::integer);
    case Op::day:
      return cast("substr(" + first + ", 9, 2)", Type::integer);
    default: {
      const std::string yes = value(node.parts[1]);
      return "(CASE WHEN " + first + " THEN " + yes + " ELSE " + value(node.parts[2]) + " END)";
    }
  }
}

}  // namespace tenon::expression
