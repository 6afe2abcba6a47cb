#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "data/migrate/comparison.hpp"
#include "data/migrate/metadata_store.hpp"
#include "data/migrate/migrate.hpp"
#include "schema/catalog.hpp"

namespace tenon::data {

/// One transaction of an engine in which Migrator reads or changes the schema. Every call throws
/// SqlError; the transaction is rolled back then. One thread.
class MigrationSession {
 public:
  virtual ~MigrationSession() = default;

  virtual Dialect dialect() const noexcept = 0;
  virtual MetadataStore& metadata() = 0;
  virtual std::unique_ptr<schema::Catalog> open_catalog() = 0;
  /// Returns a number that every change of the schema changes; 0 where the engine has none.
  virtual std::int64_t schema_number() { return 0; }

  // The steps of an upgrade; see schema/apply.hpp of the engine.

  /// Creates what the host needs in the schema in addition to the tables: the metadata, functions.
  virtual void prepare() = 0;
  virtual void apply_renames(const schema::Renames& renames, const schema::Tables& declared) = 0;
  virtual void add_tables_and_fields(const schema::Tables& stored,
                                     const schema::Tables& declared) = 0;
  /// Runs a migration of a plugin with the rights of the plugin. Throws 500 data.migration_failed.
  virtual void run_migration(const Migration& migration) = 0;
  virtual void drop_orphaned_link_tables(const schema::Tables& stored,
                                         const schema::Tables& declared) = 0;
  virtual void apply_constraints(const schema::Tables& declared) = 0;
  /// Throws 409 data.migration_refused if a record refers to one that does not exist, where the
  /// engine does not check that itself.
  virtual void check_references() {}
  virtual void drop_search_indexes(const schema::Tables& declared,
                                   schema::SearchUpgrade upgrade) = 0;
  virtual void make_search_indexes(const schema::Tables& declared) = 0;
  virtual bool is_change_log_stale(const schema::Tables& declared) = 0;
  virtual void drop_change_log() = 0;
  virtual void create_change_log(const schema::Tables& declared) = 0;
  /// Lets the role of the plugin use the tables, where it is not their owner.
  virtual void grant_access() {}
  /// Records in the same transaction that the whole declaration is applied, for is_applied().
  virtual void record_digest(const Declaration& /*declaration*/) {}

  /// Runs a migration of a room of the host. Throws 500 data.migration_failed.
  virtual void run_room_migration(const Migration& migration) = 0;

  /// Returns whether refresh() has something to do: an earlier host made, or an interruption left,
  /// what the host makes in addition to the tables.
  virtual bool needs_refresh(const schema::Tables& declared) = 0;
  virtual void refresh(const schema::Tables& declared) = 0;
};

/// Plans and applies the schema of a plugin, and migrates the rooms of the host. Each engine
/// derives from it and supplies the transactions. Contracts of the calls: migrate.hpp. Any thread.
class Migrator {
 public:
  schema::Plan plan(const Declaration& declaration);
  schema::Plan apply(const Declaration& declaration);
  schema::Plan expand(const Declaration& declaration);
  schema::Plan contract(const Declaration& declaration);
  std::string applied_version();
  void migrate_room(std::string_view room, std::span<const Migration> migrations);

 protected:
  Migrator() = default;
  ~Migrator() = default;

  /// The work of a transaction.
  enum class Change : std::uint8_t {
    add,      ///< adds to the tables, which other versions may use in the meantime
    rebuild,  ///< may recreate tables
    room,     ///< a room of the host: its own tables
  };
  using Work = std::function<void(MigrationSession&)>;

 private:
  /// Runs `work` in a transaction that only reads.
  virtual void read_schema(const Work& work) = 0;
  /// Runs `work` in a transaction that only reads, at the start of a room of the host.
  virtual void read_room(const Work& work) { read_schema(work); }
  /// Runs `work` in a transaction with the write lock, and commits it.
  virtual void change_schema(Change change, const Work& work) = 0;

  /// Returns whether the database records that exactly this declaration is applied.
  virtual bool is_applied(const Declaration& /*declaration*/) { return false; }
  /// Waits until the schema may be changed. `is_upgrade`: not a refresh.
  virtual void before_change(bool /*is_upgrade*/) {}
  /// The whole declaration is applied; `schema_number`: the number then. `is_new`: apply() changed
  /// the schema or its metadata.
  virtual void after_apply(const Declaration& /*declaration*/, std::int64_t /*schema_number*/,
                           bool /*is_new*/) {}

  schema::Plan apply(const Declaration& declaration, Stage stage);
};

/// Compares the schema of a session with a declaration. Throws as the other compare().
Comparison compare(MigrationSession& session, const Declaration& declaration,
                   Stage stage = Stage::before_switch);

}  // namespace tenon::data
