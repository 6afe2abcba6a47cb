#include "engines/register.hpp"

#include "data/engine/engine_factory.hpp"
#include "postgresql/dump/snapshot.hpp"
#include "postgresql/dump/snapshot_file.hpp"
#include "postgresql/engine/engine.hpp"
#include "sqlite/engine/engine.hpp"
#include "sqlite/engine/lazy_engine.hpp"
#include "sqlite/snapshot/restore.hpp"
#include "sqlite/snapshot/snapshot.hpp"

namespace tenon::engines {

namespace {

using data::Database;
using Timeout = std::chrono::milliseconds;

constexpr data::SqliteFactory sqlite{
    [](data::DatabaseOptions options) -> std::shared_ptr<data::Engine> {
      if (options.closed) return std::make_shared<data::sqlite::LazyEngine>(std::move(options));
      return data::sqlite::Engine::open(std::move(options));
    },
    data::sqlite::plan_file,
    [](Database& database, const std::string& path, const data::CopyProgress& progress,
       Timeout timeout) {
      return data::sqlite::snapshot(data::sqlite::Engine::of(database), path, progress, timeout);
    },
    [](Database& database, const std::string& path) {
      return data::sqlite::start_snapshot(data::sqlite::Engine::of(database), path);
    },
    [](const std::string& snapshot) { data::sqlite::require_sound(snapshot); },
    data::sqlite::restore,
    data::sqlite::restore_by_link,
    data::sqlite::is_linked,
    data::sqlite::snapshot_facts,
    [](Database& database, const std::string& snapshot, Timeout timeout) {
      return data::sqlite::diff_since(data::sqlite::Engine::of(database), snapshot, timeout);
    },
    data::sqlite::diff_file_since};

constexpr data::PostgresqlFactory postgresql{
    [](data::DatabaseOptions options) -> std::shared_ptr<data::Engine> {
      return data::postgresql::Engine::open(std::move(options));
    },
    [](Database& database, const std::string& path, const data::CopyProgress& progress,
       Timeout timeout) {
      return data::postgresql::snapshot(data::postgresql::Engine::of(database).location(), path,
                                        progress, timeout);
    },
    data::postgresql::restore,
    data::postgresql::SnapshotReader::is_one,
    data::postgresql::snapshot_facts,
    [](Database& database, const std::string& snapshot, Timeout timeout) {
      return data::postgresql::diff_since(data::postgresql::Engine::of(database).location(),
                                          snapshot, timeout);
    },
    data::postgresql::diff_since};

}  // namespace

void register_all() noexcept {
  data::register_engine(sqlite);
  data::register_engine(postgresql);
}

}  // namespace tenon::engines
