#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "base/json.hpp"
#include "schema/findings.hpp"
#include "schema/parse_field.hpp"
#include "schema/tables.hpp"

namespace tenon::data::schema {

namespace {

using namespace std::string_view_literals;

class TableParser {
 public:
  explicit TableParser(const Node& node) : node_(node) {}

  Table parse() {
    static constexpr std::array known = {
        "name"sv,    "formerly"sv,  "description"sv, "timestamps"sv, "authorship"sv, "version"sv,
        "publish"sv, "anonymous"sv, "rules"sv,       "fields"sv,     "indexes"sv};
    node_.refuse_unknown(known);
    table_.name = read_name(node_);
    for (const auto prefix : {"sqlite_"sv, "tenon_"sv}) {
      if (table_.name.starts_with(prefix))
        node_.wrong("name", "names that start with " + list_of({&prefix, 1}) + " are not yours");
    }
    table_.formerly = read_former_names(node_, table_.name);
    table_.description = node_.text("description", max_description_length);
    table_.timestamps = node_.flag("timestamps");
    table_.authorship = node_.flag("authorship");
    table_.version = node_.flag("version");
    table_.publish = node_.flag("publish");
    table_.anonymous = node_.flag("anonymous");
    if (table_.anonymous && !table_.publish)
      node_.wrong("anonymous", "this is for tables with 'publish' only");
    read_rules();
    if (!node_.has("fields")) node_.wrong("fields", "a table has fields");
    const auto fields = node_.objects("fields", max_fields);
    for (const Node& field : fields)
      read_field(field);
    check_former_names(fields);
    for (const Node& index : node_.objects("indexes", max_indexes))
      read_index(index);
    return table_;
  }

 private:
  void read_rules() {
    const auto rules = node_.object("rules");
    if (!rules) return;
    static constexpr std::array known = {"read"sv, "create"sv, "update"sv, "delete"sv};
    rules->refuse_unknown(known);
    table_.rules.read = read_expression(*rules, "read");
    table_.rules.create = read_expression(*rules, "create");
    table_.rules.update = read_expression(*rules, "update");
    table_.rules.delete_ = read_expression(*rules, "delete");
  }

  void read_field(const Node& node) {
    Field field = parse_field(node);
    const auto taken = [&](std::string_view by) {
      node.wrong("name",
                 "'" + field.name + "' is a field that every record has by " + std::string(by));
    };
    if (field.name == "id" || field.name == "rowid") taken("itself");
    const auto option = [&](bool is_on, const char* key,
                            std::initializer_list<std::string_view> names) {
      if (is_on && std::find(names.begin(), names.end(), field.name) != names.end())
        taken(std::string("the option ") + key);
    };
    option(table_.timestamps, "timestamps", {"created", "updated"});
    option(table_.authorship, "authorship", {"created_by", "updated_by"});
    option(table_.version, "version", {"version"});
    if (!field.name.empty() && table_.find(field.name))
      node.wrong("name", "the field '" + field.name + "' occurs here twice");
    table_.fields.push_back(std::move(field));
  }

  // A name is of one field only, now and in the past: what a file has under it would otherwise be
  // of two.
  void check_former_names(const std::vector<Node>& nodes) {
    const auto all = table_.all_fields();
    std::set<std::string_view> seen = {"id", "rowid"};
    for (const Field& field : all)
      seen.insert(field.name);
    for (std::size_t f = 0; f < nodes.size(); ++f) {
      const auto& names = table_.fields[f].formerly;
      for (std::size_t i = 0; i < names.size(); ++i) {
        if (names[i] != table_.fields[f].name && !seen.insert(names[i]).second)
          nodes[f].wrong("formerly/" + std::to_string(i),
                         "'" + names[i] + "' is, or was, another field of this table");
      }
    }
  }

  void read_index(const Node& node) {
    static constexpr std::array known = {"fields"sv, "unique"sv};
    node.refuse_unknown(known);
    Index index;
    index.fields = node.texts("fields", max_index_fields, max_name_length);
    index.unique = node.flag("unique");
    if (!node.has("fields") || index.fields.empty())
      node.wrong("fields", "at least one field is required");
    const auto all = table_.all_fields();
    for (std::size_t i = 0; i < index.fields.size(); ++i) {
      const std::string& name = index.fields[i];
      const std::string location = "fields/" + std::to_string(i);
      const auto found = std::find_if(all.begin(), all.end(),
                                      [&](const Field& field) { return field.name == name; });
      if (found == all.end() && name != "id") {
        node.wrong(location, "the table has no field '" + name + "'");
      } else if (found != all.end() &&
                 (found->many || !found->has_column() || found->type == FieldType::json ||
                  found->type == FieldType::blob)) {
        node.wrong(location, found->many
                                 ? "a field with many values cannot be indexed"
                                 : "a field of the type '" + std::string(name_of(found->type)) +
                                       "' cannot be indexed");
      }
    }
    const bool is_double =
        std::any_of(table_.indexes.begin(), table_.indexes.end(),
                    [&](const Index& other) { return other.fields == index.fields; });
    if (is_double) node.wrong("fields", "an index of these fields occurs here twice");
    table_.indexes.push_back(std::move(index));
  }

  const Node& node_;
  Table table_;
};

void check_former_tables(const Tables& tables, const std::vector<Node>& nodes) {
  std::set<std::string_view> seen;
  for (const Table& table : tables.tables)
    seen.insert(table.name);
  for (std::size_t t = 0; t < nodes.size(); ++t) {
    const auto& names = tables.tables[t].formerly;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (names[i] != tables.tables[t].name && !seen.insert(names[i]).second)
        nodes[t].wrong("formerly/" + std::to_string(i),
                       "'" + names[i] + "' is, or was, another table");
    }
  }
}

// Whether a value of the field can be compared with that of another one by SQL's equality.
bool is_comparable(const Field& field) noexcept {
  return field.has_column() && !field.many && field.type != FieldType::json &&
         field.type != FieldType::blob;
}

// Returns the error of a field that a reference requires to be equal in both records; empty: none.
std::string same_problem(const Table& from, const Field& reference, const Table& to) {
  const Field* own = from.find(reference.same);
  const Field* other = to.find(reference.same);
  if (own == &reference) return "this is the reference itself";
  for (const auto& [table, field] : {std::pair{&from, own}, std::pair{&to, other}}) {
    if (!field) return "the table '" + table->name + "' has no field '" + reference.same + "'";
    if (!is_comparable(*field))
      return "the field '" + reference.same + "' of '" + table->name +
             "' has no single value to compare";
  }
  if (own->type != other->type || own->table != other->table)
    return "the fields '" + reference.same + "' of '" + from.name + "' and '" + to.name +
           "' are not of the same type";
  return {};
}

// References to tables of the same plugin.
void check_references(const Tables& tables, const std::vector<Node>& nodes) {
  for (std::size_t t = 0; t < tables.tables.size(); ++t) {
    const auto& fields = tables.tables[t].fields;
    for (std::size_t f = 0; f < fields.size(); ++f) {
      if (!fields[f].refers_to_own() || fields[f].table.empty()) continue;
      const std::string location = "fields/" + std::to_string(f);
      const Table* target = tables.find(fields[f].table);
      if (!target) {
        nodes[t].wrong(location + "/table", "there is no table '" + fields[f].table + "'");
      } else if (!fields[f].same.empty()) {
        const std::string problem = same_problem(tables.tables[t], fields[f], *target);
        if (!problem.empty()) nodes[t].wrong(location + "/same", problem);
      }
    }
  }
}

}  // namespace

Tables parse_tables(std::string_view text, std::string_view file) {
  Poco::JSON::Object::Ptr object;
  try {
    object = base::parse_json_object(text);
  } catch (const base::Error& error) {
    throw base::Error(422, "data.tables_invalid", std::string(file) + ": " + error.message());
  }
  Findings findings(file);
  const Node root(findings, "", object);
  static constexpr std::array known = {"$schema"sv, "tables"sv};
  root.refuse_unknown(known);
  if (!root.has("tables")) root.wrong("tables", "an array of tables is required");
  Tables tables;
  const auto nodes = root.objects("tables", max_tables);
  for (const Node& node : nodes) {
    Table table = TableParser(node).parse();
    if (!table.name.empty() && tables.find(table.name))
      node.wrong("name", "the table '" + table.name + "' occurs here twice");
    tables.tables.push_back(std::move(table));
  }
  check_former_tables(tables, nodes);
  check_references(tables, nodes);
  findings.throw_if_any();
  return tables;
}

}  // namespace tenon::data::schema
