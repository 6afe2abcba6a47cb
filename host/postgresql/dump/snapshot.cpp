#include "postgresql/dump/snapshot.hpp"

#include <algorithm>
#include <utility>

#include <sys/stat.h>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/ids.hpp"
#include "base/join.hpp"
#include "data/errors.hpp"
#include "data/files/atomic_file_writer.hpp"
#include "data/sql_error.hpp"
#include "postgresql/client/session.hpp"
#include "postgresql/client/sql.hpp"
#include "postgresql/dump/snapshot_file.hpp"
#include "postgresql/engine/metadata_store.hpp"
#include "postgresql/roles/write_lock_key.hpp"
#include "postgresql/schema/schema_dump.hpp"
#include "schema/ddl.hpp"

namespace tenon::data::postgresql {

using schema::quoted;

namespace {

// Timeout of one statement, such as copying the rows or building an index of a large table.
constexpr std::int64_t statement_timeout = std::int64_t{12} * 3600 * 1'000'000'000;

std::int64_t deadline() {
  return base::monotonic_nanoseconds() + statement_timeout;
}

std::string wait_sql(std::chrono::milliseconds lock_timeout) {
  return "SET lock_timeout = " + std::to_string(lock_timeout.count()) + ";";
}

std::string column_list(const DumpedTable& table) {
  return base::join(table.columns, [](const std::string& column) { return quoted(column); });
}

std::string script_of(const std::vector<std::string>& statements) {
  std::string script;
  for (const std::string& one : statements)
    script.append(one).append(";\n");
  return script;
}

// In the order of their numbers, so that what differs is found by reading them once.
std::string copy_out_sql(const DumpedTable& table) {
  const std::string rows = table.has_rowid ? "(SELECT " + column_list(table) + " FROM ONLY " +
                                                 quoted(table.name) + " ORDER BY \"rowid\")"
                                           : quoted(table.name) + " (" + column_list(table) + ")";
  return "COPY " + rows + " TO STDOUT (FORMAT binary)";
}

// Migrations of any host are kept out until the tables are held as they are.
class SchemaHeld {
 public:
  SchemaHeld(Connection& connection, const std::string& schema)
      : connection_(connection), key_(write_lock_key(schema)) {
    run("SELECT pg_catalog.pg_advisory_lock(" + key_ + ")");
  }
  void release() { run("SELECT pg_catalog.pg_advisory_unlock(" + key_ + ")"); }

 private:
  void run(const std::string& sql) {
    if (auto error = connection_.run_text(sql, deadline())) throw SqlError(std::move(*error));
  }

  Connection& connection_;
  const std::string key_;
};

void hold_tables(Sql& sql) {
  std::string names;
  Rows row = sql.rows(
      "SELECT quote_ident(relname) FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = "
      "quote_ident(current_schema())::regnamespace ORDER BY 1");
  while (row.next())
    names.append(names.empty() ? "" : ", ").append(row.text(0));
  if (!names.empty()) sql.script("LOCK TABLE " + names + " IN ACCESS SHARE MODE");
}

StoredSchema look(Sql& sql, const PostgresqlSchema& location) {
  StoredSchema stored;
  const MetadataStore metadata(sql);
  stored.schema = location.schema;
  stored.plugin = metadata.get("plugin");
  stored.version = metadata.get("version");
  for (const AppliedMigration& one : metadata.migrations(stored.plugin))
    stored.migration = std::max(stored.migration, one.number);
  stored.declared = metadata.get("tables");
  stored.dump = dump_schema(sql, location.user);
  return stored;
}

// A server that cannot say why a statement of the snapshot failed in words of the room.
[[noreturn]] void refuse(const std::string& path, const SqlError& error) {
  if (error.status() >= 500 && error.code() != "data.sql" && error.code() != "data.denied")
    throw SqlError(error);
  throw base::Error(
      409, "data.snapshot_refused",
      path + " cannot be restored over a schema: " + error.detail() + "; nothing was changed.");
}

// A host that is killed leaves its statement to the server, which would continue it and hold its
// locks; not every system can detect that sooner.
constexpr const char* session_settings =
    "SET LOCAL check_function_bodies = off; SET LOCAL maintenance_work_mem = '128MB';"
    "DO $$ BEGIN SET LOCAL client_connection_check_interval = '1s'; EXCEPTION WHEN OTHERS THEN "
    "NULL; "
    "END $$";

class Restore {
 public:
  Restore(const PostgresqlSchema& location, SnapshotReader& reader, const CopyProgress& progress,
          std::chrono::milliseconds lock_timeout)
      : location_(location),
        reader_(reader),
        progress_(progress),
        lock_timeout_(lock_timeout),
        connection_(owner_options(location, false)),
        session_(connection_, {"BEGIN", "SELECT pg_catalog.pg_advisory_xact_lock(" +
                                            write_lock_key(location.schema) + ")"}),
        sql_(session_, deadline()) {}

  // All or nothing.
  void run() {
    if (auto error = connection_.run_text(wait_sql(lock_timeout_), deadline()))
      throw SqlError(std::move(*error));
    session_.begin();
    try {
      make();
      if (auto error = session_.control(Control::commit)) throw SqlError(std::move(*error));
    } catch (...) {
      session_.control(Control::rollback);
      throw;
    }
  }

 private:
  void make() {
    // After a first statement, none is retried in a transaction of its own.
    sql_.number("SELECT 1");
    sql_.script(session_settings);
    const SchemaDump& all = reader_.schema().dump;
    sql_.script(script_of(drop_statements(sql_)));
    sql_.script(script_of(all.before));
    for (std::size_t i = 0; i < all.tables.size(); ++i)
      load(i);
    sql_.script(script_of(all.after));
    sql_.script(script_of(rights()));
    // A consumer of the change log reads everything again.
    if (sql_.number("SELECT (to_regclass('tenon_meta') IS NOT NULL)::integer") != 0)
      sql_.run("UPDATE tenon_meta SET value = ?1 WHERE name = 'log'", {base::new_id()});
    require_same();
    for (const DumpedTable& table : all.tables)
      sql_.script("ANALYZE " + quoted(table.name));
  }

  void load(std::size_t number) {
    const DumpedTable& table = reader_.schema().dump.tables[number];
    const std::int64_t expected = reader_.schema().rows[number].rows;
    reader_.begin_rows(number);
    const std::int64_t rows = connection_.copy_in(
        "COPY " + quoted(table.name) + " (" + column_list(table) + ") FROM STDIN (FORMAT binary)",
        deadline(), [&] {
          const std::string_view piece = reader_.next();
          done_ += piece.size();
          if (!piece.empty()) report_progress(progress_, done_, reader_.bytes());
          return piece;
        });
    if (rows == expected) return;
    throw base::Error(409, "data.snapshot_refused",
                      "Of " + table.name + " there are " + std::to_string(rows) + " rows, and " +
                          std::to_string(expected) + " are said to be in the snapshot.");
  }

  std::vector<std::string> rights() const {
    std::vector<std::string> statements;
    if (location_.user.empty()) return statements;
    const std::string role = quoted(location_.user);
    for (const DumpedRights& one : reader_.schema().dump.rights) {
      statements.push_back("REVOKE ALL ON " + one.object + " FROM " + role);
      if (!one.rights.empty())
        statements.push_back("GRANT " + one.rights + " ON " + one.object + " TO " + role);
    }
    return statements;
  }

  void require_same() {
    const std::vector<std::string> made = objects_of(sql_);
    const std::vector<std::string>& wanted = reader_.schema().dump.objects;
    if (made == wanted) return;
    const auto differs = std::mismatch(made.begin(), made.end(), wanted.begin(), wanted.end());
    throw base::Error(500, "data.restore_differs",
                      "The schema that was made from a snapshot is not what it was: it has \"" +
                          (differs.first == made.end() ? "" : *differs.first) + "\" for \"" +
                          (differs.second == wanted.end() ? "" : *differs.second) +
                          "\". Nothing was changed.");
  }

  const PostgresqlSchema& location_;
  SnapshotReader& reader_;
  const CopyProgress& progress_;
  const std::chrono::milliseconds lock_timeout_;
  Connection connection_;
  Session session_;
  Sql sql_;
  std::uint64_t done_ = 0;
};

}  // namespace

ConnectionOptions owner_options(const PostgresqlSchema& location, bool is_read_only) {
  ConnectionOptions options;
  options.url = location.url;
  options.user = location.owner.empty() ? location.user : location.owner;
  options.password = location.owner.empty() ? location.password : location.owner_password;
  options.schema = location.schema;
  options.is_trusted = true;
  options.is_read_only = is_read_only;
  return options;
}

std::uint64_t snapshot(const PostgresqlSchema& location, const std::string& path,
                       const CopyProgress& progress, std::chrono::milliseconds lock_timeout) {
  struct stat facts {};
  if (::lstat(path.c_str(), &facts) == 0)
    throw base::Error(409, "data.snapshot_exists", path + " exists already.");
  Connection connection(owner_options(location, true));
  if (auto error =
          connection.run_text(wait_sql(lock_timeout) + "SET work_mem = '64MB'", deadline()))
    throw SqlError(std::move(*error));
  SchemaHeld held(connection, location.schema);
  Session session(connection, {"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"});
  session.begin();
  Sql sql(session, deadline());
  StoredSchema stored = look(sql, location);
  hold_tables(sql);
  held.release();

  // As a guess: the server keeps rows otherwise than they are sent.
  const auto guessed = static_cast<std::uint64_t>(sql.number(
      "SELECT coalesce(sum(pg_table_size(oid)), 0)::bigint FROM pg_class WHERE relkind = 'r' AND "
      "relnamespace = quote_ident(current_schema())::regnamespace"));
  SnapshotWriter writer(path);
  std::uint64_t reported = 0;
  for (const DumpedTable& table : stored.dump.tables) {
    writer.begin_rows();
    const std::int64_t rows =
        connection.copy_out(copy_out_sql(table), deadline(), [&](std::string_view bytes) {
          writer.write(bytes);
          if (writer.written() - reported < copied_at_once) return;
          reported = writer.written();
          report_progress(progress, reported, std::max(reported, guessed));
        });
    stored.rows.push_back(writer.end_rows(rows));
  }
  report_progress(progress, writer.written(), writer.written());
  return writer.finish(stored);
}

void restore(const PostgresqlSchema& location, const std::string& snapshot,
             const CopyProgress& progress, std::chrono::milliseconds lock_timeout) {
  SnapshotReader reader(snapshot);
  if (reader.schema().schema != location.schema) {
    throw base::Error(409, "data.snapshot_refused",
                      snapshot + " is of the schema " + reader.schema().schema + ", not of " +
                          location.schema + ".");
  }
  try {
    Restore(location, reader, progress, lock_timeout).run();
  } catch (const SqlError& error) {
    refuse(snapshot, error);
  }
}

}  // namespace tenon::data::postgresql
