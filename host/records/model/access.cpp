#include "records/model/access.hpp"

#include <set>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "expression/evaluate.hpp"
#include "identity/users/permissions.hpp"
#include "routing/context.hpp"

namespace tenon::records {

namespace {

// Adds the tables that the paths of an expression lead to, without the one that it looks at.
void add_stepped_tables(const expression::Typed& node, std::set<std::string>& tables) {
  const expression::Path& path = node.path;
  for (std::size_t i = 0; i < path.hops.size(); ++i) {
    // The last link already contains the id, and nothing else of its target is read.
    if (i + 1 == path.hops.size() && path.ends_on_link) break;
    tables.insert(path.hops[i].target);
  }
  for (const expression::Typed& part : node.parts)
    add_stepped_tables(part, tables);
}

}  // namespace

expression::Context context_of(const http::Exchange& exchange,
                               const identity::Permissions& permissions) {
  return context_of(routing::context(exchange).principal, permissions);
}

expression::Context context_of(const identity::PrincipalPtr& principal,
                               const identity::Permissions& permissions) {
  if (!principal) return {std::nullopt, {}, base::unix_milliseconds(), {}};
  return {principal->user_id, principal->groups, base::unix_milliseconds(),
          [principal, &permissions](std::string_view permission) {
            return permissions.allows(*principal, permission);
          }};
}

void refuse_forbidden(const expression::Context& context, std::string_view what) {
  if (!context.user()) throw base::Error(401, "identity.signed_out", "Sign in to continue.");
  throw base::Error(403, "records.forbidden", "You may not " + std::string(what) + ".");
}

bool may_any(const std::optional<Rule>& rule, const expression::Context& context) {
  return rule && expression::is_constant(rule->checked, context) != false;
}

Visibility seen_records(const std::optional<Rule>& rule, const expression::Context& context,
                        std::string_view what) {
  if (!rule) refuse_forbidden(context, what);
  const std::optional<bool> constant = expression::is_constant(rule->checked, context);
  if (!constant) return Visibility::some;
  if (*constant) return Visibility::all;
  if (!context.user() || expression::is_decided_by_permissions(rule->checked, context))
    refuse_forbidden(context, what);
  return Visibility::none;
}

void require_any(const std::optional<Rule>& rule, const expression::Context& context,
                 std::string_view what) {
  if (!may_any(rule, context)) refuse_forbidden(context, what);
}

bool is_seen_always(const FieldModel& field, const expression::Context& context) {
  return !field.read || expression::is_constant(field.read->checked, context) == true;
}

void refuse_field(std::string_view parameter, const std::string& field) {
  const std::string message =
      std::string(parameter) + ": the field '" + field +
      "' cannot be used here, because not every value of it is yours to see.";
  throw base::Error(400, "records.field_not_allowed", message,
                    {{std::string(parameter), "not_allowed", message}});
}

void require_visible(const Rule& filter, const Model& model, const TableModel& table,
                     const expression::Context& context) {
  for (const expression::NamedField& named : filter.checked.fields()) {
    const bool is_own = named.table == table.table.name;
    const TableModel* owner = is_own ? &table : model.find(named.table);
    const std::string name = is_own ? named.field : named.table + "." + named.field;
    if (!owner) refuse_field("filter", name);
    const FieldModel* field = owner->find(named.field);
    if (field && (field->field.hidden || !is_seen_always(*field, context)))
      refuse_field("filter", name);
  }
  // A path that leads back to the table itself names other records than the one that is asked for.
  std::set<std::string> tables;
  add_stepped_tables(filter.checked.root(), tables);
  for (const std::string& stepped : tables) {
    const TableModel* owner = model.find(stepped);
    if (!owner || !owner->read || expression::is_constant(owner->read->checked, context) != true)
      refuse_field("filter", stepped);
  }
}

}  // namespace tenon::records
