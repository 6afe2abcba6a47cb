#include <functional>
#include <memory>
#include <utility>

#include "base/clock.hpp"
#include "base/ids.hpp"
#include "data/errors.hpp"
#include "data/migrate/migrator.hpp"
#include "postgresql/client/sql.hpp"
#include "postgresql/engine/engine.hpp"
#include "postgresql/engine/metadata_store.hpp"
#include "postgresql/roles/room_migration.hpp"
#include "postgresql/schema/apply.hpp"
#include "postgresql/schema/catalog.hpp"
#include "postgresql/schema/change_log_triggers.hpp"
#include "postgresql/schema/ddl.hpp"
#include "postgresql/schema/search_index.hpp"
#include "postgresql/schema/trigger_functions.hpp"
#include "postgresql/sql_guard/statement_text.hpp"

namespace tenon::data::postgresql {

namespace {

using schema::Tables;

[[noreturn]] void fail(const std::string& name, const SqlError& error) {
  const bool is_ours =
      error.code() == "data.sql" || error.code() == "data.denied" || error.status() < 500;
  if (!is_ours) throw SqlError(error);
  throw SqlError(500, "data.migration_failed",
                 name + ": " + error.detail() + "; nothing was changed", 0, error.detail());
}

std::string functions_mark() {
  return base::sha256_hex(functions());
}

class SchemaSession final : public MigrationSession {
 public:
  SchemaSession(Sql& sql, const PostgresqlSchema& location)
      : sql_(sql), location_(location), metadata_(sql) {}

  Dialect dialect() const noexcept override { return Dialect::postgresql; }
  MetadataStore& metadata() override { return metadata_; }
  std::unique_ptr<schema::Catalog> open_catalog() override {
    return std::make_unique<Catalog>(sql_);
  }

  void prepare() override {
    metadata_.ensure();
    if (metadata_.get("functions") == functions_mark()) return;
    sql_.script(std::string(functions()));
    metadata_.set("functions", functions_mark());
  }
  void apply_renames(const schema::Renames& renames, const Tables& declared) override {
    postgresql::apply_renames(sql_, renames, declared);
  }
  void add_tables_and_fields(const Tables& stored, const Tables& declared) override {
    postgresql::add_tables_and_fields(sql_, stored, declared);
  }
  void run_migration(const Migration& migration) override {
    try {
      for (const auto& statement : split_script(migration.text(Dialect::postgresql))) {
        check_migration(statement);
        sql_.run(statement);
      }
    } catch (const SqlError& error) {
      fail("migrations/" + migration.name, error);
    }
    pin_search_path(sql_, location_.schema);
  }
  void drop_orphaned_link_tables(const Tables& stored, const Tables& declared) override {
    postgresql::drop_orphaned_link_tables(sql_, stored, declared);
  }
  void apply_constraints(const Tables& declared) override {
    postgresql::apply_constraints(sql_, declared);
  }
  void drop_search_indexes(const Tables& declared, schema::SearchUpgrade upgrade) override {
    postgresql::drop_search_indexes(sql_, declared, upgrade);
  }
  void make_search_indexes(const Tables& declared) override {
    postgresql::make_search_indexes(sql_, location_.schema, declared);
  }
  bool is_change_log_stale(const Tables& declared) override {
    return postgresql::is_change_log_stale(sql_, location_.schema, declared);
  }
  void drop_change_log() override { postgresql::drop_change_log(sql_); }
  void create_change_log(const Tables& declared) override {
    postgresql::create_change_log(sql_, location_.schema, declared);
  }
  void grant_access() override {
    if (!location_.user.empty()) grant_rows(sql_, location_.user);
  }

  void run_room_migration(const Migration& migration) override {
    try {
      sql_.script(room_migration(migration.text(Dialect::postgresql)));
    } catch (const SqlError& error) {
      fail(migration.name, error);
    }
  }

  bool needs_refresh(const Tables& declared) override {
    return is_change_log_stale(declared) || metadata_.get("functions") != functions_mark() ||
           !unvalidated_constraints(sql_).empty();
  }
  void refresh(const Tables& declared) override {
    prepare();
    if (is_change_log_stale(declared)) create_change_log(declared);
  }

 private:
  Sql& sql_;
  const PostgresqlSchema& location_;
  MetadataStore metadata_;
};

void run_in_transaction(Connection& connection, std::vector<std::string> begin,
                        std::int64_t deadline, const std::function<void(Sql&)>& work) {
  Session session(connection, std::move(begin));
  session.begin();
  try {
    Sql sql(session, deadline);
    work(sql);
    if (auto error = session.control(Control::commit)) throw SqlError(std::move(*error));
  } catch (...) {
    session.control(Control::rollback);
    throw;
  }
}

}  // namespace

// One connection as the owner of the schema's tables, if that is another role.
class Engine::Owner {
 public:
  Owner(const ConnectionOptions& options, std::int64_t deadline)
      : connection_(options), deadline_(deadline) {}

  void run(std::vector<std::string> begin, const std::function<void(Sql&)>& work) {
    run_in_transaction(connection_, std::move(begin), deadline_, work);
  }

 private:
  Connection connection_;
  const std::int64_t deadline_;
};

void Engine::with_read_connection(const std::function<void(Sql&)>& work) {
  const std::int64_t now = base::monotonic_nanoseconds();
  const std::int64_t deadline = now + nanoseconds_of(options_.waits.migration);
  auto reader = take_from(*readers_, now, deadline);
  std::exception_ptr failure;
  {
    Session session(*reader, {"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"});
    session.begin();
    try {
      Sql sql(session, deadline);
      work(sql);
    } catch (...) {
      failure = std::current_exception();
    }
    session.control(Control::rollback);
  }
  readers_->give(std::move(reader));
  if (failure) std::rethrow_exception(failure);
}

void Engine::with_write_lock(const std::function<void()>& work) {
  writer().acquire(base::monotonic_nanoseconds() + nanoseconds_of(options_.waits.max_transaction),
                   true);
  std::exception_ptr failure;
  try {
    work();
  } catch (...) {
    failure = std::current_exception();
  }
  writer().release_write_lock(nullptr);
  if (failure) std::rethrow_exception(failure);
}

std::int64_t Engine::migration_deadline() const {
  return base::monotonic_nanoseconds() + nanoseconds_of(options_.waits.migration);
}

// With BEGIN comes the lock of the schema, so that no host writes or migrates meanwhile.
void Engine::migrate(const std::function<void(Sql&)>& work) {
  std::optional<Owner> owner;
  with_write_lock([&] {
    owner.emplace(owner_options(), migration_deadline());
    owner->run({"BEGIN", lock_sql()}, work);
  });
  validate(*owner);
}

// Five rooms of the host migrate at its first start; a connection costs more than what they do.
void Engine::migrate_as_writer(const std::function<void(Sql&)>& work) {
  with_write_lock([&] {
    if (!connection_ || connection_->is_stale()) connect_writer();
    run_in_transaction(*connection_, {"BEGIN", lock_sql()}, migration_deadline(), work);
  });
}

// Writers and readers continue meanwhile.
void Engine::validate(Owner& owner) {
  std::vector<std::pair<std::string, std::string>> constraints;
  owner.run({"BEGIN"}, [&](Sql& sql) { constraints = unvalidated_constraints(sql); });
  for (const auto& [table, name] : constraints) {
    owner.run({"BEGIN"}, [&, table = table, name = name](Sql& sql) {
      sql.run("ALTER TABLE " + table + " VALIDATE CONSTRAINT " + name);
    });
  }
}

void Engine::read_schema(const Work& work) {
  with_read_connection([&](Sql& sql) {
    SchemaSession session(sql, *options_.postgresql);
    work(session);
  });
}

void Engine::change_schema(Change change, const Work& work) {
  const auto run = [&](Sql& sql) {
    SchemaSession session(sql, *options_.postgresql);
    work(session);
  };
  if (change == Change::room)
    migrate_as_writer(run);
  else
    migrate(run);
}

}  // namespace tenon::data::postgresql
