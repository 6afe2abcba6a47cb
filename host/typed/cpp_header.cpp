#include "typed/cpp_header.hpp"

#include <map>
#include <set>
#include <vector>

#include "data/schema/ddl.hpp"
#include "typed/cpp_names.hpp"

namespace tenon::typed {

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

  // In a record.
  std::string value_type() const {
    if (field.many) return "std::vector<" + type + ">";
    return field.required ? type : "std::optional<" + type + ">";
  }
  bool has_default() const { return field.default_value.index() != 0; }
  // In a new record: empty leaves the field to its default.
  std::string new_type() const {
    const std::string one = field.many ? "std::vector<" + type + ">" : type;
    if (field.many && !has_default()) return one;
    return field.required && !has_default() ? one : "std::optional<" + one + ">";
  }
  bool may_be_left_out() const { return !field.required || field.many || has_default(); }
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
        "// Made of tables.json by tenon-tables: what is written here is lost.\n"
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
      if (one.field.type != FieldType::choice) continue;
      NameScope names;
      out_ += "/// What `" + typed.table->name + "." + one.field.name + "` may be.\n";
      out_ += "enum class " + one.type + " : std::uint8_t {\n";
      std::string texts;
      for (const std::string& choice : one.field.choices) {
        out_ += "  " + names.take(choice_identifier(choice)) + ",\n";
        texts += "    " + string_literal(choice) + ",\n";
      }
      out_ += "};\nconstexpr auto choices_of(" + one.type + ") noexcept {\n";
      out_ += "  return std::array<std::string_view, " + std::to_string(one.field.choices.size()) +
              ">{\n" + texts + "  };\n}\n\n";
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

  // What would have no value of its own without one.
  static std::string initial(const TypedField& one) {
    if (one.field.many || !one.field.required) return "";
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
        out_ += "  tenon::Change<" + one.value_type() + "> " + one.member + " = {};\n";
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
    const std::string name = string_literal(one.field.name);
    const std::string required = one.field.required ? ", true" : "";
    out_ += doc_comment(one.field.description, "  ") + "  static constexpr tenon::";
    if (one.field.is_link()) {
      const std::string link = data::schema::link_table(typed.table->name, one.field.name);
      out_ += "LinkColumn<" + typed.name + ", " + one.type + "> " + one.member + "{" + name + ", " +
              string_literal(link) + required + "};\n";
    } else if (one.field.many) {
      out_ += "ListColumn<" + typed.name + ", " + one.type + "> " + one.member + "{" + name +
              required + "};\n";
    } else {
      out_ += "Column<" + typed.name + ", " + one.value_type() + "> " + one.member + "{" + name +
              "};\n";
    }
  }

  // What the SDK's Table needs of it.
  void write_info(const TypedTable& typed) {
    const Table& table = *typed.table;
    const auto flag = [&](std::string_view name, bool is_on) {
      out_.append("    static constexpr bool ").append(name);
      out_.append(is_on ? " = true;\n" : " = false;\n");
    };
    bool has_links = false;
    for (const TypedField& one : typed.fields)
      has_links = has_links || one.field.is_link();
    out_ += "\n  /// For tenon::Table.\n  struct Info {\n";
    out_ += "    static constexpr std::string_view table = " + string_literal(table.name) + ";\n";
    out_ += "    static constexpr std::string_view select =\n" + select_list(typed) + ";\n";
    flag("has_timestamps", table.timestamps);
    flag("has_authorship", table.authorship);
    flag("has_version", table.version);
    flag("has_links", has_links);
    out_ += "\n    template <class R, class F>\n";
    out_ += "    static void visit_record(R& record, const F& visit) {\n      visit(record.id);\n";
    for (const TypedField& one : typed.fields)
      out_ += "      visit(record." + one.member + ");\n";
    std::string fields;
    std::string references;
    for (const TypedField& one : typed.fields) {
      const std::string member = ", record." + one.member + ");\n";
      if (!one.is_option) fields += "      visit(" + typed.name + "::" + one.member + member;
      if (one.field.refers_to_own())
        references += "      visit(" + string_literal(one.field.name) + ", " +
                      string_literal(one.field.table) + member;
    }
    out_ += "    }\n";
    write_visit("visit_fields", fields);
    write_visit("visit_references", references);
    out_ += "  };\n";
  }

  void write_visit(std::string_view name, const std::string& visits) {
    out_.append("    template <class R, class F>\n    static void ").append(name);
    out_ += visits.empty() ? "(const R&, const F&) {\n" : "(const R& record, const F& visit) {\n";
    out_.append(visits).append("    }\n");
  }

  // In the order of visit_record.
  static std::string select_list(const TypedTable& typed) {
    std::string list = "        \"\\\"id\\\"\"";
    for (const TypedField& one : typed.fields)
      list += "\n        " + string_literal(", " + selected(typed, one));
    return list;
  }

  static std::string selected(const TypedTable& typed, const TypedField& one) {
    using data::schema::quoted;
    if (!one.field.is_link()) return quoted(one.field.name);
    return "(SELECT json_group_array(\"target\") FROM (SELECT \"target\" FROM " +
           quoted(data::schema::link_table(typed.table->name, one.field.name)) +
           " WHERE \"record\" = " + quoted(typed.table->name) + ".\"id\" ORDER BY \"position\"))";
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

}  // namespace tenon::typed
