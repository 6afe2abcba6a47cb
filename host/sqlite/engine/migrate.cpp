#include "data/migrate/migrate.hpp"

#include <filesystem>
#include <memory>
#include <utility>

#include <sqlite3.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/ids.hpp"
#include "data/database.hpp"
#include "data/migrate/migrator.hpp"
#include "sqlite/connection/read_only_uri.hpp"
#include "sqlite/connection/script.hpp"
#include "sqlite/connection/sql.hpp"
#include "sqlite/connection/sqlite_error.hpp"
#include "sqlite/engine/engine.hpp"
#include "sqlite/engine/metadata_store.hpp"
#include "sqlite/schema/apply.hpp"
#include "sqlite/schema/catalog.hpp"
#include "sqlite/schema/change_log_triggers.hpp"
#include "sqlite/schema/renames.hpp"
#include "sqlite/schema/search_index.hpp"

namespace tenon::data::sqlite {

namespace {

using schema::Tables;

enum class References : bool { unchecked, enforced };

// Runs `work` in one transaction of the writer. With references unchecked, a table can be recreated
// without cascades to the rows that refer to it; the work checks the references before its end.
void migrate(Engine& engine, References references, const std::function<void(Connection&)>& work,
             Engine::Reporting reporting = Engine::Reporting::on) {
  const auto run = [&](Connection& connection) {
    sqlite3* db = connection.handle();
    const AccessScope scope(connection, Access::internal);
    const auto limit =
        std::chrono::duration_cast<std::chrono::nanoseconds>(engine.options().waits.migration);
    const auto finish = [&] {
      if (!connection.is_autocommit()) connection.control(Control::rollback);
      sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_FKEY, 1, nullptr);
      connection.cache().clear();
    };
    if (references == References::unchecked)
      sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_FKEY, 0, nullptr);
    connection.set_deadline(base::monotonic_nanoseconds() + limit.count());
    try {
      if (const int code = connection.control(Control::begin_write); code != SQLITE_OK)
        throw sqlite_error(db, code);
      work(connection);
      if (const int code = connection.control(Control::commit); code != SQLITE_OK)
        throw sqlite_error(db, code);
    } catch (...) {
      finish();
      throw;
    }
    finish();
  };
  engine.with_write_lock(run, reporting);
}

void check_references(Connection& connection) {
  Sql broken(connection,
             "SELECT \"table\", parent, count(*) FROM pragma_foreign_key_check() GROUP BY "
             "\"table\", parent ORDER BY 1");
  std::vector<base::FieldError> errors;
  while (broken.next()) {
    errors.push_back({broken.text(0), "refused",
                      std::to_string(broken.integer(2)) + " records refer to records of " +
                          broken.text(1) +
                          " that do not exist after the migrations (cascades do not run in them)"});
  }
  if (errors.empty()) return;
  std::string message = errors.front().field + ": " + errors.front().message;
  throw base::Error(409, "data.migration_refused", std::move(message), std::move(errors));
}

// A key of the metadata. Its value is the digest of the declaration that was applied, and SQLite's
// schema_version after that. Every change of the schema, by any program, changes schema_version.
constexpr std::string_view applied = "applied";

std::string applied_text(const Declaration& declaration, std::int64_t schema) {
  return declaration.digest + " " + std::to_string(schema);
}

/// Needs internal access.
class FileSession final : public MigrationSession {
 public:
  explicit FileSession(Connection& connection) : connection_(connection), metadata_(connection) {}

  Dialect dialect() const noexcept override { return Dialect::sqlite; }
  MetadataStore& metadata() override { return metadata_; }
  std::unique_ptr<schema::Catalog> open_catalog() override {
    return std::make_unique<schema::SqliteCatalog>(connection_);
  }
  std::int64_t schema_number() override { return sqlite::schema_number(connection_); }

  void prepare() override {
    metadata_.ensure();
    metadata_.set(applied, "");
  }
  void apply_renames(const schema::Renames& renames, const Tables& /*declared*/) override {
    schema::apply_renames(connection_, renames);
  }
  void add_tables_and_fields(const Tables& stored, const Tables& declared) override {
    schema::add_tables_and_fields(connection_, stored, declared);
  }
  void run_migration(const Migration& migration) override {
    const AccessScope scope(connection_, Access::migrating);
    run_script(connection_, migration.sql, "migrations/" + migration.name);
  }
  void drop_orphaned_link_tables(const Tables& stored, const Tables& declared) override {
    schema::drop_orphaned_link_tables(connection_, stored, declared);
  }
  void apply_constraints(const Tables& declared) override {
    schema::apply_constraints(connection_, declared);
  }
  void check_references() override { sqlite::check_references(connection_); }
  void drop_search_indexes(const Tables& declared, schema::SearchUpgrade upgrade) override {
    schema::drop_search_indexes(connection_, declared, upgrade);
  }
  void make_search_indexes(const Tables& declared) override {
    schema::make_search_indexes(connection_, declared);
  }
  bool is_change_log_stale(const Tables& declared) override {
    return schema::is_change_log_stale(connection_, declared);
  }
  void drop_change_log() override { schema::drop_change_log(connection_); }
  void create_change_log(const Tables& declared) override {
    schema::create_change_log(connection_, declared);
  }
  void record_digest(const Declaration& declaration) override {
    if (!declaration.digest.empty())
      metadata_.set(applied, applied_text(declaration, schema_number()));
  }

  void run_room_migration(const Migration& migration) override {
    const AccessScope scope(connection_, Access::trusted);
    run_script(connection_, migration.sql, migration.name);
  }

  bool needs_refresh(const Tables& declared) override {
    return is_change_log_stale(declared) || schema::lacks_word_table(connection_, declared);
  }
  void refresh(const Tables& declared) override {
    if (is_change_log_stale(declared)) create_change_log(declared);
    make_search_indexes(declared);
  }

 private:
  Connection& connection_;
  MetadataStore metadata_;
};

}  // namespace

void Engine::read_schema(const Work& work) {
  with_read_connection([&](Connection& connection) {
    const AccessScope scope(connection, Access::internal);
    FileSession session(connection);
    work(session);
  });
}

// With the writer's connection, which is open already.
void Engine::read_room(const Work& work) {
  with_write_lock([&](Connection& connection) {
    const AccessScope scope(connection, Access::internal);
    FileSession session(connection);
    work(session);
  });
}

void Engine::change_schema(Change change, const Work& work) {
  const References references =
      change == Change::add ? References::enforced : References::unchecked;
  migrate(*this, references, [&](Connection& connection) {
    FileSession session(connection);
    work(session);
  });
}

void Engine::before_change(bool is_upgrade) {
  // Damage would be copied into recreated tables.
  wait_checked();
  if (is_upgrade) forget_applied();
}

void Engine::after_apply(const Declaration& declaration, std::int64_t schema_number, bool is_new) {
  note_applied(declaration, schema_number);
  if (!is_new) store_applied(declaration, schema_number);
}

bool Engine::is_applied(const Declaration& declaration) {
  if (declaration.digest.empty()) return false;
  bool is_known = false;
  with_write_lock([&](Connection& connection) {
    const std::int64_t schema = schema_number(connection);
    const AccessScope scope(connection, Access::internal);
    is_known = MetadataStore(connection).get(applied) == applied_text(declaration, schema);
    if (is_known) note_applied(declaration, schema);
  });
  return is_known;
}

void Engine::store_applied(const Declaration& declaration, std::int64_t schema) noexcept {
  if (declaration.digest.empty()) return;
  try {
    const auto set = [&](Connection& connection) {
      MetadataStore metadata(connection);
      if (metadata.exists() && schema_number(connection) == schema)
        metadata.set(applied, applied_text(declaration, schema));
    };
    migrate(*this, References::enforced, set, Reporting::off);
  } catch (const std::exception&) {  // a disk that is full: the next write of a plugin says so
  }
}

schema::Plan plan_file(const std::string& path, bool has_writer, const Declaration& declaration) {
  constexpr int busy_milliseconds = 5000;
  Connection::Options options;
  options.path = std::filesystem::exists(path) ? read_only_uri(path, has_writer) : "file::memory:";
  options.confinement = Confinement::plugin();
  options.busy_milliseconds = busy_milliseconds;
  options.is_uri = true;
  Connection connection(options);
  const AccessScope scope(connection, Access::internal);
  if (const int code = connection.control(Control::begin_read); code != SQLITE_OK)
    throw sqlite_error(connection.handle(), code);
  FileSession session(connection);
  return compare(session, declaration).plan;
}

}  // namespace tenon::data::sqlite
