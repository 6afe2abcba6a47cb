#include "expression/tests/generator.hpp"

#include <utility>

#include "expression/ast.hpp"

namespace tenon::expression::test {

using data::schema::Field;
using data::schema::FieldType;

namespace {

std::string quoted(const std::string& text) {
  Node node;
  node.kind = Kind::text;
  node.text = text;
  return print(node);
}
std::string written(std::int64_t integer) {
  Node node;
  node.kind = Kind::integer;
  node.integer = integer;
  return print(node);
}
std::string written(double number) {
  Node node;
  node.kind = Kind::number;
  node.number = number;
  return print(node);
}

bool has_type(const Field& field, Type type) {
  switch (type) {
    case Type::text:
      return field.type == FieldType::text || field.type == FieldType::choice;
    case Type::integer:
      return field.type == FieldType::integer;
    case Type::number:
      return field.type == FieldType::number;
    case Type::boolean:
      return field.type == FieldType::boolean;
    case Type::date:
      return field.type == FieldType::date;
    case Type::datetime:
      return field.type == FieldType::datetime;
    default:
      return field.type == FieldType::reference || field.type == FieldType::user;
  }
}

std::string target_of(const Field& field) {
  const auto target = field.target();
  return target.is_own() ? std::string(target.table)
                         : std::string(target.plugin) + ":" + std::string(target.table);
}

}  // namespace

// Goes through up to three references; the table it ends in.
std::string Generator::walk(std::string& table) {
  std::string names;
  for (int hop = 0; hop < 3 && chance(40); ++hop) {
    std::vector<Field> open;
    for (const Field& field : tables_.find(table)->fields) {
      if (field.refers_to_own() && (!field.many || may_be_many_)) open.push_back(field);
    }
    if (open.empty()) break;
    const Field& field = one_of(random_, open);
    names += field.name + ".";
    table = field.target().table;
    // Several of one path may be many; the comparison has only this path.
    if (field.many && chance(50)) break;
  }
  return names;
}

std::string Generator::path(Type type, std::string_view target) {
  for (;;) {
    const bool was_free = may_be_many_;
    std::string table = "cards";
    const std::string names = walk(table);
    std::vector<std::string> ends;
    bool is_many = false;
    for (std::size_t at = 0, dot = 0; (dot = names.find('.', at)) != std::string::npos;
         at = dot + 1) {
      for (const auto& one : tables_.tables) {
        const Field* field = one.find(names.substr(at, dot - at));
        is_many = is_many || (field && field->many);
      }
    }
    for (const Field& field : tables_.find(table)->all_fields()) {
      if (!has_type(field, type) || (field.many && !was_free)) continue;
      if (type == Type::id && target_of(field) != target) continue;
      ends.push_back((field.many ? "*" : "") + field.name);
      if (type == Type::id && chance(30)) ends.back() += ".id";
    }
    if (type == Type::id && table == target) ends.emplace_back("id");
    if (ends.empty()) continue;
    std::string end = one_of(random_, ends);
    if (end.front() == '*') {
      end.erase(0, 1);
      is_many = true;
    }
    if (is_many) may_be_many_ = false;
    return names + end;
  }
}

std::string Generator::any_path() {
  std::string table = "cards";
  const bool was_free = std::exchange(may_be_many_, false);
  const std::string names = walk(table);
  may_be_many_ = was_free;
  const auto fields = tables_.find(table)->all_fields();
  return names + one_of(random_, fields).name;
}

std::string Generator::order() {
  static const std::vector<std::string> signs = {" = ", " != ", " < ", " <= ", " > ", " >= "};
  return one_of(random_, signs);
}

std::string Generator::condition(int depth) {
  const bool outer = may_be_many_;
  std::string text;
  if (depth <= 0 || chance(45)) {
    text = comparison(depth);
  } else if (chance(25)) {
    text = "not (" + condition(depth - 1) + ")";
  } else {
    const char* const word = chance(50) ? " and " : " or ";
    text = "(" + condition(depth - 1) + ")" + word + "(" + condition(depth - 1) + ")";
    if (chance(30)) text += word + ("(" + condition(depth - 1) + ")");
  }
  may_be_many_ = outer;
  return text;
}

std::string Generator::comparison(int depth) {
  may_be_many_ = chance(60);
  switch (below(random_, 9)) {
    case 0:
    case 1:
      return compare_texts(depth);
    case 2:
      return compare_numbers(depth);
    case 3:
      return compare_moments(depth);
    case 4:
      return compare_ids();
    case 5:
      return compare_choices();
    case 6:
      return compare_null();
    case 7:
      return boolean(depth);
    default:
      return "(" + boolean(depth) + ")" + equality() + "(" + boolean(depth) + ")";
  }
}

std::string Generator::compare_texts(int depth) {
  const std::string left = text(depth);
  const std::string negation = chance(30) ? " not" : "";
  switch (below(random_, 3)) {
    case 0: {
      static const std::vector<std::string> patterns = {"a%", "%A%", "_",   "%\\%%", "",     "%",
                                                        "ä%", "__",  "%e%", "IT'S",  "\\x_y"};
      return "(" + left + ")" + negation + " like " + quoted(one_of(random_, patterns));
    }
    case 1: {
      std::string list = quoted(one_of(random_, texts));
      while (chance(60))
        list += ", " + text(depth - 2);
      // One literal more, so that a choice is no list of choices only.
      return "(" + left + " + '')" + negation + " in (" + list + ")";
    }
    default:
      return "(" + left + ") + ''" + order() + "(" + text(depth) + ")";
  }
}

std::string Generator::compare_numbers(int depth) {
  const auto side = [&] { return chance(50) ? integer(depth) : number(depth); };
  const std::string left = side();
  if (chance(25)) {
    std::string list = side();
    while (chance(60))
      list += ", " + side();
    return "(" + left + ")" + (chance(30) ? " not" : "") + " in (" + list + ")";
  }
  return "(" + left + ")" + order() + "(" + side() + ")";
}

std::string Generator::compare_moments(int depth) {
  if (chance(50)) {
    const std::string left = date(depth);
    return "(" + left + ")" + order() + (chance(50) ? quoted(one_of(random_, dates)) : date(depth));
  }
  const std::string left = datetime(depth);
  return "(" + left + ")" + order() +
         (chance(30)   ? quoted(one_of(random_, dates))
          : chance(40) ? quoted(one_of(random_, datetimes))
                       : datetime(depth));
}

std::string Generator::compare_ids() {
  static const std::vector<std::string> targets = {"cards",      "boards",      "labels",
                                                   "core:users", "core:groups", "crm:contacts"};
  const std::string target = one_of(random_, targets);
  const std::string left = path(Type::id, target);
  const std::string negation = chance(30) ? " not" : "";
  if (target == "core:groups" && chance(50)) return left + negation + " in @groups";
  if (target == "core:users") {
    if (chance(20)) return "@user" + negation + " in assignees.id";
    if (chance(50)) return (may_be_many_ ? path(Type::id, target) : left) + equality() + "@user";
  }
  switch (below(random_, 3)) {
    case 0: {
      std::string list = quoted(one_of(random_, ids_of(target)));
      while (chance(60))
        list +=
            ", " + (chance(50) ? quoted(one_of(random_, ids_of(target))) : path(Type::id, target));
      return left + negation + " in (" + list + ")";
    }
    case 1:
      return left + order() + path(Type::id, target);
    default:
      return left + equality() + quoted(one_of(random_, ids_of(target)));
  }
}

std::string Generator::compare_choices() {
  static const std::vector<std::string> fields = {"stage",        "parent.stage",  "tags",
                                                  "related.tags", "labels.shades", "related.stage"};
  const std::string& field = one_of(random_, fields);
  const std::string stage = quoted(one_of(random_, stages));
  const std::string negation = chance(30) ? " not" : "";
  if (chance(25)) return stage + negation + " in tags";
  if (chance(25)) return field + negation + " in (" + stage + ", 'done')";
  return field + order() + stage;
}

std::string Generator::compare_null() {
  return chance(20) ? "@user" + equality() + "null" : any_path() + equality() + "null";
}

std::string Generator::boolean(int depth) {
  switch (below(random_, depth > 0 ? 7 : 4)) {
    case 0:
      return chance(50) ? "can('yes')" : "can('no')";
    case 1:
      return chance(50) ? "true" : "false";
    case 2:
    case 3:
      return path(Type::boolean);
    case 4:
      return "coalesce(" + boolean(depth - 1) + ", " + boolean(depth - 1) + ")";
    case 5:
      return "if(" + condition(depth - 1) + ", " + boolean(depth - 1) + ", null)";
    default:
      // Bare, a path through many would belong to the comparison around.
      return "not (" + condition(depth - 1) + ")";
  }
}

std::string Generator::text(int depth) {
  switch (below(random_, depth > 0 ? 8 : 3)) {
    case 0:
      return quoted(one_of(random_, texts));
    case 1:
    case 2:
      return path(Type::text);
    case 3:
      return "lower(" + text(depth - 1) + ")";
    case 4:
      return "upper(" + text(depth - 1) + ")";
    case 5:
      return "trim(" + text(depth - 1) + ") + " + text(depth - 1);
    case 6:
      return "coalesce(" + text(depth - 1) + " + '', " + text(depth - 1) + " + '')";
    default:
      return "if(" + condition(depth - 1) + ", " + text(depth - 1) + " + '', null)";
  }
}

std::string Generator::number(int depth) {
  static const std::vector<std::string> signs = {" + ", " - ", " * ", " / "};
  const auto side = [&] { return chance(50) ? integer(depth - 1) : number(depth - 1); };
  switch (below(random_, depth > 0 ? 9 : 3)) {
    case 0:
      return written(one_of(random_, numbers));
    case 1:
    case 2:
      return path(Type::number);
    case 3:
      return "round(" + side() + ")";
    case 4:
      return "abs(" + side() + ")";
    case 5:
      return "-(" + side() + ")";
    case 6:
      return "coalesce(" + side() + ", " + number(depth - 1) + ")";
    default: {
      const std::string left = side();
      return "(" + left + ")" + one_of(random_, signs) + "(" + side() + ")";
    }
  }
}

std::string Generator::integer(int depth) {
  const auto side = [&] { return chance(50) ? integer(depth - 1) : number(depth - 1); };
  switch (below(random_, depth > 0 ? 8 : 3)) {
    case 0:
      return written(one_of(random_, integers));
    case 1:
    case 2:
      return path(Type::integer);
    case 3:
      return "length(" + text(depth - 1) + ")";
    case 4: {
      const std::string left = side();
      return "(" + left + ") % (" + side() + ")";
    }
    case 5:
      return "year(" + moment(depth - 1) + ")";
    case 6:
      return chance(50) ? "month(" + moment(depth - 1) + ")" : "day(" + moment(depth - 1) + ")";
    default:
      return "if(" + condition(depth - 1) + ", " + integer(depth - 1) + ", " + integer(depth - 1) +
             ")";
  }
}

std::string Generator::date(int depth) {
  switch (below(random_, depth > 0 ? 5 : 3)) {
    case 0:
      return "@today";
    case 1:
    case 2:
      return path(Type::date);
    case 3:
      return "date(" + moment(depth - 1) + ")";
    default:
      return "coalesce(" + date(depth - 1) + ", " + quoted(one_of(random_, dates)) + ")";
  }
}

std::string Generator::datetime(int depth) {
  switch (below(random_, depth > 0 ? 4 : 3)) {
    case 0:
      return below(random_, 2) == 0 ? "@now"
                                    : "days_ago(" + std::to_string(below(random_, 400)) + ")";
    case 1:
    case 2:
      return path(Type::datetime);
    default:
      return "if(" + condition(depth - 1) + ", " + datetime(depth - 1) + ", " +
             datetime(depth - 1) + ")";
  }
}

std::string Generator::value(int depth) {
  may_be_many_ = false;
  switch (below(random_, 8)) {
    case 0:
      return text(depth);
    case 1:
    case 2:
      return number(depth);
    case 3:
      return integer(depth);
    case 4:
      return date(depth);
    case 5:
      return datetime(depth);
    case 6:
      return boolean(depth);
    default:
      return "not (" + condition(depth) + ")";
  }
}

}  // namespace tenon::expression::test
