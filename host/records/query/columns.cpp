#include "records/query/columns.hpp"

#include <algorithm>

#include "records/model/access.hpp"
#include "records/query/query_text.hpp"
#include "schema/ddl.hpp"

namespace tenon::records {

std::vector<const FieldModel*> shown_fields(const TableModel& table) {
  std::vector<const FieldModel*> fields;
  fields.reserve(table.fields.size());
  for (const FieldModel& field : table.fields) {
    if (!field.field.hidden) fields.push_back(&field);
  }
  return fields;
}

std::vector<const FieldModel*> chosen_fields(const TableModel& table, const std::string& text) {
  std::vector<const FieldModel*> fields;
  std::string_view rest = text;
  while (true) {
    const std::string_view name = rest.substr(0, rest.find(','));
    const FieldModel* field = table.find(name);
    if (name != "id") {
      if (!field || field->field.hidden)
        refuse_query("fields", "there is no field '" + std::string(name) + "'");
      if (std::find(fields.begin(), fields.end(), field) != fields.end())
        refuse_query("fields", "'" + std::string(name) + "' appears twice");
      fields.push_back(field);
    }
    if (name.size() == rest.size()) return fields;
    rest.remove_prefix(name.size() + 1);
  }
}

void append_columns(std::string& sql, const std::vector<const FieldModel*>& fields,
                    const expression::Context& context) {
  sql += "\"t\".\"id\" AS \"id\"";
  for (const FieldModel* field : fields) {
    sql += ", ";
    if (is_seen_always(*field, context)) {
      sql += field->value;
    } else {
      sql.append("CASE WHEN ").append(field->read->sql.text);
      sql.append(" THEN ").append(field->value).append(" END");
    }
    sql.append(" AS \"").append(field->member).append("\"");
  }
}

void append_from(std::string& sql, const TableModel& table) {
  sql.append(" FROM ").append(data::schema::quoted(table.table.name)).append(" AS \"t\"");
}

}  // namespace tenon::records
