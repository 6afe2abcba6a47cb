#include <algorithm>
#include <array>
#include <utility>

#include "config/nearest.hpp"
#include "expression/checker.hpp"
#include "expression/resolve.hpp"
#include "schema/dates.hpp"

namespace tenon::expression {

namespace {

using namespace std::string_view_literals;

struct Function {
  std::string_view name;
  Op op;
  std::size_t min_count;
  std::size_t max_count;
};
constexpr std::array functions = {
    Function{"lower"sv, Op::lower, 1, 1},
    Function{"upper"sv, Op::upper, 1, 1},
    Function{"trim"sv, Op::trim, 1, 1},
    Function{"length"sv, Op::length, 1, 1},
    Function{"coalesce"sv, Op::coalesce, 2, max_members},
    Function{"abs"sv, Op::absolute, 1, 1},
    Function{"round"sv, Op::round, 1, 1},
    Function{"date"sv, Op::date, 1, 1},
    Function{"year"sv, Op::year, 1, 1},
    Function{"month"sv, Op::month, 1, 1},
    Function{"day"sv, Op::day, 1, 1},
    Function{"if"sv, Op::if_, 3, 3},
    Function{"can"sv, Op::can, 1, 1},
    Function{"days_ago"sv, Op::days_ago, 1, 1},
};

Op arithmetic(Kind kind) noexcept {
  switch (kind) {
    case Kind::add:
      return Op::add;
    case Kind::subtract:
      return Op::subtract;
    case Kind::multiply:
      return Op::multiply;
    default:
      return Op::divide;
  }
}

Operand at(const Node& node, Typed typed) {
  Operand operand;
  operand.typed = std::move(typed);
  operand.at = node.at;
  return operand;
}

Typed parameter(Op op, Type type, bool is_nullable) {
  Typed typed;
  typed.op = op;
  typed.type = type;
  typed.is_nullable = is_nullable;
  return typed;
}

}  // namespace

Operand Checker::value(const Node& node) {
  switch (node.kind) {
    case Kind::null_:
      return at(node, literal(Type::null_, {}));
    case Kind::boolean:
      return at(node, literal(Type::boolean, node.integer));
    case Kind::integer:
      return at(node, literal(Type::integer, node.integer));
    case Kind::number:
      return at(node, literal(Type::number, node.number));
    case Kind::text:
      return at(node, literal(Type::text, node.text));
    case Kind::user: {
      Operand user = at(node, parameter(Op::user, Type::id, true));
      user.target = "core:users";
      return user;
    }
    case Kind::now:
      return at(node, parameter(Op::now, Type::datetime, false));
    case Kind::today:
      return at(node, parameter(Op::today, Type::date, false));
    case Kind::path:
      return path(node);
    case Kind::call:
      return call(node);
    case Kind::add:
      return sum(node);
    case Kind::subtract:
    case Kind::multiply:
    case Kind::divide: {
      Typed left = number(node.children[0]);
      Typed right = number(node.children[1]);
      return at(node, operation(arithmetic(node.kind), Type::number, widened(std::move(left)),
                                widened(std::move(right)), true));
    }
    case Kind::remainder: {
      const auto whole = [](Typed typed) {
        return typed.type == Type::integer
                   ? std::move(typed)
                   : operation(Op::whole, Type::integer, std::move(typed), true);
      };
      Typed left = number(node.children[0]);
      Typed right = number(node.children[1]);
      return at(node, operation(Op::remainder, Type::integer, whole(std::move(left)),
                                whole(std::move(right)), true));
    }
    case Kind::negate:
      return at(node, operation(Op::negate, Type::number, widened(number(node.children[0])), true));
    default:
      return at(node, condition(node));
  }
}

Operand Checker::path(const Node& node) {
  Resolved resolved = resolve(ast_, node, tables_, table_, purpose_, named_);
  Operand operand;
  operand.at = node.at;
  operand.target = std::move(resolved.target);
  operand.choices = std::move(resolved.choices);
  Typed& typed = operand.typed;
  typed.type = resolved.path.type;
  typed.is_nullable = resolved.is_nullable;
  typed.needs_record = true;
  typed.sql_stack = resolved.path.hops.empty() ? 3 : 18;
  if (!resolved.is_many) {
    typed.op = Op::column;
    typed.path = std::move(resolved.path);
    return operand;
  }
  const std::string name = "'" + print(node) + "' has several values";
  if (!many_) refuse_at(node.at, name + "; compare it with something");
  if (*many_) refuse_at(node.at, name + ", and a comparison can have only one such path");
  typed.op = Op::member;
  *many_ = std::move(resolved.path);
  return operand;
}

Operand Checker::sum(const Node& node) {
  Operand left = value(node.children[0]);
  Operand right = value(node.children[1]);
  if (left.typed.type == Type::text || right.typed.type == Type::text) {
    for (const Operand* side : {&left, &right}) {
      if (side->typed.type != Type::text)
        refuse_at(node.at, "cannot add " + std::string(name_of(left.typed.type)) + " and " +
                               std::string(name_of(right.typed.type)));
    }
    const bool is_nullable = left.typed.is_nullable || right.typed.is_nullable;
    return at(node, operation(Op::concat, Type::text, std::move(left.typed), std::move(right.typed),
                              is_nullable));
  }
  for (const Operand* side : {&left, &right}) {
    if (side->typed.type != Type::integer && side->typed.type != Type::number)
      refuse_at(node.at, "cannot add " + std::string(name_of(left.typed.type)) + " and " +
                             std::string(name_of(right.typed.type)));
  }
  return at(node, operation(Op::add, Type::number, widened(std::move(left.typed)),
                            widened(std::move(right.typed)), true));
}

Typed Checker::number(const Node& node) {
  Operand operand = value(node);
  if (operand.typed.type != Type::integer && operand.typed.type != Type::number)
    refuse_at(node.at, "found " + std::string(name_of(operand.typed.type)) + ", expected a number");
  return std::move(operand.typed);
}

Operand Checker::call(const Node& node) {
  const auto* const function =
      std::find_if(functions.begin(), functions.end(),
                   [&](const Function& one) { return one.name == node.text; });
  if (function == functions.end()) {
    std::vector<std::string> names;
    for (const Function& one : functions)
      names.emplace_back(one.name);
    const std::string near = config::nearest(node.text, names);
    refuse_at(node.at, "there is no function '" + node.text + "'" +
                           (near.empty() ? "" : "; did you mean '" + near + "'?"));
  }
  const std::size_t count = node.children.size();
  if (count < function->min_count || count > function->max_count)
    refuse_at(node.at, node.text + "() takes " +
                           (function->min_count == function->max_count ? "" : "at least ") +
                           std::to_string(function->min_count) + " values, and here are " +
                           std::to_string(count));
  const Op op = function->op;
  switch (op) {
    case Op::can: {
      if (node.children[0].kind != Kind::text)
        refuse_at(node.children[0].at, "can() takes the name of a permission in quotes");
      Typed can = parameter(op, Type::boolean, false);
      can.name = node.children[0].text;
      return at(node, std::move(can));
    }
    case Op::days_ago: {
      const Node& days = node.children[0];
      if (days.kind != Kind::integer || days.integer < 0 || days.integer > max_days_ago)
        refuse_at(days.at, "days_ago() takes a whole number of 0 to " +
                               std::to_string(max_days_ago) + ", and no field");
      Typed moment = parameter(op, Type::datetime, false);
      moment.value = days.integer;
      return at(node, std::move(moment));
    }
    case Op::coalesce:
      return unified_call(node, op, 0);
    case Op::if_:
      return unified_call(node, op, 1);
    case Op::date:
    case Op::year:
    case Op::month:
    case Op::day:
      return date_call(node, op);
    case Op::absolute:
    case Op::round: {
      Typed argument = widened(number(node.children[0]));
      const bool is_nullable = argument.is_nullable;
      return at(node, operation(op, Type::number, std::move(argument), is_nullable));
    }
    default: {
      Operand argument = value(node.children[0]);
      if (argument.typed.type != Type::text)
        refuse_at(argument.at, node.text + "() takes a text, and this is " +
                                   std::string(name_of(argument.typed.type)));
      const bool is_nullable = argument.typed.is_nullable;
      return at(node, operation(op, op == Op::length ? Type::integer : Type::text,
                                std::move(argument.typed), is_nullable));
    }
  }
}

// coalesce(a, b, …) and if(condition, a, b): values of one type.
Operand Checker::unified_call(const Node& node, Op op, std::size_t first) {
  std::vector<Typed> parts;
  for (std::size_t i = 0; i < first; ++i)
    parts.push_back(condition(node.children[i]));
  std::vector<Operand> values;
  for (std::size_t i = first; i < node.children.size(); ++i)
    values.push_back(value(node.children[i]));
  unify_all(values, node.at, "give");
  bool is_nullable = op == Op::coalesce;
  for (Operand& one : values) {
    is_nullable = op == Op::coalesce ? is_nullable && one.typed.is_nullable
                                     : is_nullable || one.typed.is_nullable;
  }
  Operand result;
  result.at = node.at;
  for (Operand& one : values) {
    if (result.target.empty()) result.target = one.target;
    parts.push_back(std::move(one.typed));
  }
  const Type type = parts.back().type;
  if (type == Type::null_ || type == Type::other)
    refuse_at(node.at, node.text + "() of " + std::string(name_of(type)) + " has no type");
  result.typed = combined(op, type, std::move(parts), is_nullable);
  return result;
}

Operand Checker::date_call(const Node& node, Op op) {
  Operand argument = value(node.children[0]);
  if (argument.is_literal() && argument.typed.type == Type::text) {
    Operand wanted;
    const bool is_day = std::get<std::string>(argument.typed.value).size() == 10;
    wanted.typed.type = is_day ? Type::date : Type::datetime;
    coerce(argument, wanted);
  }
  if (argument.typed.type != Type::date && argument.typed.type != Type::datetime)
    refuse_at(argument.at, node.text + "() takes a date or datetime, and this is " +
                               std::string(name_of(argument.typed.type)));
  const bool is_nullable = argument.typed.is_nullable;
  return at(node, operation(op, op == Op::date ? Type::date : Type::integer,
                            std::move(argument.typed), is_nullable));
}

}  // namespace tenon::expression
