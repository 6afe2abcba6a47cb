#include "expression/resolve.hpp"

#include <algorithm>

#include "config/nearest.hpp"

namespace tenon::expression {

namespace {

using data::schema::Field;
using data::schema::FieldType;
using data::schema::Table;
using data::schema::Tables;

Type type_of(FieldType type) noexcept {
  switch (type) {
    case FieldType::text:
    case FieldType::choice:
      return Type::text;
    case FieldType::integer:
      return Type::integer;
    case FieldType::number:
      return Type::number;
    case FieldType::boolean:
      return Type::boolean;
    case FieldType::date:
      return Type::date;
    case FieldType::datetime:
      return Type::datetime;
    case FieldType::reference:
    case FieldType::user:
      return Type::id;
    default:
      return Type::other;
  }
}

bool is_reference(const Field& field) noexcept {
  return field.type == FieldType::reference || field.type == FieldType::user;
}

std::string target_of(const Field& field) {
  const auto target = field.target();
  if (target.is_own()) return std::string(target.table);
  return std::string(target.plugin).append(":").append(target.table);
}

Field id_field() {
  Field field;
  field.name = "id";
  field.type = FieldType::reference;
  field.required = true;
  return field;
}

class Walk {
 public:
  Walk(const Ast& ast, const Tables& tables, const Table& table, Purpose purpose,
       std::vector<NamedField>& named)
      : ast_(ast), tables_(tables), table_(&table), purpose_(purpose), named_(named) {}

  Resolved run(const Node& node) {
    for (std::size_t i = 0; i < node.path.size(); ++i) {
      const bool is_last = i + 1 == node.path.size();
      const Step& step = node.path[i];
      // The id after a reference is the value of the reference.
      if (is_last && i > 0 && step.name == "id") break;
      if (i > 0) hop(node.path[i - 1], step);
      find(step);
    }
    finish(node);
    return std::move(out_);
  }

 private:
  // Goes through the field found last, to a record.
  void hop(const Step& from, const Step& to) {
    if (!is_reference(out_.last))
      refuse(ast_.text, to.at, "'" + from.name + "' is no reference and has no '" + to.name + "'");
    if (out_.last.name == "id")
      refuse(ast_.text, to.at, "'id' is the record itself and has no fields");
    const auto target = out_.last.target();
    const Table* next = target.is_own() ? tables_.find(target.table) : nullptr;
    if (!next)
      refuse(ast_.text, to.at,
             "'" + from.name + "' refers to " + target_of(out_.last) +
                 ", another database, of which only the id can be named");
    out_.path.hops.push_back({table_->name, from.name, next->name, out_.last.many});
    out_.is_many = out_.is_many || out_.last.many;
    table_ = next;
  }

  void find(const Step& step) {
    const auto fields = table_->all_fields();
    const auto found = std::find_if(fields.begin(), fields.end(), [&](const Field& field) {
      return field.name == step.name && is_visible(field);
    });
    if (found == fields.end() && step.name != "id") unknown(step, fields);
    out_.last = found == fields.end() ? id_field() : *found;
    if (out_.last.type == FieldType::computed)
      refuse(ast_.text, step.at,
             "'" + step.name +
                 "' is computed and cannot be named in an expression; write what it is computed "
                 "from");
    NamedField named{table_->name, step.name};
    if (std::find(named_.begin(), named_.end(), named) == named_.end())
      named_.push_back(std::move(named));
  }

  bool is_visible(const Field& field) const noexcept {
    return !field.hidden || purpose_ != Purpose::filter;
  }

  [[noreturn]] void unknown(const Step& step, const std::vector<Field>& fields) const {
    std::vector<std::string> names = {"id"};
    for (const Field& field : fields) {
      if (is_visible(field)) names.push_back(field.name);
    }
    std::string message = "the table '" + table_->name + "' has no field '" + step.name + "'";
    const std::string near = config::nearest(step.name, names);
    if (!near.empty()) message += "; did you mean '" + near + "'?";
    refuse(ast_.text, step.at, message);
  }

  void finish(const Node& node) {
    const Field& last = out_.last;
    out_.path.table = table_->name;
    out_.path.field = last.name;
    out_.path.type = type_of(last.type);
    out_.is_many_before_last = out_.is_many;
    out_.ends_on_many = last.many;
    out_.is_nullable = !last.required || !out_.path.hops.empty();
    out_.choices = last.choices;
    if (is_reference(last)) out_.target = last.name == "id" ? table_->name : target_of(last);
    if (last.name != "id" && node.path.back().name == "id" && !is_reference(last))
      refuse(ast_.text, node.path.back().at, "'" + last.name + "' is no reference and has no 'id'");
    if (last.is_link()) {
      const auto target = last.target();
      out_.path.hops.push_back(
          {table_->name, last.name, target.is_own() ? std::string(target.table) : "", true});
      out_.path.ends_on_link = true;
      out_.is_nullable = false;
    } else if (last.many) {
      out_.path.is_members = true;
      out_.is_nullable = false;
    }
    out_.is_many = out_.is_many || last.many;
  }

  const Ast& ast_;
  const Tables& tables_;
  const Table* table_;
  Purpose purpose_;
  std::vector<NamedField>& named_;
  Resolved out_;
};

}  // namespace

Resolved resolve(const Ast& ast, const Node& node, const Tables& tables, const Table& table,
                 Purpose purpose, std::vector<NamedField>& named) {
  return Walk(ast, tables, table, purpose, named).run(node);
}

}  // namespace tenon::expression
