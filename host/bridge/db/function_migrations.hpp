#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include <tenon/db.h>

#include "data/dialect.hpp"

namespace tenon::data {
class Database;
class Transaction;
}  // namespace tenon::data

namespace tenon::plugins {

class Bridge;

/// Progress of a migration that is a function of the plugin, as the function reports it.
struct MigrationProgress {
  std::uint32_t number = 0;
  std::string name;
  std::int64_t done = 0;
  std::int64_t total = 0;    ///< 0: not known
  bool is_finished = false;  ///< this migration; others may follow
};

/// Runs the migrations of one activation that are functions. The table `tenon_function_migrations`
/// of the plugin's database records which have run and where the next batch begins. Each batch
/// updates it in its own transaction.
class FunctionMigrations {
 public:
  static constexpr std::size_t max_migrations = 100;  ///< beyond: TENON_E_TOO_LARGE
  static constexpr std::uint32_t max_number = 9'999;
  /// Limit of a batch, from getting the write lock to its end.
  static constexpr std::chrono::milliseconds batch_deadline{30'000};

  explicit FunctionMigrations(Bridge& bridge) noexcept : bridge_(bridge) {}

  /// Adds a migration, as the slot `migrate` of the ABI. Takes ownership only on success.
  tenon_code add(std::uint32_t number, tenon_span name, const tenon_db_migration& migration,
                 tenon_error* error);
  bool is_empty() const noexcept { return migrations_.empty(); }

  enum class Pending : std::uint8_t {
    none,       ///< all have run to their end
    expanding,  ///< those that have not are of the phase expand, by plugin.json
    some
  };
  /// Throws 409 "data.newer" if the file has a migration with a higher number than all that were
  /// added, unless it was of the phase expand.
  Pending pending();
  bool is_pending() { return pending() != Pending::none; }
  /// Throws a Refusal "plugins.migration_unknown" if plugin.json (`file`) has the phase of a
  /// migration that was not added.
  void require_declared(const std::string& file) const;
  /// Runs the next batch, on the calling thread; nothing when all are done. Throws a Refusal
  /// "plugins.migration_failed" with what the function said; the batch is undone then, and what the
  /// database throws.
  std::optional<MigrationProgress> run_batch();

  /// Drops all migrations. No frame of the plugin may be left.
  void drop_all() noexcept;

 private:
  struct Added {
    std::string name;
    tenon_db_migration migration;
  };
  struct Position {
    std::string checkpoint;
    std::int64_t done = 0;
    std::int64_t total = 0;
    bool is_finished = false;
  };
  data::Dialect engine() const;
  bool is_expanding(std::uint32_t number) const;
  /// The highest number that a version has run which is not of the phase expand.
  std::uint32_t newest_needed(data::Transaction& transaction,
                              const std::map<std::uint32_t, Position>& known);
  void note_phase(data::Transaction& transaction, std::uint32_t number);
  std::map<std::uint32_t, Position> positions(data::Transaction& transaction);
  void keep(data::Transaction& transaction, std::uint32_t number, const std::string& name,
            const Position& position);
  Position run(std::uint32_t number, const Added& added, const Position& before,
               data::Transaction& transaction);

  Bridge& bridge_;
  std::map<std::uint32_t, Added> migrations_;
};

}  // namespace tenon::plugins
