#include "expression/check.hpp"

#include <memory>
#include <utility>

#include "expression/checker.hpp"
#include "expression/resolve.hpp"

namespace tenon::expression {

namespace {

Op operator_of(Kind kind) noexcept {
  switch (kind) {
    case Kind::equal:
      return Op::equal;
    case Kind::not_equal:
      return Op::not_equal;
    case Kind::less:
      return Op::less;
    case Kind::less_equal:
      return Op::less_equal;
    case Kind::greater:
      return Op::greater;
    default:
      return Op::greater_equal;
  }
}

bool is_equality(Kind kind) noexcept {
  return kind == Kind::equal || kind == Kind::not_equal;
}

Typed negate(Typed condition) {
  return operation(Op::not_, Type::boolean, std::move(condition), false);
}

}  // namespace

Checked check(const Ast& ast, const data::schema::Tables& tables, const data::schema::Table& table,
              Purpose purpose) {
  return Checker(ast, tables, table, purpose).run();
}

Checked Checker::run() {
  Typed root;
  if (purpose_ == Purpose::value) {
    root = value(ast_.root).typed;
    if (root.type == Type::null_) refuse_at(ast_.root.at, "null alone has no type");
    if (root.type == Type::other)
      refuse_at(ast_.root.at, "json and blob fields can only be compared with null");
  } else {
    root = condition(ast_.root);
  }
  if (root.sql_stack + (is_arithmetic(root.op) ? 6 : 0) > max_sql_stack)
    refuse_at(ast_.root.at,
              "the expression is nested too deeply for the database; make it flatter");
  return {std::make_shared<const Typed>(std::move(root)), std::move(named_)};
}

Typed Checker::condition(const Node& node) {
  switch (node.kind) {
    case Kind::and_:
    case Kind::or_: {
      std::vector<Typed> parts;
      for (const Node& child : node.children)
        parts.push_back(condition(child));
      return combined(node.kind == Kind::and_ ? Op::and_ : Op::or_, Type::boolean, std::move(parts),
                      false);
    }
    case Kind::not_:
      return negate(condition(node.children[0]));
    case Kind::not_in:
    case Kind::not_like:
      return negate(comparison(node));
    default:
      return comparison(node);
  }
}

// A value where a condition is wanted: it is true, and not empty.
Typed Checker::bare(const Node& node) {
  Operand operand = value(node);
  if (operand.typed.type != Type::boolean)
    refuse_at(node.at, "found " + std::string(name_of(operand.typed.type)) +
                           ", expected a condition; compare it with something");
  if (is_condition(operand.typed.op) || operand.is_literal()) return std::move(operand.typed);
  return operation(Op::equal, Type::boolean, std::move(operand.typed),
                   literal(Type::boolean, std::int64_t{1}), false);
}

Typed Checker::comparison(const Node& node) {
  std::optional<Path> many;
  std::optional<Path>* const outer = std::exchange(many_, &many);
  Typed body;
  switch (node.kind) {
    case Kind::in:
    case Kind::not_in:
      body = contained(node);
      break;
    case Kind::like:
    case Kind::not_like:
      body = liked(node);
      break;
    case Kind::equal:
    case Kind::not_equal:
    case Kind::less:
    case Kind::less_equal:
    case Kind::greater:
    case Kind::greater_equal:
      body = compared(node);
      break;
    default:
      body = bare(node);
  }
  many_ = outer;
  if (!many) return body;
  Typed any = operation(Op::any, Type::boolean, std::move(body), false);
  any.needs_record = true;
  any.path = std::move(*many);
  return any;
}

Typed Checker::compared(const Node& node) {
  if (auto typed = emptiness(node)) return std::move(*typed);
  Operand left = value(node.children[0]);
  Operand right = value(node.children[1]);
  if (left.is_null() || right.is_null()) {
    if (!is_equality(node.kind)) refuse_at(node.at, "null has no order; compare with = or !=");
    Typed is_null = operation(Op::is_null, Type::boolean,
                              std::move(left.is_null() ? right.typed : left.typed), false);
    return node.kind == Kind::equal ? std::move(is_null) : negate(std::move(is_null));
  }
  unify(left, right, node.at, "compare");
  if (left.typed.type == Type::boolean && !is_equality(node.kind))
    refuse_at(node.at, "true and false have no order; compare with = or !=");
  return operation(operator_of(node.kind), Type::boolean, std::move(left.typed),
                   std::move(right.typed), false);
}

// `labels = null`: a many field without values.
std::optional<Typed> Checker::emptiness(const Node& node) {
  if (!is_equality(node.kind)) return std::nullopt;
  const Node& left = node.children[0];
  const Node& right = node.children[1];
  const Node& field = left.kind == Kind::null_ ? right : left;
  const Node& null = left.kind == Kind::null_ ? left : right;
  if (field.kind != Kind::path || null.kind != Kind::null_) return std::nullopt;
  Resolved resolved = resolve(ast_, field, tables_, table_, purpose_, named_);
  if (!resolved.ends_on_many) return std::nullopt;
  if (resolved.is_many_before_last)
    refuse_at(field.at, "only one field of a path that is compared with null can be many");
  Typed empty;
  empty.op = Op::is_empty;
  empty.type = Type::boolean;
  empty.is_nullable = false;
  empty.needs_record = true;
  empty.path = std::move(resolved.path);
  empty.sql_stack = 18;
  return node.kind == Kind::equal ? std::move(empty) : negate(std::move(empty));
}

Typed Checker::contained(const Node& node) {
  const Node& right = node.children[1];
  Operand left = value(node.children[0]);
  if (left.is_null()) refuse_at(node.at, "null is in no list; write = null");
  if (right.kind == Kind::groups) {
    Operand groups;
    groups.typed.op = Op::in_groups;
    groups.typed.type = Type::id;
    groups.target = "core:groups";
    unify(left, groups, node.at, "compare");
    return operation(Op::in_groups, Type::boolean, std::move(left.typed), false);
  }
  std::vector<Operand> all;
  all.push_back(std::move(left));
  if (right.kind == Kind::path) {
    all.push_back(value(right));
    if (all.back().typed.op != Op::member)
      refuse_at(right.at, "'" + print(right) + "' is one value; compare it with =");
  }
  for (const Node& member : right.children) {
    all.push_back(value(member));
    if (all.back().is_null())
      refuse_at(member.at, "null is in no list; add: or " + print(node.children[0]) + " = null");
  }
  unify_all(all, node.at, "compare");
  std::vector<Typed> parts;
  for (Operand& one : all)
    parts.push_back(std::move(one.typed));
  return combined(Op::in_list, Type::boolean, std::move(parts), false);
}

Typed Checker::liked(const Node& node) {
  const Node& pattern = node.children[1];
  Operand left = value(node.children[0]);
  if (left.typed.type != Type::text)
    refuse_at(node.at,
              "like looks into a text, and this is " + std::string(name_of(left.typed.type)));
  if (pattern.kind != Kind::text)
    refuse_at(pattern.at, "the pattern of like must be a text in quotes");
  if (pattern.text.size() > max_pattern_bytes)
    refuse_at(pattern.at, "a pattern has at most " + std::to_string(max_pattern_bytes) + " bytes");
  std::size_t escapes = 0;
  while (escapes < pattern.text.size() && pattern.text[pattern.text.size() - 1 - escapes] == '\\')
    ++escapes;
  if (escapes % 2 == 1)
    refuse_at(pattern.at, "the pattern ends with \\, which must be followed by a character");
  return operation(Op::like, Type::boolean, std::move(left.typed),
                   literal(Type::text, pattern.text), false);
}

}  // namespace tenon::expression
