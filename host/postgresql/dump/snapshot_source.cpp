#include "base/clock.hpp"
#include "base/join.hpp"
#include "postgresql/dump/copy_source.hpp"
#include "postgresql/roles/write_lock_key.hpp"

namespace tenon::data::copying {

namespace {

// Blocks migrations of any host until the tables are locked.
class MigrationLock {
 public:
  MigrationLock(postgresql::Connection& connection, const std::string& schema)
      : connection_(connection), key_(postgresql::write_lock_key(schema)) {
    run("SELECT pg_catalog.pg_advisory_lock(" + key_ + ")");
  }
  void release() { run("SELECT pg_catalog.pg_advisory_unlock(" + key_ + ")"); }

 private:
  void run(const std::string& sql) {
    const std::int64_t deadline = base::monotonic_nanoseconds() + statement_timeout;
    if (auto error = connection_.run_text(sql, deadline)) throw SqlError(std::move(*error));
  }

  postgresql::Connection& connection_;
  const std::string key_;
};

// A second connection holds the table locks and the snapshot, which each transaction of the first
// uses.
class SchemaSnapshot final : public Schema<CopySource> {
 public:
  explicit SchemaSnapshot(const PostgresqlSchema& location)
      : Schema(location, true),
        holder_(copying_options(location, true)),
        lock_(holder_, location.schema),
        held_(holder_, {begin_reading}) {
    // First, because a snapshot cannot be exported after a savepoint.
    reading_.push_back("SET TRANSACTION SNAPSHOT '" +
                       held_.text("SELECT pg_catalog.pg_export_snapshot()") + "'");
    const std::string names = base::join(
        read_tables(held_), [](const Table& table) { return schema::quoted(table.name); });
    if (!names.empty()) held_.run("LOCK TABLE " + names + " IN ACCESS SHARE MODE");
    lock_.release();
  }

 private:
  postgresql::Connection holder_;
  MigrationLock lock_;
  Change held_;
};

}  // namespace

std::unique_ptr<CopySource> read_schema_snapshot(const PostgresqlSchema& location) {
  return std::make_unique<SchemaSnapshot>(location);
}

}  // namespace tenon::data::copying
