#include "records/model/same_parent.hpp"

#include <algorithm>
#include <string>

#include "base/error.hpp"
#include "records/query/dialect.hpp"
#include "schema/ddl.hpp"

namespace tenon::records {

namespace {

using data::schema::Field;
using data::schema::quoted;

bool sets(const Body& body, const std::string& field) {
  return std::any_of(body.changes.begin(), body.changes.end(),
                     [&](const Change& change) { return change.field->field.name == field; });
}

// Reads a row where the reference leads from a record to one with another parent. `side` is the
// alias of the record that is asked about: "f" of the one that refers, "r" of the other.
std::string split_query(const TableModel& from, const Field& reference, std::string_view side) {
  const std::string parent = quoted(reference.same);
  std::string sql = "SELECT 1 FROM " + quoted(from.table.name) + " AS f JOIN ";
  if (reference.is_link()) {
    sql += quoted(data::schema::link_table(from.table.name, reference.name));
    sql += R"( AS l ON l."record" = f."id" JOIN )" + quoted(reference.table);
    sql += R"( AS r ON r."id" = l."target")";
  } else {
    sql += quoted(reference.table) + R"( AS r ON r."id" = f.)" + quoted(reference.name);
  }
  sql.append(" WHERE ").append(side).append(R"(."id" = ?1 AND NOT (r.)").append(parent);
  sql.append(dialect::is_same(from.engine)).append("f.").append(parent).append(") LIMIT 1");
  return sql;
}

}  // namespace

std::vector<base::FieldError> parent_errors(const Model& model, const TableModel& table,
                                            const Body& body, std::string_view id,
                                            data::Transaction& transaction) {
  std::vector<base::FieldError> errors;
  const auto is_split = [&](const TableModel& from, const Field& reference, const char* side) {
    return transaction.query(split_query(from, reference, side), data::Cells{id}).next();
  };
  for (const FieldModel& field : table.fields) {
    const Field& reference = field.field;
    if (reference.same.empty()) continue;
    if (!sets(body, reference.name) && !sets(body, reference.same)) continue;
    if (!is_split(table, reference, "f")) continue;
    errors.push_back({reference.name, "same",
                      "What this refers to must have the same '" + reference.same +
                          "' as the record itself. Choose another one, or empty the field."});
  }
  for (const FieldIndex& index : table.same_references) {
    const TableModel& other = model.tables()[index.table];
    const Field& reference = other.fields[index.field].field;
    if (!sets(body, reference.same) || !is_split(other, reference, "r")) continue;
    errors.push_back({reference.same, "same",
                      "Records of '" + other.table.name + "' refer to this one by '" +
                          reference.name + "' and must have the same '" + reference.same +
                          "'. Change those first."});
  }
  return errors;
}

}  // namespace tenon::records
