#include "data/migrate/migration_history.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/ids.hpp"

namespace tenon::data {

base::Error newer_error(const std::string& message) {
  return {409, "data.newer", message};
}

bool has_same_migrations(const std::vector<AppliedMigration>& applied,
                         std::span<const Migration> migrations, Dialect dialect) {
  return std::equal(applied.begin(), applied.end(), migrations.begin(), migrations.end(),
                    [&](const AppliedMigration& one, const Migration& migration) {
                      return one.number == migration.number &&
                             one.checksum == base::sha256_hex(migration.text(dialect));
                    });
}

std::vector<Pending> pending_migrations(const std::vector<AppliedMigration>& applied,
                                        std::span<const Migration> migrations, Dialect dialect,
                                        bool lets_expanded) {
  for (const auto& one : applied) {
    const bool is_known =
        std::any_of(migrations.begin(), migrations.end(),
                    [&](const Migration& migration) { return migration.number == one.number; });
    if (!is_known && !(lets_expanded && one.phase == schema::Phase::expand))
      throw newer_error("The data was migrated by " + one.name +
                        ", which this version does not have; install the newer version.");
  }
  std::vector<Pending> pending;
  for (const auto& migration : migrations) {
    auto checksum = base::sha256_hex(migration.text(dialect));
    const auto found = std::find_if(applied.begin(), applied.end(), [&](const auto& one) {
      return one.number == migration.number;
    });
    if (found == applied.end()) {
      if (!applied.empty() && migration.number < applied.back().number) {
        throw base::Error(409, "data.migration_changed",
                          migration.name + " comes before " + applied.back().name +
                              ", which has run already; give it a higher number.");
      }
      pending.push_back({&migration, std::move(checksum)});
    } else if (found->checksum != checksum) {
      throw base::Error(
          409, "data.migration_changed",
          migration.name +
              " has run already and must not change; put the change into a new migration.");
    }
  }
  return pending;
}

}  // namespace tenon::data
