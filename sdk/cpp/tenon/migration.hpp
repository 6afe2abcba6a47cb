#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <string_view>
#include <utility>

#include <tenon/database.hpp>
#include <tenon/db.h>
#include <tenon/detail/link.hpp>

namespace tenon {

/// One batch of a migration: a transaction that is committed together with its checkpoint.
class MigrationBatch : public Statements {
 public:
  MigrationBatch(detail::Link& link, const tenon_db_migration_batch& raw,
                 tenon_db_migration_progress& progress) noexcept
      : Statements(link, raw.transaction), raw_(&raw), progress_(&progress) {
    progress.done = raw.done;
    progress.total = raw.total;
  }

  /// Returns the checkpoint of the previous batch; empty for the first.
  std::string_view checkpoint() const noexcept { return detail::view(raw_->checkpoint); }
  /// Returns the progress of the previous batch.
  std::int64_t done() const noexcept { return raw_->done; }

  /// Stores the position for the next batch: at most 1,024 bytes of UTF-8. Throws Misuse for more.
  void save_checkpoint(std::string_view checkpoint) {
    if (checkpoint.size() > sizeof progress_->checkpoint)
      throw Misuse("the checkpoint has more than 1,024 bytes");
    std::copy(checkpoint.begin(), checkpoint.end(), progress_->checkpoint);
    progress_->checkpoint_size = static_cast<std::uint32_t>(checkpoint.size());
  }
  /// Reports the progress shown to people; `total` 0: unknown.
  void progress(std::int64_t done, std::int64_t total = 0) noexcept {
    progress_->done = done;
    progress_->total = total;
  }

 private:
  const tenon_db_migration_batch* raw_;
  tenon_db_migration_progress* progress_;
};

namespace detail {

/// Allows database calls before start() while this object exists.
class Using {
 public:
  explicit Using(Link& link) noexcept : link_(link) { link_.enter(State::starting); }
  ~Using() { link_.enter(State::created); }
  Using(const Using&) = delete;
  Using& operator=(const Using&) = delete;

 private:
  Link& link_;
};

template <class F>
struct MigrationFunction {
  F work;
  Link* link;

  static tenon_code fn(void* ctx, const tenon_db_migration_batch* batch,
                       tenon_db_migration_progress* progress, tenon_error* error) noexcept {
    auto& self = *static_cast<MigrationFunction*>(ctx);
    try {
      const Using usable(*self.link);
      MigrationBatch one(*self.link, *batch, *progress);
      return self.work(one) ? TENON_OK : TENON_DONE;
    } catch (const Error& failure) {
      return describe(error, TENON_E_INTERNAL, failure.status(), failure.code(), failure.message());
    } catch (const std::exception& failure) {
      return describe(error, TENON_E_INTERNAL, 500, "migration.threw", failure.what());
    } catch (...) {
      return describe(error, TENON_E_INTERNAL, 500, "migration.threw",
                      "An exception that is not a std::exception was thrown.");
    }
  }
  static void drop(void* ctx) noexcept { delete static_cast<MigrationFunction*>(ctx); }
};

}  // namespace detail

/// Migration functions, for migrations that SQL cannot express or that take too long for one
/// transaction.
class Migrations {
 public:
  explicit Migrations(detail::Link& link) noexcept : link_(&link) {}

  /// Registers a migration under a number from 1 to 9,999, once for each number. Call it in the
  /// plugin's constructor. `batch(tenon::MigrationBatch&)` does part of the work and returns true
  /// if there is more.
  ///
  /// The host calls it until it returns false, after the migrations of tables.json and before
  /// start(), once in the life of the database. After a crash it continues after the last committed
  /// batch. If it throws, the batch is rolled back, and the plugin does not become active until the
  /// migration succeeds.
  template <class F>
  void add(std::uint32_t number, std::string_view name, F batch) {
    const tenon_db& db = link_->need<tenon_db>(TENON_NEED(tenon_db, migrate), "migrate");
    using Function = detail::MigrationFunction<F>;
    auto made = std::make_unique<Function>(Function{std::move(batch), link_});
    const tenon_db_migration raw{&Function::fn, made.release(), &Function::drop};
    tenon_error error = detail::empty_error();
    detail::check(db.migrate(link_->host(), number, detail::span(name), &raw, &error), error);
  }

 private:
  detail::Link* link_;
};

}  // namespace tenon
