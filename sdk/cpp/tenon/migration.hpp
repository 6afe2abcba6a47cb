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

/// One batch of a migration: a transaction that is committed together with what keep() said.
class MigrationBatch : public Statements {
 public:
  MigrationBatch(detail::Link& link, const tenon_db_migration_batch& raw,
                 tenon_db_migration_progress& progress) noexcept
      : Statements(link, raw.transaction), raw_(&raw), progress_(&progress) {
    progress.done = raw.done;
    progress.total = raw.total;
  }

  /// What the batch before kept; empty for the first.
  std::string_view checkpoint() const noexcept { return detail::view(raw_->checkpoint); }
  /// How far the batch before was.
  std::int64_t done() const noexcept { return raw_->done; }

  /// What the next batch needs to go on: at most 1,024 bytes of UTF-8. Throws Misuse for more.
  void save_checkpoint(std::string_view checkpoint) {
    if (checkpoint.size() > sizeof progress_->checkpoint)
      throw Misuse("a checkpoint of over 1,024 bytes");
    std::copy(checkpoint.begin(), checkpoint.end(), progress_->checkpoint);
    progress_->checkpoint_size = static_cast<std::uint32_t>(checkpoint.size());
  }
  /// For people: how far it is now; `total` 0: not known.
  void progress(std::int64_t done, std::int64_t total = 0) noexcept {
    progress_->done = done;
    progress_->total = total;
  }

 private:
  const tenon_db_migration_batch* raw_;
  tenon_db_migration_progress* progress_;
};

namespace detail {

/// The database may be used in front of start(), as long as this is there.
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
                      "It threw no std::exception.");
    }
  }
  static void drop(void* ctx) noexcept { delete static_cast<MigrationFunction*>(ctx); }
};

}  // namespace detail

/// Migrations that are functions, for what SQL cannot say or what takes too long for one
/// transaction.
class Migrations {
 public:
  explicit Migrations(detail::Link& link) noexcept : link_(&link) {}

  /// In the plugin's constructor, once for a number (1 to 9,999). `batch(tenon::MigrationBatch&)`
  /// does some of the work and returns true where there is more. It is called until it returns
  /// false, behind the migrations of tables.json and in front of start(), once in the life of the
  /// database: after a crash it goes on where the last batch that was committed left off. What it
  /// throws undoes the batch, and the plugin does not become active until it succeeds.
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
