#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "data/migrate/migrate.hpp"

namespace tenon::data {

/// A migration that the database says was run.
struct AppliedMigration {
  int number = 0;
  std::string name;
  std::string checksum;
  schema::Phase phase = schema::Phase::none;
};

/// One that has not run.
struct Pending {
  const Migration* migration;
  std::string checksum;
};

/// What of `migrations` has not run in the words of `dialect`, after refusing a history that does
/// not fit: 409 data.newer, 409 data.migration_changed. With `lets_expanded` those of the phase
/// expand may have run that `migrations` do not have.
std::vector<Pending> pending_migrations(const std::vector<AppliedMigration>& applied,
                                        std::span<const Migration> migrations, Dialect dialect,
                                        bool lets_expanded = false);

/// Whether exactly `migrations`, in the words of `dialect`, have run.
bool has_same_migrations(const std::vector<AppliedMigration>& applied,
                         std::span<const Migration> migrations, Dialect dialect);

/// 409 data.newer.
base::Error newer_error(const std::string& message);

}  // namespace tenon::data
