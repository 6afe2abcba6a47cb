#include "codegen/cpp_header.hpp"

#include <map>
#include <set>
#include <vector>

#include "base/json_writer.hpp"
#include "codegen/cpp_names.hpp"

namespace tenon::codegen {

namespace {

using data::schema::Field;
using data::schema::FieldType;
using data::schema::Table;
using data::schema::Tables;
using data::schema::Target;

// A field and what it is called.
struct TypedField {
  Field field;
  std::string member;
  std::string type;  // of one value
  bool is_option = false;

  // The type of the value in writes.
  std::string written_type() const { return type_where(field.required); }
  // In a record: what its reader may not see is empty for them.
  std::string value_type() const {
    return type_where(field.required && !field.hidden && field.rules.read.empty());
  }
  std::string type_where(bool is_there) const {
    if (field.many) return "std::vector<" + type + ">";
    return is_there ? type : "std::optional<" + type + ">";
  }
  bool has_default() const { return field.default_value.index() != 0; }
  // In a new record: empty leaves the field to its default.
  std::string new_type() const {
    const std::string one = field.many ? "std::vector<" + type + ">" : type;
    if (field.many && !has_default()) return one;
    return field.required && !has_default() && !field.is_filled_in() ? one
                                                                     : "std::optional<" + one + ">";
  }
  bool may_be_left_out() const {
    return !field.required || field.many || has_default() || field.is_filled_in();
  }
};

struct TypedTable {
  const Table* table = nullptr;
  std::string name;    // of the struct with the columns
  std::string record;  // of one record
  std::vector<TypedField> fields;
};

class Header {
 public:
  Header(const Tables& tables, std::string_view plugin)
      : tables_(tables), space_(identifier(plugin)) {
    name_all();
  }

  std::string write() {
    out_ =
        "// Made of tables.json by tenon-types: what is written here is lost.\n"
        "#pragma once\n\n"
        "#include <array>\n#include <cstddef>\n#include <cstdint>\n#include <optional>\n#include "
        "<string>\n#include <string_view>\n#include <vector>\n\n#include <tenon/tables.hpp>\n\n";
    out_ += "namespace " + space_ + "::tables {\n\n";
    declare();
    for (const TypedTable& table : typed_) {
      write_choices(table);
      write_record(table);
      write_new(table);
      write_patch(table);
    }
    for (const TypedTable& table : typed_)
      write_columns(table);
    out_ += "}  // namespace " + space_ + "::tables\n";
    return std::move(out_);
  }

 private:
  void name_all() {
    for (const Table& table : tables_.tables)
      typed_.push_back({&table, scope_.take(upper_camel(table.name)), {}, {}});
    for (TypedTable& typed : typed_) {
      const std::string one = upper_camel(singular(typed.table->name));
      typed.record = scope_.take(scope_.has(one) ? one + "Record" : one);
      new_names_[typed.table] = scope_.take("New" + typed.record);
      patch_names_[typed.table] = scope_.take(typed.record + "Patch");
    }
    for (TypedTable& typed : typed_)
      name_fields(typed);
  }

  void name_fields(TypedTable& typed) {
    NameScope members;
    members.take("id");
    std::size_t at = 0;
    for (Field& field : typed.table->all_fields()) {
      const bool is_option = at++ >= typed.table->fields.size();
      if (field.type == FieldType::computed) continue;
      TypedField one{std::move(field), {}, {}, is_option};
      one.member = members.take(identifier(one.field.name));
      one.type = type_of(typed, one.field);
      typed.fields.push_back(std::move(one));
    }
  }

  std::string type_of(const TypedTable& typed, const Field& field) {
    switch (field.type) {
      case FieldType::text:
        return "std::string";
      case FieldType::integer:
        return "std::int64_t";
      case FieldType::number:
        return "double";
      case FieldType::boolean:
        return "bool";
      case FieldType::date:
        return "tenon::Date";
      case FieldType::datetime:
        return "tenon::Time";
      case FieldType::json:
        return "tenon::JsonText";
      case FieldType::choice:
        return scope_.take(typed.name + upper_camel(field.name));
      case FieldType::blob:
        return "tenon::File";
      default:
        return id_type(field.target());
    }
  }

  std::string id_type(const Target& target) {
    if (target.is_own()) {
      for (const TypedTable& typed : typed_) {
        if (typed.table->name == target.table) return "tenon::Id<" + typed.name + ">";
      }
    }
    if (target.plugin == "core")
      return target.table == "users" ? "tenon::UserId" : "tenon::GroupId";
    const std::string space = identifier(target.plugin);
    const std::string name = upper_camel(target.table);
    foreign_[space].insert(name);
    return "tenon::Id<" + space + "::" + name + ">";
  }

  void declare() {
    for (const auto& [space, names] : foreign_) {
      out_ += "/// Tables of another plugin, as what an id is of.\nnamespace " + space + " {\n";
      for (const std::string& name : names)
        out_ += "struct " + name + ";\n";
      out_ += "}  // namespace " + space + "\n\n";
    }
    for (const TypedTable& typed : typed_)
      out_ += "struct " + typed.name + ";\n";
    if (!typed_.empty()) out_ += "\n";
  }

  void write_choices(const TypedTable& typed) {
    for (const TypedField& one : typed.fields) {
      if (one.field.type == FieldType::choice)
        out_ += choice_enum(one.type, typed.table->name + "." + one.field.name, one.field.choices);
    }
  }

  void write_record(const TypedTable& typed) {
    out_ += doc_comment("A record of `" + typed.table->name + "`. " + typed.table->description, "");
    out_ += "struct " + typed.record + " {\n  tenon::Id<" + typed.name + "> id;\n";
    for (const TypedField& one : typed.fields) {
      out_ += doc_comment(one.field.description, "  ");
      out_ += "  " + one.value_type() + " " + one.member + initial(one) + ";\n";
    }
    out_ += "};\n\n";
  }

  // Returns the initializer of a member that would otherwise be uninitialized.
  static std::string initial(const TypedField& one) {
    if (one.value_type() != one.type) return "";
    const bool is_plain = one.field.type == FieldType::integer ||
                          one.field.type == FieldType::number ||
                          one.field.type == FieldType::boolean ||
                          one.field.type == FieldType::date || one.field.type == FieldType::choice;
    return is_plain ? "{}" : "";
  }

  void write_new(const TypedTable& typed) {
    out_ += "/// A record to be made. What may be left out gets its default, or is empty.\n";
    out_ += "struct " + new_names_[typed.table] + " {\n";
    out_ += "  std::optional<tenon::Id<" + typed.name + ">> id = {};\n";
    for (const TypedField& one : typed.fields) {
      if (one.is_option) continue;
      out_ +=
          "  " + one.new_type() + " " + one.member + (one.may_be_left_out() ? " = {}" : "") + ";\n";
    }
    out_ += "};\n\n";
  }

  void write_patch(const TypedTable& typed) {
    out_ += "/// A change: what is not set stays.\n";
    out_ += "struct " + patch_names_[typed.table] + " {\n";
    for (const TypedField& one : typed.fields) {
      if (!one.is_option)
        out_ += "  tenon::Change<" + one.written_type() + "> " + one.member + " = {};\n";
    }
    out_ += "};\n\n";
  }

  void write_columns(const TypedTable& typed) {
    out_ += doc_comment(
        "The table `" + typed.table->name + "`: its columns. " + typed.table->description, "");
    out_ += "struct " + typed.name + " {\n";
    out_ += "  using Record = " + typed.record + ";\n";
    out_ += "  using New = " + new_names_[typed.table] + ";\n";
    out_ += "  using Patch = " + patch_names_[typed.table] + ";\n\n";
    out_ += "  static constexpr tenon::Column<" + typed.name + ", tenon::Id<" + typed.name +
            ">> id{\"id\"};\n";
    for (const TypedField& one : typed.fields)
      write_column(typed, one);
    write_info(typed);
    out_ += "};\n\n";
  }

  void write_column(const TypedTable& typed, const TypedField& one) {
    const std::string kind = one.field.many ? "ManyColumn<" : "Column<";
    const std::string value = one.field.many ? one.type : one.value_type();
    out_ += doc_comment(one.field.description, "  ") + "  static constexpr tenon::" + kind +
            typed.name + ", " + value + "> " + one.member + "{" + string_literal(one.field.name) +
            "};\n";
  }

  // Writes the members that the SDK's Table needs.
  void write_info(const TypedTable& typed) {
    const Table& table = *typed.table;
    out_ += "\n  /// For tenon::Table.\n  struct Info {\n";
    out_ += "    static constexpr std::string_view table = " + string_literal(table.name) + ";\n";
    out_ +=
        "    static constexpr std::string_view defaults = " + string_literal(defaults_of(typed)) +
        ";\n";
    out_.append("    static constexpr bool has_version = ")
        .append(table.version ? "true;\n" : "false;\n");
    std::string fields;
    std::string options;
    for (const TypedField& one : typed.fields) {
      std::string& visits = one.is_option ? options : fields;
      visits += "      visit(" + string_literal(one.field.name) + ", record." + one.member + ");\n";
    }
    write_visit("visit_fields", fields);
    write_visit("visit_record",
                "      visit(\"id\", record.id);\n      visit_fields(record, visit);\n" + options);
    out_ += "  };\n";
  }

  void write_visit(std::string_view name, const std::string& visits) {
    out_.append("\n    template <class R, class F>\n    static void ").append(name);
    out_ += visits.empty() ? "(R&, const F&) {\n" : "(R& record, const F& visit) {\n";
    out_.append(visits).append("    }\n");
  }

  // Returns the default values of a new record as JSON, without the time of its creation.
  static std::string defaults_of(const TypedTable& typed) {
    std::string text;
    base::JsonWriter json(text);
    json.begin_object();
    for (const TypedField& one : typed.fields) {
      const Field& field = one.field;
      const auto* said = std::get_if<std::string>(&field.default_value);
      if (one.is_option || !one.has_default() || (said && *said == data::schema::now_default))
        continue;
      json.key(field.name);
      if (said && (field.many || field.type == FieldType::json))
        json.raw(*said);
      else if (said)
        json.value(*said);
      else if (const auto* number = std::get_if<double>(&field.default_value))
        json.value(*number);
      else if (field.type == FieldType::boolean)
        json.value(std::get<std::int64_t>(field.default_value) != 0);
      else
        json.value(std::get<std::int64_t>(field.default_value));
    }
    json.end_object();
    return text;
  }

  const Tables& tables_;
  std::string space_;
  NameScope scope_;
  std::vector<TypedTable> typed_;
  std::map<const Table*, std::string> new_names_;
  std::map<const Table*, std::string> patch_names_;
  std::map<std::string, std::set<std::string>> foreign_;
  std::string out_;
};

}  // namespace

std::string cpp_header(const Tables& tables, std::string_view plugin) {
  return Header(tables, plugin).write();
}

}  // namespace tenon::codegen
