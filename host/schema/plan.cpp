#include "schema/plan.hpp"

#include <algorithm>
#include <array>

#include "base/json_writer.hpp"

namespace tenon::data::schema {

namespace {

constexpr std::array<std::string_view, 18> kind_names = {"create_table",
                                                         "rename_table",
                                                         "add_field",
                                                         "rename_field",
                                                         "add_index",
                                                         "drop_index",
                                                         "add_search_index",
                                                         "drop_search_index",
                                                         "rebuild_search_index",
                                                         "rebuild",
                                                         "widen",
                                                         "tighten",
                                                         "redefine",
                                                         "describe",
                                                         "drop_table",
                                                         "drop_field",
                                                         "run_migration",
                                                         "skip_migration"};

std::string location(const Refusal& refusal) {
  return refusal.field.empty() ? refusal.table : refusal.table + "." + refusal.field;
}

void write_refusals(base::JsonWriter& json, std::string_view key,
                    const std::vector<Refusal>& refusals) {
  json.key(key).begin_array();
  for (const auto& refusal : refusals) {
    json.begin_object().member("table", refusal.table).member("field", refusal.field);
    if (refusal.kind) json.member("kind", name_of(*refusal.kind));
    json.member("reason", refusal.reason).end_object();
  }
  json.end_array();
}

}  // namespace

std::string_view name_of(StepKind kind) noexcept {
  return kind_names[static_cast<std::size_t>(kind)];
}

std::string Plan::to_text() const {
  std::string text =
      plugin + ": " + (from_version.empty() ? "new" : from_version) + " -> " + to_version + "\n";
  if (is_empty()) return text + "  nothing to do\n";
  for (const auto& step : steps) {
    text.append("  ").append(step.text);
    if (step.kind == StepKind::run_migration && step.phase != Phase::none)
      text.append(" (").append(name_of(step.phase)).append(")");
    text.append("\n");
  }
  for (const auto& refusal : deferred_refusals) {
    text.append("  to be handled by the migrations: ")
        .append(location(refusal))
        .append(": ")
        .append(refusal.reason)
        .append("\n");
  }
  for (const auto& refusal : refusals) {
    text.append("  refused: ")
        .append(location(refusal))
        .append(": ")
        .append(refusal.reason)
        .append("\n");
  }
  const bool declares_phase = std::any_of(steps.begin(), steps.end(), [](const Step& one) {
    return one.kind == StepKind::run_migration && one.phase != Phase::none;
  });
  if (is_phased && !steps.empty())
    text.append("  requests are served meanwhile\n");
  else if (!blocked_by.empty() && declares_phase)
    text.append("  requests wait meanwhile: ").append(blocked_by).append("\n");
  for (const auto& file : pending_contract)
    text.append("  runs after the previous version has stopped: ").append(file).append("\n");
  return text;
}

std::string Plan::to_json() const {
  std::string text;
  base::JsonWriter json(text);
  json.begin_object()
      .member("plugin", plugin)
      .member("from", from_version)
      .member("to", to_version);
  json.key("steps").begin_array();
  for (const auto& step : steps) {
    json.begin_object().member("kind", name_of(step.kind)).member("table", step.table);
    json.member("field", step.field).member("text", step.text);
    json.member("phase", name_of(step.phase)).end_object();
  }
  json.end_array();
  write_refusals(json, "refusals", refusals);
  write_refusals(json, "deferred_refusals", deferred_refusals);
  json.member("phased", is_phased)
      .member("blocked_by", blocked_by)
      .key("pending_contract")
      .begin_array();
  for (const std::string& file : pending_contract)
    json.value(file);
  json.end_array().end_object();
  return text;
}

}  // namespace tenon::data::schema
