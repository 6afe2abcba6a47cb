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
  none,      ///< while nobody uses them
  expand,    ///< while the version before goes on with them
  contract,  ///< once it is gone, while the new one uses them
};
/// "expand", "contract"; empty for none.
std::string_view name_of(Phase phase) noexcept;
/// None for any other text.
Phase phase_named(std::string_view name) noexcept;

/// Whether records can be written by somebody who does not know the field.
bool may_be_left_out(const Field& field) noexcept;

/// Tables with which both versions can go on: what `next` declares, and what `before` alone has. A
/// field whose bounds `plan` tightens has those of `before`. Nothing where that are no tables.
std::optional<Tables> tables_of_both(const Tables& next, const Tables& before, const Plan& plan);

/// A migration that has not run.
struct PendingPhase {
  std::string name;
  Phase phase = Phase::none;
};

/// Why the version before cannot go on while `plan` is done, one sentence; empty: it can. `before`
/// are the tables that are there.
std::string blocked_by(const Plan& plan, const Tables& before,
                    const std::vector<PendingPhase>& pending);

}  // namespace tenon::data::schema
