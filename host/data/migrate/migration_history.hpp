#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/error_fwd.hpp"
#include "data/migrate/migrate.hpp"

namespace tenon::data {

/// A migration that has run, as the database records it.
struct AppliedMigration {
  int number = 0;
  std::string name;
  std::string checksum;
  schema::Phase phase = schema::Phase::none;
};

/// A migration that has not run.
struct Pending {
  const Migration* migration;
  std::string checksum;
};

/// Returns the migrations that have not run, with the SQL of `dialect`. With `lets_expanded`, the
/// database may have migrations of the phase expand that `migrations` lacks. Throws 409 data.newer
/// and 409 data.migration_changed if the history does not fit.
std::vector<Pending> pending_migrations(const std::vector<AppliedMigration>& applied,
                                        std::span<const Migration> migrations, Dialect dialect,
                                        bool lets_expanded = false);

/// Returns whether exactly `migrations`, with the SQL of `dialect`, have run.
bool has_same_migrations(const std::vector<AppliedMigration>& applied,
                         std::span<const Migration> migrations, Dialect dialect);

/// 409 data.newer.
base::Error newer_error(const std::string& message);

}  // namespace tenon::data
