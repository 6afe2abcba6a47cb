#include "expression/sql_writer.hpp"

namespace tenon::expression {

std::string SqlWriter::condition(const Typed& node, bool is_exact) {
  switch (node.op) {
    case Op::and_:
    case Op::or_:
      return joined(node, 0, node.parts.size(), is_exact);
    case Op::not_:
      return negated(node.parts[0]);
    case Op::is_null:
      return "(" + value(node.parts[0]) + " IS NULL)";
    case Op::equal:
    case Op::not_equal:
      return equality(node, is_exact);
    case Op::any:
      return any(node);
    case Op::is_empty:
      return is_empty(node.path);
    case Op::less:
    case Op::less_equal:
    case Op::greater:
    case Op::greater_equal:
    case Op::in_list:
    case Op::in_groups:
    case Op::like: {
      const std::string sql = node.op == Op::in_list     ? in_list(node)
                              : node.op == Op::in_groups ? in_groups(node)
                              : node.op == Op::like      ? like(node)
                                                         : order(node);
      return is_exact ? "(" + sql + " IS TRUE)" : sql;
    }
    default:
      return value(node);
  }
}

// Balanced, so that many members do not nest deeply.
std::string SqlWriter::joined(const Typed& node, std::size_t first, std::size_t last,
                              bool is_exact) {
  if (last - first == 1) return condition(node.parts[first], is_exact);
  const std::size_t middle = first + (last - first + 1) / 2;
  const std::string left = joined(node, first, middle, is_exact);
  const std::string right = joined(node, middle, last, is_exact);
  return "(" + left + (node.op == Op::and_ ? " AND " : " OR ") + right + ")";
}

std::string SqlWriter::negated(const Typed& inner) {
  switch (inner.op) {
    case Op::is_null:
      return "(" + value(inner.parts[0]) + " IS NOT NULL)";
    case Op::less:
    case Op::less_equal:
    case Op::greater:
    case Op::greater_equal:
    case Op::in_list:
    case Op::in_groups:
    case Op::like:
      return "(" + condition(inner, false) + " IS NOT TRUE)";
    default:
      return "(NOT " + condition(inner, true) + ")";
  }
}

std::string SqlWriter::equality(const Typed& node, bool is_exact) {
  const Typed& left = node.parts[0];
  const Typed& right = node.parts[1];
  const std::string one = value(left);
  const std::string other = value(right);
  const bool is_equal = node.op == Op::equal;
  // The id of an anonymous request equals nothing, not even an empty value.
  if (left.op == Op::user || right.op == Op::user) {
    const std::string sql = "(" + one + " = " + other + ")";
    if (!is_equal) return "(" + sql + " IS NOT TRUE)";
    return is_exact ? "(" + sql + " IS TRUE)" : sql;
  }
  const bool is_never_null = !left.is_nullable && !right.is_nullable;
  const bool is_never_both = !left.is_nullable || !right.is_nullable;
  if (is_never_null || (is_equal && is_never_both && !is_exact))
    return "(" + one + (is_equal ? " = " : " <> ") + other + ")";
  if (is_sqlite()) return "(" + one + (is_equal ? " IS " : " IS NOT ") + other + ")";
  return "(" + one + (is_equal ? " IS NOT DISTINCT FROM " : " IS DISTINCT FROM ") + other + ")";
}

std::string SqlWriter::order(const Typed& node) {
  const char* const sign = node.op == Op::less         ? " < "
                           : node.op == Op::less_equal ? " <= "
                           : node.op == Op::greater    ? " > "
                                                       : " >= ";
  const std::string left = collated(node.parts[0]);
  return "(" + left + sign + value(node.parts[1]) + ")";
}

std::string SqlWriter::in_list(const Typed& node) {
  std::string sql = "(" + value(node.parts[0]);
  if (node.parts.size() == 2) return sql + " = " + value(node.parts[1]) + ")";
  sql += " IN (";
  for (std::size_t i = 1; i < node.parts.size(); ++i)
    sql.append(i == 1 ? "" : ", ").append(value(node.parts[i]));
  return sql + "))";
}

std::string SqlWriter::in_groups(const Typed& node) {
  Slot slot;
  slot.kind = Slot::Kind::groups;
  const std::string left = value(node.parts[0]);
  const std::string groups = parameter(std::move(slot), Type::text);
  return "(" + left +
         (is_sqlite() ? " IN (SELECT \"value\" FROM json_each(" + groups + ")))"
                      : " IN (SELECT jsonb_array_elements_text(" + groups + "::jsonb)))");
}

std::string SqlWriter::like(const Typed& node) {
  const std::string left = collated(node.parts[0]);
  return "(" + left + (is_sqlite() ? " LIKE " : " ILIKE ") + value(node.parts[1]) + " ESCAPE '\\')";
}

}  // namespace tenon::expression
