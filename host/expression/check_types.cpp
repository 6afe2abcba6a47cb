#include <algorithm>
#include <cmath>

#include "config/nearest.hpp"
#include "expression/checker.hpp"
#include "schema/dates.hpp"

namespace tenon::expression {

namespace {

// Returns the maximum number of entries on the stack of SQLite's parser while it reads a part: the
// tokens left of it in the same parentheses, names of functions, keywords.
std::size_t stacked(Op op, std::size_t part, std::size_t parts) noexcept {
  switch (op) {
    case Op::and_:
    case Op::or_: {
      std::size_t levels = 1;
      while ((std::size_t{1} << levels) < parts)
        ++levels;
      return 3 * levels;
    }
    case Op::any:
      return 12;
    case Op::not_:
    case Op::widen:
    case Op::whole:
    case Op::negate:
      return 2;
    case Op::add:
    case Op::subtract:
    case Op::multiply:
    case Op::divide:
    case Op::remainder:
    case Op::concat:
      return part == 0 ? 1 : 3;
    case Op::equal:
    case Op::not_equal:
    case Op::less:
    case Op::less_equal:
    case Op::greater:
    case Op::greater_equal:
      return part == 0 ? 2 : 4;
    case Op::lower:
    case Op::upper:
    case Op::trim:
    case Op::length:
    case Op::absolute:
    case Op::round:
    case Op::date:
    case Op::like:
    case Op::is_null:
      return 3;
    case Op::in_list:
      return 7;
    case Op::if_:
      return 6;
    default:
      return 5;
  }
}

// nullif(nullif(
constexpr std::size_t stacked_by_ends = 6;
// IN (SELECT … FROM json_each(
constexpr std::size_t stacked_by_groups = 16;

bool is_numeric(Type type) noexcept {
  return type == Type::integer || type == Type::number;
}

}  // namespace

std::string_view name_of(Type type) noexcept {
  switch (type) {
    case Type::null_:
      return "null";
    case Type::boolean:
      return "a condition";
    case Type::integer:
      return "an integer";
    case Type::number:
      return "a number";
    case Type::text:
      return "a text";
    case Type::date:
      return "a date";
    case Type::datetime:
      return "a datetime";
    case Type::id:
      return "an id";
    case Type::other:
      return "a json or blob field";
  }
  return "";
}

Typed combined(Op op, Type type, std::vector<Typed> parts, bool is_nullable) {
  Typed typed;
  typed.op = op;
  typed.type = type;
  typed.is_nullable = is_nullable;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Typed& part = parts[i];
    typed.needs_record = typed.needs_record || part.needs_record;
    // Infinities are turned to null where arithmetic ends, and where it divides.
    const bool ends =
        is_arithmetic(part.op) && (!is_arithmetic(op) || (op == Op::divide && i == 1));
    typed.sql_stack = std::max(typed.sql_stack, part.sql_stack + stacked(op, i, parts.size()) +
                                                    (ends ? stacked_by_ends : 0));
  }
  if (op == Op::in_groups) typed.sql_stack = std::max(typed.sql_stack, stacked_by_groups);
  typed.parts = std::move(parts);
  return typed;
}

Typed operation(Op op, Type type, Typed part, bool is_nullable) {
  std::vector<Typed> parts;
  parts.push_back(std::move(part));
  return combined(op, type, std::move(parts), is_nullable);
}

Typed operation(Op op, Type type, Typed left, Typed right, bool is_nullable) {
  std::vector<Typed> parts;
  parts.push_back(std::move(left));
  parts.push_back(std::move(right));
  return combined(op, type, std::move(parts), is_nullable);
}

Typed literal(Type type, Value value) {
  Typed typed;
  typed.type = type;
  typed.is_nullable = value.index() == 0;
  typed.value = std::move(value);
  return typed;
}

Typed widened(Typed integer) {
  if (integer.type != Type::integer) return integer;
  if (const auto* value = std::get_if<std::int64_t>(&integer.value))
    return literal(Type::number, static_cast<double>(*value));
  const bool is_nullable = integer.is_nullable;
  return operation(Op::widen, Type::number, std::move(integer), is_nullable);
}

std::optional<std::string> stored_datetime(std::string_view text) {
  std::string whole(text);
  if (text.size() == 10) whole += "T00:00:00.000Z";
  if (text.size() == 20 && text.back() == 'Z') whole.replace(19, 1, ".000Z");
  if (!data::schema::is_datetime(whole)) return std::nullopt;
  return whole;
}

// Converts a text literal that is compared with a value written as a text.
void Checker::coerce(Operand& literal, const Operand& to) {
  if (!literal.is_literal() || literal.typed.type != Type::text) return;
  const std::string text = std::get<std::string>(literal.typed.value);
  switch (to.typed.type) {
    case Type::date:
      if (!data::schema::is_date(text))
        refuse_at(literal.at, "'" + text + "' is no date; write '2026-01-31'");
      break;
    case Type::datetime: {
      auto stored = stored_datetime(text);
      if (!stored)
        refuse_at(literal.at,
                  "'" + text + "' is no datetime; write '2026-01-31T12:00:00Z' (UTC), or a date");
      literal.typed.value = std::move(*stored);
      break;
    }
    case Type::id:
      literal.target = to.target;
      break;
    case Type::text:
      if (!to.choices.empty() &&
          std::find(to.choices.begin(), to.choices.end(), text) == to.choices.end()) {
        const std::string near = config::nearest(text, to.choices);
        refuse_at(literal.at, "'" + text + "' is none of the field's choices" +
                                  (near.empty() ? "" : "; did you mean '" + near + "'?"));
      }
      return;
    default:
      return;
  }
  literal.typed.type = to.typed.type;
}

void Checker::unify(Operand& left, Operand& right, std::size_t at, std::string_view verb) {
  for (const Operand* side : {&left, &right}) {
    if (side->typed.type == Type::other)
      refuse_at(side->at, "json and blob fields can only be compared with null");
  }
  if (!left.is_literal()) coerce(right, left);
  if (!right.is_literal()) coerce(left, right);
  Type& one = left.typed.type;
  Type& other = right.typed.type;
  if (left.is_null() || right.is_null()) {
    (left.is_null() ? one : other) = left.is_null() ? other : one;
    return;
  }
  if (one != other && is_numeric(one) && is_numeric(other)) {
    for (Operand* side : {&left, &right}) {
      // A whole number compared with an integer becomes one, so that an index can look it up.
      const auto* number = std::get_if<double>(&side->typed.value);
      const Operand& opposite = side == &left ? right : left;
      if (number && !opposite.is_literal() && std::trunc(*number) == *number &&
          std::abs(*number) < 0x1p63) {
        side->typed = literal(Type::integer, static_cast<std::int64_t>(*number));
        return;
      }
    }
    left.typed = widened(std::move(left.typed));
    right.typed = widened(std::move(right.typed));
    return;
  }
  if (one != other) {
    std::string what = "cannot " + std::string(verb) + " " + std::string(name_of(one)) + " with " +
                       std::string(name_of(other));
    if ((one == Type::date && other == Type::datetime) ||
        (one == Type::datetime && other == Type::date))
      what += "; date(…) is the day of a datetime";
    refuse_at(at, what);
  }
  if (one == Type::id && !left.target.empty() && !right.target.empty() &&
      left.target != right.target)
    refuse_at(at, "cannot " + std::string(verb) + " an id of " + left.target + " with an id of " +
                      right.target);
}

void Checker::unify_all(std::vector<Operand>& all, std::size_t at, std::string_view verb) {
  // Something that is no literal says what the literals mean.
  const auto lead =
      std::find_if(all.begin(), all.end(), [](const Operand& one) { return !one.is_literal(); });
  std::size_t first = lead == all.end() ? 0 : static_cast<std::size_t>(lead - all.begin());
  if (lead == all.end()) {
    while (first + 1 < all.size() && all[first].is_null())
      ++first;
  }
  const auto at_of = [&](std::size_t i) { return i == first ? at : all[i].at; };
  bool has_number = false;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i != first) unify(all[first], all[i], at_of(i), verb);
    has_number = has_number || all[first].typed.type == Type::number;
  }
  for (Operand& one : all) {
    if (has_number && one.is_null()) one.typed.type = Type::number;
    if (has_number) one.typed = widened(std::move(one.typed));
  }
}

}  // namespace tenon::expression
