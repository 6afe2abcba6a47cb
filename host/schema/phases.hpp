#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "schema/tables.hpp"

namespace tenon::data::schema {

struct Plan;

/// When in an upgrade something is done to the data (docs/migrations.md).
enum class Phase : std::uint8_t {
  none,      ///< while no version uses them
  expand,    ///< while the previous version still uses them
  contract,  ///< once it is gone, while the new one uses them
};
/// "expand", "contract"; empty for none.
std::string_view name_of(Phase phase) noexcept;
/// None for any other text.
Phase phase_named(std::string_view name) noexcept;

/// Returns whether a version that does not know the field can write records.
bool may_be_left_out(const Field& field) noexcept;

/// Returns tables that both versions can use: what `next` declares, and what `before` alone has. A
/// field whose bounds `plan` tightens keeps those of `before`. Nothing if these are no valid
/// tables.
std::optional<Tables> tables_of_both(const Tables& next, const Tables& before, const Plan& plan);

/// A migration that has not run.
struct PendingPhase {
  std::string name;
  Phase phase = Phase::none;
};

/// Returns why the previous version cannot continue while `plan` is applied, one sentence; empty:
/// it can. `before` are the current tables.
std::string blocked_by(const Plan& plan, const Tables& before,
                       const std::vector<PendingPhase>& pending);

}  // namespace tenon::data::schema
