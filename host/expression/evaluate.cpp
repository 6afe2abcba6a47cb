#include "expression/evaluate.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "expression/functions.hpp"

namespace tenon::expression {

namespace {

bool is_null(const Value& value) noexcept {
  return value.index() == 0;
}
bool is_true(const Value& value) noexcept {
  const auto* flag = std::get_if<std::int64_t>(&value);
  return flag && *flag != 0;
}
double number_of(const Value& value) noexcept {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return static_cast<double>(*integer);
  return std::get<double>(value);
}

bool ordered(Op op, const Value& left, const Value& right) {
  if (is_null(left) || is_null(right)) return false;
  switch (op) {
    case Op::less:
      return left < right;
    case Op::less_equal:
      return left <= right;
    case Op::greater:
      return left > right;
    default:
      return left >= right;
  }
}

class Evaluator {
 public:
  Evaluator(const Record* record, Records* records, const Context& context)
      : record_(record), records_(records), context_(context) {}

  Value value(const Typed& node);
  bool condition(const Typed& node);

 private:
  using Visit = std::function<bool(const Value&)>;

  bool equal(const Typed& node);
  bool any(const Typed& node);
  // Calls `visit` with the values at the end of a path until it returns true; false if it never
  // did. `record` is the one that hop `from` starts at, nullptr where a reference led nowhere.
  bool each(const Path& path, std::size_t from, const Record* record, const Visit& visit);
  Value function(const Typed& node);

  const Record* record_;
  Records* records_;
  const Context& context_;
  Value member_;
};

bool Evaluator::each(const Path& path, std::size_t from, const Record* record, const Visit& visit) {
  if (from == path.hops.size()) {
    if (!path.is_members) return visit(record ? record->value(path.field) : Value());
    if (!record) return false;
    const auto members = record->members(path.field);
    return std::any_of(members.begin(), members.end(),
                       [&](const std::string& member) { return visit(member); });
  }
  const Hop& hop = path.hops[from];
  if (!hop.is_many) {
    const Value id = record ? record->value(hop.field) : Value();
    const auto next = is_null(id) ? nullptr : records_->find(hop.target, std::get<std::string>(id));
    return each(path, from + 1, next.get(), visit);
  }
  if (!record) return false;
  const auto targets = record->members(hop.field);
  return std::any_of(targets.begin(), targets.end(), [&](const std::string& target) {
    if (path.ends_on_link && from + 1 == path.hops.size()) return visit(target);
    const auto next = records_->find(hop.target, target);
    return next && each(path, from + 1, next.get(), visit);
  });
}

bool Evaluator::any(const Typed& node) {
  return each(node.path, 0, record_, [&](const Value& value) {
    Value outer = std::exchange(member_, value);
    const bool result = condition(node.parts[0]);
    member_ = std::move(outer);
    return result;
  });
}

bool Evaluator::equal(const Typed& node) {
  const Value left = value(node.parts[0]);
  const Value right = value(node.parts[1]);
  const bool has_user = node.parts[0].op == Op::user || node.parts[1].op == Op::user;
  return left == right && !(has_user && is_null(left));
}

bool Evaluator::condition(const Typed& node) {
  const auto& parts = node.parts;
  const auto part_holds = [&](const Typed& part) { return condition(part); };
  switch (node.op) {
    case Op::and_:
      return std::all_of(parts.begin(), parts.end(), part_holds);
    case Op::or_:
      return std::any_of(parts.begin(), parts.end(), part_holds);
    case Op::not_:
      return !condition(parts[0]);
    case Op::any:
      return any(node);
    case Op::is_empty:
      return !each(node.path, 0, record_, [](const Value&) { return true; });
    case Op::is_null:
      return is_null(value(parts[0]));
    case Op::equal:
      return equal(node);
    case Op::not_equal:
      return !equal(node);
    case Op::less:
    case Op::less_equal:
    case Op::greater:
    case Op::greater_equal:
      return ordered(node.op, value(parts[0]), value(parts[1]));
    case Op::in_list: {
      const Value one = value(parts[0]);
      return !is_null(one) && std::any_of(parts.begin() + 1, parts.end(),
                                          [&](const Typed& part) { return value(part) == one; });
    }
    case Op::in_groups: {
      const Value one = value(parts[0]);
      const auto& groups = context_.groups();
      return !is_null(one) &&
             std::find(groups.begin(), groups.end(), std::get<std::string>(one)) != groups.end();
    }
    case Op::like: {
      const Value text = value(parts[0]);
      return !is_null(text) &&
             matches(std::get<std::string>(text), std::get<std::string>(parts[1].value));
    }
    case Op::can:
      return context_.can(node.name);
    default:
      return is_true(value(node));
  }
}

Value Evaluator::value(const Typed& node) {
  if (is_condition(node.op)) return std::int64_t{condition(node) ? 1 : 0};
  switch (node.op) {
    case Op::literal:
      return node.value;
    case Op::user:
      return context_.user() ? Value(*context_.user()) : Value();
    case Op::now:
      return std::string(context_.now());
    case Op::days_ago:
      return std::string(context_.days_ago(std::get<std::int64_t>(node.value)));
    case Op::today:
      return std::string(context_.today());
    case Op::member:
      return member_;
    case Op::column: {
      Value result;
      each(node.path, 0, record_, [&](const Value& found) {
        result = found;
        return true;
      });
      return result;
    }
    case Op::coalesce:
      for (const Typed& part : node.parts) {
        Value one = value(part);
        if (!is_null(one)) return one;
      }
      return {};
    case Op::if_:
      return value(node.parts[condition(node.parts[0]) ? 1 : 2]);
    default:
      return function(node);
  }
}

// Evaluates functions that are null if any of their parts is.
Value Evaluator::function(const Typed& node) {
  Value first = value(node.parts[0]);
  Value second = node.parts.size() > 1 ? value(node.parts[1]) : Value(std::int64_t{0});
  if (is_null(first) || is_null(second)) return {};
  switch (node.op) {
    case Op::widen:
      return number_of(first);
    case Op::whole:
      return whole_of(number_of(first));
    case Op::add:
    case Op::subtract:
    case Op::multiply:
    case Op::divide:
    case Op::negate:
      return calculated(node.op, number_of(first), number_of(second));
    case Op::remainder:
      return remainder_of(std::get<std::int64_t>(first), std::get<std::int64_t>(second));
    case Op::concat:
      return std::get<std::string>(first) + std::get<std::string>(second);
    case Op::length:
      return length_of(std::get<std::string>(first));
    case Op::absolute:
      return std::abs(number_of(first));
    case Op::round:
      return rounded(number_of(first));
    case Op::year:
    case Op::month:
    case Op::day:
      return date_part(node.op, std::get<std::string>(first));
    default:
      return text_function(node.op, std::get<std::string>(std::move(first)));
  }
}

bool names_asker(const Typed& node) {
  return node.op == Op::user || node.op == Op::in_groups || node.op == Op::now ||
         node.op == Op::today || node.op == Op::days_ago ||
         std::any_of(node.parts.begin(), node.parts.end(), names_asker);
}

enum class Known : std::uint8_t { permissions, context };

// Evaluates a condition without a record, as far as possible.
class Constant {
 public:
  Constant(const Context& context, Known known)
      : context_(context),
        has_permissions_only_(known == Known::permissions),
        evaluator_(nullptr, nullptr, context) {}

  std::optional<bool> of(const Typed& node) {
    if (!node.needs_record && !(has_permissions_only_ && names_asker(node)))
      return evaluator_.condition(node);
    switch (node.op) {
      case Op::and_:
        return series(node, false);
      case Op::or_:
        return series(node, true);
      case Op::not_: {
        const auto inner = of(node.parts[0]);
        return inner ? std::optional(!*inner) : std::nullopt;
      }
      case Op::any:
        // True inside says nothing: there may be no value.
        return of(node.parts[0]) == std::optional(false) ? std::optional(false) : std::nullopt;
      case Op::equal:
      case Op::not_equal:
        if (is_anonymous(node.parts[0]) || is_anonymous(node.parts[1]))
          return node.op == Op::not_equal;
        return std::nullopt;
      case Op::in_list:
        return is_anonymous(node.parts[0]) ? std::optional(false) : std::nullopt;
      case Op::in_groups:
        return context_.groups().empty() && !has_permissions_only_ ? std::optional(false)
                                                                   : std::nullopt;
      default:
        return std::nullopt;
    }
  }

 private:
  // One member that is `deciding` decides; else all must be known.
  std::optional<bool> series(const Typed& node, bool deciding) {
    bool is_known = true;
    for (const Typed& part : node.parts) {
      const auto one = of(part);
      if (one == std::optional(deciding)) return deciding;
      is_known = is_known && one.has_value();
    }
    return is_known ? std::optional(!deciding) : std::nullopt;
  }

  bool is_anonymous(const Typed& node) const noexcept {
    return node.op == Op::user && !context_.user() && !has_permissions_only_;
  }

  const Context& context_;
  const bool has_permissions_only_;
  Evaluator evaluator_;
};

}  // namespace

Value evaluate(const Checked& checked, const Record& record, Records& records,
               const Context& context) {
  return Evaluator(&record, &records, context).value(checked.root());
}

bool holds(const Checked& checked, const Record& record, Records& records, const Context& context) {
  return Evaluator(&record, &records, context).condition(checked.root());
}

std::optional<bool> is_constant(const Checked& checked, const Context& context) {
  return Constant(context, Known::context).of(checked.root());
}

bool is_decided_by_permissions(const Checked& checked, const Context& context) {
  return Constant(context, Known::permissions).of(checked.root()).has_value();
}

}  // namespace tenon::expression
