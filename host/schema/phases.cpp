#include "schema/phases.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "schema/plan.hpp"

namespace tenon::data::schema {

namespace {

bool is_tightened(const Plan& plan, const std::string& table, const std::string& field) {
  return std::any_of(plan.steps.begin(), plan.steps.end(), [&](const Step& step) {
    return step.kind == StepKind::tighten && step.table == table && step.field == field;
  });
}

void add_before(Table& both, const Table& before, const Plan& plan) {
  both.timestamps = both.timestamps || before.timestamps;
  both.authorship = both.authorship || before.authorship;
  both.version = both.version || before.version;
  for (const Field& old : before.fields) {
    const auto found = std::find_if(both.fields.begin(), both.fields.end(),
                                    [&](const Field& one) { return one.name == old.name; });
    if (found == both.fields.end()) {
      both.fields.push_back(old);
    } else if (is_tightened(plan, both.name, old.name)) {
      *found = old;
    } else {
      found->indexed = found->indexed || old.indexed;
      found->unique = found->unique || old.unique;
    }
  }
  for (const Index& index : before.indexes) {
    if (std::find(both.indexes.begin(), both.indexes.end(), index) == both.indexes.end())
      both.indexes.push_back(index);
  }
}

// The previous version must not miss what a migration of contract is to drop.
std::string drop_blocked_by(const Refusal& drop, const Tables& before) {
  if (drop.kind == StepKind::drop_table) return {};
  const std::string location = drop.field.empty() ? drop.table : drop.table + "." + drop.field;
  if (drop.kind != StepKind::drop_field) return location + ": " + drop.reason;
  const Table* table = before.find(drop.table);
  if (!table) return location + " is of a table that has another name";
  for (const Field& field : table->all_fields()) {
    if (field.name != drop.field) continue;
    if (may_be_left_out(field)) return {};
    return location + " is required, and this version does not write it; make it optional in a " +
           "version before this one";
  }
  return location + " was not declared before either";
}

std::string order_blocked_by(const std::vector<PendingPhase>& pending) {
  const PendingPhase* contract = nullptr;
  for (const PendingPhase& one : pending) {
    if (one.phase == Phase::none) return one.name + " declares no phase";
    if (one.phase == Phase::contract && !contract) contract = &one;
    if (one.phase == Phase::expand && contract)
      return contract->name + " (contract) is before " + one.name + " (expand)";
  }
  return {};
}

}  // namespace

std::string_view name_of(Phase phase) noexcept {
  switch (phase) {
    case Phase::expand:
      return "expand";
    case Phase::contract:
      return "contract";
    case Phase::none:
      break;
  }
  return {};
}

Phase phase_named(std::string_view name) noexcept {
  for (const Phase one : {Phase::expand, Phase::contract}) {
    if (name == name_of(one)) return one;
  }
  return Phase::none;
}

bool may_be_left_out(const Field& field) noexcept {
  const bool has_default = field.default_value.index() != 0;
  return (!field.required || has_default) && !(field.unique && has_default);
}

std::optional<Tables> tables_of_both(const Tables& next, const Tables& before, const Plan& plan) {
  Tables both = next;
  for (const Table& old : before.tables) {
    const auto found = std::find_if(both.tables.begin(), both.tables.end(),
                                    [&](const Table& one) { return one.name == old.name; });
    if (found == both.tables.end())
      both.tables.push_back(old);
    else
      add_before(*found, old, plan);
  }
  for (Table& table : both.tables) {
    // A former name may be one that is declared here.
    table.formerly.clear();
    for (Field& field : table.fields)
      field.formerly.clear();
  }
  try {
    return parse_tables(to_json(both));
  } catch (const base::Error&) {
    return std::nullopt;
  }
}

std::string blocked_by(const Plan& plan, const Tables& before,
                       const std::vector<PendingPhase>& pending) {
  if (std::string order = order_blocked_by(pending); !order.empty()) return order;
  const bool has_contract = std::any_of(
      pending.begin(), pending.end(), [](const auto& one) { return one.phase == Phase::contract; });
  for (const Step& step : plan.steps) {
    if (step.kind == StepKind::run_migration || step.phase == Phase::expand) continue;
    if (step.phase == Phase::none || !has_contract) return step.text;
  }
  for (const Refusal& drop : plan.deferred_refusals) {
    std::string reason = drop_blocked_by(drop, before);
    if (reason.empty() && !has_contract)
      reason = "what is not declared any more is dropped by no migration of the phase contract";
    if (!reason.empty()) return reason;
  }
  return {};
}

}  // namespace tenon::data::schema
