#include "postgresql/engine/engine.hpp"

#include <algorithm>
#include <utility>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "data/engine/maintenance_thread.hpp"
#include "data/errors.hpp"
#include "postgresql/client/result_rows.hpp"
#include "postgresql/engine/transaction_state.hpp"
#include "postgresql/roles/write_lock_key.hpp"

namespace tenon::data::postgresql {

namespace {

ConnectionOptions connection_options(const DatabaseOptions& options, bool is_read_only,
                                     std::shared_ptr<SharedTimes> times) {
  const PostgresqlSchema& location = *options.postgresql;
  return {location.url,
          location.user,
          location.password,
          location.schema,
          options.confinement.trusted,
          is_read_only,
          options.confinement.limits,
          std::move(times),
          location.result_bytes};
}

}  // namespace

// One lock for each schema: the writers of all hosts queue as those of this host do.
std::string Engine::lock_sql() const {
  return "SELECT pg_catalog.pg_advisory_xact_lock(" + write_lock_key(options_.postgresql->schema) +
         ")";
}

ConnectionOptions Engine::owner_options() const {
  ConnectionOptions options = connection_options(options_, false, times_);
  options.is_trusted = true;
  if (options_.postgresql->owner.empty()) return options;
  options.user = options_.postgresql->owner;
  options.password = options_.postgresql->owner_password;
  return options;
}

std::shared_ptr<Engine> Engine::open(DatabaseOptions options) {
  auto engine = std::make_shared<Engine>(std::move(options));
  engine->register_engine();
  return engine;
}

Engine::Engine(DatabaseOptions options)
    : EngineCore(std::move(options), false),
      name_("postgresql " + options_.postgresql->schema),
      readers_(std::make_unique<Pool>(connection_options(options_, true, times_), options_.readers,
                                      counters_, back_off_)) {
  connect_writer();
}

Engine::~Engine() = default;

void Engine::connect_writer() {
  session_.reset();
  connection_.reset();
  connection_ = back_off_.connect(connection_options(options_, false, times_));
  const std::int64_t deadline =
      base::monotonic_nanoseconds() + nanoseconds_of(options_.waits.transaction);
  Outcome found = connection_->run(
      "SELECT EXISTS(SELECT 1 FROM pg_catalog.pg_constraint c JOIN pg_catalog.pg_namespace n ON "
      "n.oid = c.connamespace WHERE c.condeferrable AND n.nspname = ?1)",
      {options_.postgresql->schema}, deadline, {.is_own = true});
  if (found.error) throw SqlError(std::move(*found.error));
  if (auto error = connection_->run_text("PREPARE tenon_lock AS " + lock_sql(), deadline))
    throw SqlError(std::move(*error));
  session_.emplace(*connection_, std::vector<std::string>{"BEGIN", "EXECUTE tenon_lock"});
  has_deferrable_ = std::string_view(libpq().getvalue(found.result.get(), 0, 0)) == "t";
}

std::shared_ptr<data::TransactionState> Engine::make_state(TransactionKind kind,
                                                           std::int64_t deadline) {
  return std::make_shared<TransactionState>(shared_from_this(), kind, deadline);
}

Transaction Engine::begin_read(std::int64_t now, std::int64_t deadline, const Handle& handle) {
  auto state =
      std::make_shared<TransactionState>(shared_from_this(), TransactionKind::read, deadline);
  state->start(take_from(*readers_, now, deadline));
  add(*state, handle);
  return Transaction(std::move(state));
}

Outcome Engine::read(std::string_view sql, Cells cells, std::chrono::milliseconds timeout) {
  const std::int64_t now = base::monotonic_nanoseconds();
  const std::int64_t deadline = now + time_for(timeout);
  auto connection = take_from(*readers_, now, deadline);
  try {
    Outcome outcome = connection->run_alone(sql, cells, deadline);
    readers_->give(std::move(connection));
    return outcome;
  } catch (const SqlError& error) {
    readers_->give(std::move(connection));
    note(error);
    throw;
  } catch (...) {
    readers_->give(std::move(connection));
    throw;
  }
}

Rows Engine::query(std::string_view sql, Cells cells, std::chrono::milliseconds timeout) {
  return ResultRows::to_rows(read(sql, cells, timeout));
}

std::size_t Engine::append_json(JsonShape shape, JsonText& text, std::string_view sql, Cells cells,
                                std::chrono::milliseconds timeout) {
  return ResultRows(read(sql, cells, timeout)).append_json(shape, text);
}

Cursor Engine::open_cursor(std::string_view sql, Cells cells, const BatchLimits& limits,
                           std::chrono::milliseconds timeout, const Handle& handle) {
  const std::int64_t now = base::monotonic_nanoseconds();
  const std::int64_t deadline = now + time_for(timeout);
  auto state =
      std::make_shared<TransactionState>(shared_from_this(), TransactionKind::read, deadline);
  state->start(take_from(*readers_, now, deadline));
  add(*state, handle);
  return state->open(sql, cells, limits, true);
}

std::optional<SqlError> Engine::control(Control what) noexcept {
  if (what == Control::begin_write && (!connection_ || connection_->is_stale())) {
    try {
      connect_writer();
    } catch (const SqlError& error) {
      return error;
    } catch (const base::Error& error) {
      return SqlError(error.status(), error.code(), error.message(), 0, error.message());
    }
  }
  return session_->control(what);
}

bool Engine::is_transaction_open() const noexcept {
  return session_ && session_->is_open();
}

std::optional<SqlError> Engine::finish_member() noexcept {
  if (!has_deferrable_ || !session_->is_open()) return std::nullopt;
  auto error = session_->now("SET CONSTRAINTS ALL IMMEDIATE");
  if (!error) error = session_->now("SET CONSTRAINTS ALL DEFERRED");
  return error;
}

std::exception_ptr Engine::member_error(const SqlError& error) noexcept {
  if (error.status() == 409 || error.status() == 422) {
    // A constraint that was made since this connected; from here on each member is checked alone.
    has_deferrable_ = true;
    return std::make_exception_ptr(group_rolled_back_error());
  }
  return std::make_exception_ptr(error);
}

std::vector<std::string> Engine::quick_check(int) {
  // The server checks its own pages; here only a response can be asked for.
  read("SELECT 1", {}, {});
  return {};
}

void Engine::note(const SqlError& error) noexcept {
  if (error.code() == "data.timeout") Counters::add(counters_.timeouts);
  if (error.code() == "data.disk_full") {
    Counters::add(counters_.disk_full);
    note_trouble(Fault::disk_full, error.detail());
  }
  if (error.code() == "data.io" || error.code() == "data.connection_lost")
    note_trouble(Fault::io_failed, error.detail());
}

void Engine::note_trouble(Fault fault, const std::string& detail) noexcept {
  {
    const std::lock_guard lock(fault_mutex_);
    if (std::exchange(trouble_, fault) == fault) return;
    trouble_detail_ = detail;
  }
  maintenance_->wake();
}

void Engine::note_written() noexcept {
  note_trouble(Fault::healed, {});
}

void Engine::report_faults() noexcept {
  std::string detail;
  Fault now = Fault::healed;
  {
    const std::lock_guard lock(fault_mutex_);
    if (trouble_ == reported_trouble_) return;
    now = reported_trouble_ = trouble_;
    detail = trouble_detail_;
  }
  report_fault(now, name_, detail);
}

bool Engine::run_maintenance() noexcept {
  report_faults();
  return expire_due(base::monotonic_nanoseconds());
}

void Engine::close() noexcept {
  if (!begin_close()) return;
  writer().close();
  readers_->close();
  end_writing();
  report_faults();
  session_.reset();
  connection_.reset();
}

}  // namespace tenon::data::postgresql
