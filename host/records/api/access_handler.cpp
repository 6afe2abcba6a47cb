#include "records/api/access_handler.hpp"

#include <optional>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/json_writer.hpp"
#include "data/database.hpp"
#include "expression/evaluate.hpp"
#include "expression/parse.hpp"
#include "expression/sql.hpp"
#include "http/response/response.hpp"
#include "identity/users/users.hpp"
#include "records/api/record_text.hpp"
#include "records/model/access.hpp"
#include "records/query/columns.hpp"
#include "records/query/query_text.hpp"

namespace tenon::records {

namespace {

// A condition: a whole rule, or one of the conditions that its `and` or `or` joins.
struct Part {
  std::string text;
  expression::Checked checked;
  std::optional<bool> holds = std::nullopt;  // nullopt: it depends on the record
};

// A rule with its parts. The whole is the first part.
struct ExplainedRule {
  std::string_view joined;  // "and", "or"; empty for a single condition
  std::vector<Part> parts;
};

ExplainedRule explain(const TableContext& table_context, const std::string& text) {
  const data::schema::Table& table = table_context.table.table;
  const auto check = [&](const std::string& part) {
    return Part{part, expression::check(expression::parse(part), table_context.model->declared(),
                                        table, expression::Purpose::rule)};
  };
  const expression::Ast ast = expression::parse(text);
  const bool is_and = ast.root.kind == expression::Kind::and_;
  ExplainedRule rule;
  rule.parts.push_back(check(text));
  if (!is_and && ast.root.kind != expression::Kind::or_) return rule;
  rule.joined = is_and ? "and" : "or";
  for (const expression::Node& child : ast.root.children)
    rule.parts.push_back(check(expression::print(child)));
  return rule;
}

void evaluate_without_record(ExplainedRule& rule, const expression::Context& context) {
  for (Part& part : rule.parts)
    part.holds = expression::is_constant(part.checked, context);
}

// Evaluates all parts in one statement. Throws 404 "records.not_found".
void evaluate_for(ExplainedRule& rule, const TableContext& table_context,
                  const expression::Context& context, std::string_view id) {
  std::vector<expression::Sql> conditions;  // the cells borrow from them
  conditions.reserve(rule.parts.size());
  std::vector<data::Cell> cells;
  std::string sql = "SELECT 1";
  for (const Part& part : rule.parts) {
    conditions.push_back(
        expression::to_sql_condition(part.checked, {.dialect = table_context.table.engine,
                                                    .alias = alias,
                                                    .first_parameter = cells.size() + 1}));
    expression::append_cells(conditions.back(), context, cells);
    sql.append(", CASE WHEN ").append(conditions.back().text).append(" THEN 1 ELSE 0 END");
  }
  append_from(sql, table_context.table);
  cells.emplace_back(id);
  sql.append(" WHERE \"t\".\"id\" = ?").append(std::to_string(cells.size()));
  data::Rows rows = table_context.database->query(sql, cells);
  if (!rows.next()) throw not_found();
  for (std::size_t i = 0; i < rule.parts.size(); ++i)
    rule.parts[i].holds = rows.boolean(static_cast<int>(i) + 1);
}

void write_result(base::JsonWriter& json, const char* name, std::optional<bool> holds) {
  json.key(name);
  if (holds)
    json.value(*holds);
  else
    json.null();
}

void write_rule(base::JsonWriter& json, const ExplainedRule& rule) {
  const Part& whole = rule.parts.front();
  write_result(json, "allowed", whole.holds);
  json.member("rule", whole.text).member("joined", rule.joined).key("parts").begin_array();
  for (std::size_t i = 1; i < rule.parts.size(); ++i) {
    json.begin_object().member("text", rule.parts[i].text);
    write_result(json, "holds", rule.parts[i].holds);
    json.end_object();
  }
  json.end_array();
}

}  // namespace

void ExplainAccess::handle(const http::ExchangePtr& exchange) {
  const TableContext& own = *table_context_;
  std::string user;
  std::string record;
  for (const auto& [name, value] : parse_query(exchange->request().query)) {
    if (name == "user")
      user = value;
    else if (name == "record")
      record = value;
    else
      refuse_query(name, "there is no such parameter");
  }
  identity::PrincipalPtr principal;
  if (!user.empty()) {
    const std::optional<identity::Principal> found = own.users.principal(user);
    if (!found) refuse_query("user", "there is no such user, or it is disabled");
    principal = std::make_shared<const identity::Principal>(*found);
  }
  const expression::Context context = context_of(principal, own.permissions);
  const data::schema::TableRules& rules = own.table.table.rules;
  struct NamedRule {
    const char* name;
    const std::string& text;
  };
  std::string text;
  base::JsonWriter json(text);
  json.begin_object().member("table", own.table.table.name).key("actions").begin_object();
  for (const auto& [name, rule_text] :
       {NamedRule{"read", rules.read}, NamedRule{"create", rules.create},
        NamedRule{"update", rules.update}, NamedRule{"delete", rules.delete_}}) {
    json.key(name).begin_object();
    if (rule_text.empty()) {
      json.member("allowed", false).key("rule").null().member("joined", "");
      json.key("parts").begin_array().end_array();
    } else {
      ExplainedRule rule = explain(own, rule_text);
      if (record.empty())
        evaluate_without_record(rule, context);
      else
        evaluate_for(rule, own, context, record);
      write_rule(json, rule);
    }
    json.end_object();
  }
  json.end_object().end_object();
  exchange->respond(http::json_response(200, std::move(text)));
}

std::string ExplainAccess::operation() {
  return R"({"description":"Evaluates the rules of the table for a user. For admins.","parameters":[)"
         R"({"name":"user","in":"query","description":"The id of the user. Without it: someone who is not signed in.","schema":{"type":"string"}},)"
         R"({"name":"record","in":"query","description":"The id of a record. Without it, `allowed` and `holds` are null where they depend on the record.","schema":{"type":"string"}}],)"
         R"("responses":{"200":{"description":"For each action: whether the rule allows it, the text of the rule (null: there is none, so no user may), and the conditions that it joins.","content":{"application/json":{"schema":)"
         R"({"type":"object","properties":{"table":{"type":"string"},"actions":{"type":"object","additionalProperties":{"type":"object","properties":{"allowed":{"type":["boolean","null"]},"rule":{"type":["string","null"]},"joined":{"type":"string","enum":["and","or",""]},)"
         R"("parts":{"type":"array","items":{"type":"object","properties":{"text":{"type":"string"},"holds":{"type":["boolean","null"]}},"required":["text","holds"],"additionalProperties":false}}},"required":["allowed","rule","joined","parts"],"additionalProperties":false}}},"required":["table","actions"],"additionalProperties":false}}}}}})";
}

}  // namespace tenon::records
