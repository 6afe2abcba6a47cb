#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schema/phases.hpp"

namespace tenon::data::schema {

enum class StepKind : std::uint8_t {
  create_table,
  rename_table,  ///< by `formerly`; link tables, indexes, references, triggers and views follow
  add_field,
  rename_field,
  add_index,
  drop_index,
  add_search_index,
  drop_search_index,
  rebuild_search_index,  ///< because numbered migrations run, which may change anything
  rebuild,               ///< a field's values are converted without loss; its table is recreated
  widen,                 ///< a constraint is relaxed; no row is touched
  tighten,               ///< a constraint is added that every row satisfies already
  redefine,              ///< default, on_delete
  describe,    ///< what only the declaration says: description, hidden, searchable, pattern …
  drop_table,  ///< done by a numbered migration; without one it is refused
  drop_field,
  run_migration,
  skip_migration,  ///< upgrade-only, on a first installation
};
std::string_view name_of(StepKind kind) noexcept;

/// One thing that applying does.
struct Step {
  StepKind kind;
  std::string table;  ///< empty for migrations
  std::string field;  ///< or the index's fields, the migration's file
  std::string
      text;  ///< one line for people: "add field notes.pinned (boolean, required, default false)"
  Phase phase = Phase::none;
};

/// A change that would lose data, or that the current rows contradict.
struct Refusal {
  std::string table;
  std::string field;
  std::string reason;                           ///< one sentence that says what, and what to do
  std::optional<StepKind> kind = std::nullopt;  ///< drop_table, drop_field where it is that
};

struct Plan {
  std::string plugin;
  std::string from_version;  ///< empty: new
  std::string to_version;
  std::vector<Step> steps;
  std::vector<Refusal> refusals;
  /// Refusals that migrations which run first may resolve; checked after they ran. Their JSON
  /// member has a name of its own, see docs/operations.md.
  std::vector<Refusal> deferred_refusals;
  /// True if the current version can keep using the data while expand() does the steps up to the
  /// switch; never for a first installation.
  bool is_phased = false;
  /// Why it cannot, one sentence; empty if it can, or nothing is to be done.
  std::string blocked_by;
  /// The data is the same for both versions: applying only notes which of them uses it.
  bool is_switch = false;
  /// Files of migrations of the phase contract that are still to be run by contract().
  std::vector<std::string> pending_contract;

  bool is_empty() const noexcept {
    return steps.empty() && refusals.empty() && from_version == to_version && !is_switch;
  }
  bool is_refused() const noexcept { return !refusals.empty(); }
  /// For a terminal, a line each.
  std::string to_text() const;
  /// {"plugin","from","to","steps":[{"kind","table","field","text","phase"}],"refusals":[{"table","field","kind"?,"reason"}],
  /// …,"phased","blocked_by","pending_contract":["0003_drop_title.sql"]}
  std::string to_json() const;
};

}  // namespace tenon::data::schema
