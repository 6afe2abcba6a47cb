#include "postgresql/client/connection.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include <poll.h>
#include <sys/ioctl.h>

#include "base/clock.hpp"
#include "observability/slow_log.hpp"
#include "postgresql/client/server_error.hpp"
#include "postgresql/sql_guard/statement_text.hpp"

namespace tenon::data::postgresql {

namespace {

constexpr Oid inferred = 0;
constexpr Oid bytes_oid = 17;
constexpr Oid integer_oid = 20;
constexpr Oid text_oid = 25;
constexpr Oid number_oid = 701;

// Returns the declared type of a value, for the cases in which the server need not infer it.
Oid type_of(const Cell& cell) noexcept {
  switch (cell.kind()) {
    case CellKind::integer:
      return integer_oid;
    case CellKind::number:
      return number_oid;
    case CellKind::blob:
      return bytes_oid;
    default:
      return inferred;
  }
}

bool fits(const Cell& cell, Oid type) noexcept {
  return cell.is_null() || type == type_of(cell) || type == text_oid ||
         (type == number_oid && cell.kind() == CellKind::integer);
}

// Types that do not go together in the statement, or an operator that is not there for them.
bool is_about_types(const PGresult* result) noexcept {
  const char* state = libpq().resultErrorField(result, PG_DIAG_SQLSTATE);
  if (!state) return false;
  const std::string_view code = state;
  return code == "42883" || code == "42804" || code == "42P18" || code == "42725" ||
         code == "42846";
}

// A statement that was prepared before its tables were changed.
bool is_outdated(const PGresult* result) noexcept {
  const char* state = libpq().resultErrorField(result, PG_DIAG_SQLSTATE);
  return state && (std::string_view(state) == "0A000" || is_about_types(result));
}

// Counts the values alone, but first asks libpq for its total, which needs no counting.
bool is_larger(const PGresult* result, std::size_t limit) noexcept {
  if (libpq().resultMemorySize(result) <= limit) return false;
  std::size_t bytes = 0;
  for (int row = 0; row < libpq().ntuples(result); ++row) {
    for (int column = 0; column < libpq().nfields(result); ++column)
      bytes += static_cast<std::size_t>(libpq().getlength(result, row, column));
  }
  return bytes > limit;
}

void add_members(const PGresult* result, JsonMembers& members) {
  for (int i = 0; i < libpq().nfields(result); ++i)
    members.add(libpq().fname(result, i));
}

// The best plan of a search depends on how frequent its words are. PostgreSQL reuses the plan of a
// named statement for other words, so that a search is sent as the unnamed one and planned with its
// values.
bool is_planned_with_values(std::string_view sql) noexcept {
  return sql.find("tenon_search_query(") != std::string_view::npos;
}

SqlError too_large() {
  return {413, "data.too_large", "A value or a statement is larger than the database takes.", 0,
          "a value, a statement or a result is over its limit"};
}

SqlError refused_statement(std::string detail) {
  return {500, "data.sql", "The database refused a statement.", 0, std::move(detail)};
}

}  // namespace

Connection::Connection(const ConnectionOptions& options)
    : is_trusted_(options.is_trusted),
      is_read_only_(options.is_read_only),
      limits_(options.limits),
      result_bytes_(options.result_bytes),
      name_("postgresql " + options.schema),
      times_(options.times) {
  std::string settings =
      "-c standard_conforming_strings=on -c client_min_messages=error -c DateStyle=ISO "
      "-c TimeZone=UTC -c bytea_output=hex -c extra_float_digits=1 -c IntervalStyle=iso_8601 "
      "-c default_transaction_isolation=read\\ committed";
  if (!options.schema.empty()) settings += " -c search_path=\"" + options.schema + "\"";
  settings += options.is_read_only ? " -c default_transaction_read_only=on"
                                   : " -c default_transaction_read_only=off";
  std::vector<const char*> keys = {"dbname",          "options",         "client_encoding",
                                   "connect_timeout", "keepalives_idle", "tcp_user_timeout"};
  std::vector<const char*> values = {
      options.url.c_str(), settings.c_str(), "UTF8", "5", "10", "10000"};
  if (!options.user.empty()) {
    keys.push_back("user");
    values.push_back(options.user.c_str());
  }
  if (!options.password.empty()) {
    keys.push_back("password");
    values.push_back(options.password.c_str());
  }
  keys.push_back(nullptr);
  values.push_back(nullptr);
  connection_ = libpq().connectdbParams(keys.data(), values.data(), 1);
  if (!connection_ || libpq().status(connection_) != CONNECTION_OK) {
    auto error = lost_error(connection_ ? libpq().errorMessage(connection_) : "no memory");
    libpq().finish(connection_);
    throw error;
  }
  libpq().setnonblocking(connection_, 1);
}

Connection::~Connection() {
  libpq().finish(connection_);
}

void Connection::give_up(std::string detail) {
  is_broken_ = true;
  throw lost_error(std::move(detail));
}

void Connection::cancel() noexcept {
  is_cancelled_ = true;
  if (PGcancel* cancel = libpq().getCancel(connection_)) {
    std::array<char, 256> reason{};
    libpq().cancel(cancel, reason.data(), static_cast<int>(reason.size()));
    libpq().freeCancel(cancel);
  }
}

Result Connection::next_result(std::int64_t& deadline) {
  constexpr std::int64_t millisecond = 1'000'000;
  bool is_more = false;
  while (libpq().isBusy(connection_)) {
    const int flushed = libpq().flush(connection_);
    if (flushed < 0) give_up(libpq().errorMessage(connection_));
    const std::int64_t left = deadline - base::monotonic_nanoseconds();
    if (left <= 0) {
      if (is_cancelled_) give_up("a cancelled statement did not end");
      cancel();
      deadline = base::monotonic_nanoseconds() + cancel_timeout.count() * millisecond;
      continue;
    }
    pollfd waiting{libpq().socket(connection_),
                   static_cast<short>(flushed == 1 ? POLLIN | POLLOUT : POLLIN), 0};
    const int ready = ::poll(&waiting, 1, static_cast<int>(left / millisecond + 1));
    if (ready <= 0 || (waiting.revents & (POLLIN | POLLHUP | POLLERR)) == 0) continue;
    // A result that comes in one piece is small.
    int arrived = 0;
    if (std::exchange(is_more, true) && ::ioctl(waiting.fd, FIONREAD, &arrived) == 0)
      received_ += static_cast<std::size_t>(std::max(arrived, 0));
    if (received_ > result_bytes_ && !is_too_large_) {
      is_too_large_ = true;
      cancel();
      deadline = base::monotonic_nanoseconds() + cancel_timeout.count() * millisecond;
    }
    if (!libpq().consumeInput(connection_)) give_up(libpq().errorMessage(connection_));
  }
  return Result(libpq().getResult(connection_));
}

std::shared_ptr<Prepared> Connection::prepared_for(std::string_view sql, Cells cells,
                                                   const RunOptions& how, bool& is_new) {
  is_new = false;
  const std::string key =
      how.prefix.empty() ? std::string() : std::string(how.prefix) + std::string(sql);
  const std::string_view cache_key = how.prefix.empty() ? sql : key;
  const auto found = statements_.find(cache_key);
  const std::size_t variants = found == statements_.end() ? 0 : found->second.size();
  for (std::size_t v = 0; v < variants; ++v) {
    const auto& entry = found->second[v];
    const auto& types = (*entry)->types;
    bool is_fitting = types.size() == cells.size();
    for (std::size_t i = 0; i < cells.size() && is_fitting && !(*entry)->is_inferred; ++i)
      is_fitting = fits(cells[i], types[i]);
    if (!is_fitting) continue;
    newest_first_.splice(newest_first_.begin(), newest_first_, entry);
    return *entry;
  }
  const StatementText text = translate(sql, is_trusted_ || how.is_own);
  if (text.parameters != cells.size()) {
    throw refused_statement("the statement has " + std::to_string(text.parameters) +
                            " parameters, " + std::to_string(cells.size()) + " values were given");
  }
  constexpr std::size_t max_variants = 4;
  auto statement = std::make_shared<Prepared>();
  statement->sql = std::string(how.prefix) + text.sql;
  if (!is_planned_with_values(sql)) statement->name = "s" + std::to_string(++made_);
  statement->is_inferred = variants >= max_variants || untyped_.contains(std::string(cache_key));
  for (std::size_t i = 0; i < cells.size(); ++i) {
    // From one that the text has not, nothing can be inferred; any value is a text.
    statement->types.push_back(!text.is_used[i]         ? text_oid
                               : statement->is_inferred ? inferred
                                                        : type_of(cells[i]));
  }
  is_new = true;
  return statement;
}

void Connection::bind(Cells cells) {
  constexpr std::size_t retained_bytes = 1024 * 1024;
  if (bytes_.capacity() > retained_bytes) bytes_ = std::string();
  bytes_.clear();
  offsets_.assign(cells.size(), 0);
  values_.assign(cells.size(), nullptr);
  lengths_.assign(cells.size(), 0);
  formats_.assign(cells.size(), 0);
  std::array<char, 40> digits{};
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const Cell& cell = cells[i];
    offsets_[i] = bytes_.size();
    switch (cell.kind()) {
      case CellKind::null:
        continue;
      case CellKind::integer:
        bytes_.append(digits.data(),
                      std::to_chars(digits.begin(), digits.end(), cell.integer()).ptr);
        break;
      case CellKind::number:
        if (std::isnan(cell.number())) continue;  // as in SQLite
        bytes_.append(digits.data(),
                      std::to_chars(digits.begin(), digits.end(), cell.number()).ptr);
        break;
      case CellKind::text:
        if (cell.text().find('\0') != std::string_view::npos) {
          throw SqlError(422, "data.type", "A value has the wrong type for its field.", 0,
                         "PostgreSQL stores no text with a NUL in it");
        }
        [[fallthrough]];
      case CellKind::blob:
        if (cell.text().size() > static_cast<std::size_t>(limits_.value_bytes)) throw too_large();
        bytes_.append(cell.text());
        break;
    }
    lengths_[i] = static_cast<int>(bytes_.size() - offsets_[i]);
    formats_[i] = cell.kind() == CellKind::blob ? 1 : 0;
    bytes_ += '\0';
    values_[i] = "";
  }
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (values_[i]) values_[i] = bytes_.data() + offsets_[i];
  }
}

bool Connection::send(const Prepared& statement, bool is_new, std::size_t& commands) {
  const int count = static_cast<int>(statement.types.size());
  const auto execute = [&] {
    return libpq().sendQueryPrepared(connection_, statement.name.c_str(), count, values_.data(),
                                     lengths_.data(), formats_.data(), 0) == 1;
  };
  commands = 1;
  if (!is_new && deferred_.empty()) return execute();
  if (libpq().enterPipelineMode(connection_) != 1) return false;
  const auto plain = [&](const std::string& sql) {
    ++commands;
    return libpq().sendQueryParams(connection_, sql.c_str(), 0, nullptr, nullptr, nullptr, nullptr,
                                   0) == 1;
  };
  for (const auto& sql : deferred_) {
    if (!plain(sql)) return false;
  }
  deferred_.clear();
  if (is_new) {
    for (const auto& name : dropped_) {
      if (!plain("DEALLOCATE " + name)) return false;
    }
    dropped_.clear();
    ++commands;
    if (libpq().sendPrepare(connection_, statement.name.c_str(), statement.sql.c_str(), count,
                            statement.types.data()) != 1)
      return false;
  }
  return execute() && libpq().pipelineSync(connection_) == 1;
}

void Connection::keep(std::string_view sql, const std::shared_ptr<Prepared>& statement) {
  newest_first_.push_front(statement);
  statements_[std::string(sql)].push_back(newest_first_.begin());
  if (newest_first_.size() <= cached_statements) return;
  const auto oldest = std::prev(newest_first_.end());
  dropped_.push_back((*oldest)->name);
  for (auto it = statements_.begin(); it != statements_.end(); ++it) {
    if (std::erase(it->second, oldest) == 0) continue;
    if (it->second.empty()) statements_.erase(it);
    break;
  }
  newest_first_.erase(oldest);
}

void Connection::forget(std::string_view sql, const Prepared& statement) {
  const auto found = statements_.find(sql);
  if (found == statements_.end()) return;
  const auto entry = std::find_if(found->second.begin(), found->second.end(),
                                  [&](const auto& one) { return one->get() == &statement; });
  if (entry == found->second.end()) return;
  dropped_.push_back(statement.name);
  newest_first_.erase(*entry);
  found->second.erase(entry);
  if (found->second.empty()) statements_.erase(found);
}

void Connection::note(const Prepared& statement, std::int64_t begin, bool has_failed) noexcept {
  const std::int64_t end = used_at_;
  if (times_) times_->record(end - begin);
  if (!observability::is_noteworthy(end - begin)) return;
  // The number after it is no value that a statement could have bound.
  const std::string_view sql = statement.sql;
  observability::note_statement({.sql = sql.substr(0, sql.find(" PASSWORD '")),
                                 .database = name_,
                                 .begin = begin,
                                 .end = end,
                                 .has_failed = has_failed});
}

Outcome Connection::run(std::string_view sql, Cells cells, std::int64_t deadline,
                        const RunOptions& how) {
  // The same statement with a prefix is another one.
  const std::string key =
      how.prefix.empty() ? std::string() : std::string(how.prefix) + std::string(sql);
  if (is_broken_) throw lost_error("the connection is lost");
  if (sql.size() > static_cast<std::size_t>(limits_.sql_bytes) ||
      cells.size() > static_cast<std::size_t>(limits_.parameters))
    throw too_large();
  const std::int64_t begin = base::monotonic_nanoseconds();
  Outcome outcome;
  bool is_new = false;
  outcome.statement = prepared_for(sql, cells, how, is_new);
  bind(cells);
  is_cancelled_ = is_too_large_ = false;
  received_ = 0;
  std::size_t commands = 0;
  if (!send(*outcome.statement, is_new, commands)) give_up(libpq().errorMessage(connection_));
  const bool is_pipeline = libpq().pipelineStatus(connection_) != PQ_PIPELINE_OFF;
  bool has_prepared = is_new;
  bool is_stale_statement = false;
  for (std::size_t command = 1; command <= commands; ++command) {
    while (Result result = next_result(deadline)) {
      const auto status = libpq().resultStatus(result.get());
      if (status == PGRES_COPY_IN || status == PGRES_COPY_OUT || status == PGRES_COPY_BOTH)
        give_up("COPY is not a statement that may be run here");
      if (status == PGRES_FATAL_ERROR && !outcome.error) {
        outcome.error = server_error(result.get(), !is_read_only_);
        const bool is_prepare = is_new && command + 1 == commands;
        if (command < commands) has_prepared = false;
        is_stale_statement = !is_new && command == commands && is_outdated(result.get());
        outcome.is_worth_retrying = is_stale_statement;
        if (is_prepare && is_about_types(result.get())) {
          const auto& types = outcome.statement->types;
          outcome.is_worth_retrying = !outcome.statement->is_inferred &&
                                      std::any_of(types.begin(), types.end(), [](Oid type) {
                                        return type != inferred && type != text_oid;
                                      });
        }
      }
      if (command == commands) outcome.result = std::move(result);
    }
  }
  if (is_pipeline) {
    while (Result result = next_result(deadline)) {
      if (libpq().resultStatus(result.get()) == PGRES_PIPELINE_SYNC) break;
    }
    if (libpq().exitPipelineMode(connection_) != 1) give_up("the pipeline did not end");
  }
  if (libpq().status(connection_) != CONNECTION_OK) is_broken_ = true;
  const std::string_view cache_key = how.prefix.empty() ? sql : key;
  if (is_stale_statement) {
    forget(cache_key, *outcome.statement);
  } else if (outcome.is_worth_retrying) {
    untyped_.insert(std::string(cache_key));
  }
  if (has_prepared && !outcome.statement->name.empty()) keep(cache_key, outcome.statement);
  // Data that arrived unobserved was not counted.
  if (is_too_large_ || (outcome.result && is_larger(outcome.result.get(), result_bytes_)))
    outcome.error = too_large();
  if (!outcome.error && !outcome.result) give_up("the server sent no result");
  if (outcome.error) outcome.result.reset();
  used_at_ = base::monotonic_nanoseconds();
  if (!how.is_own) {
    if (outcome.result && outcome.statement->members.list.empty())
      add_members(outcome.result.get(), outcome.statement->members);
    note(*outcome.statement, begin, outcome.error.has_value());
  }
  return outcome;
}

Outcome Connection::run_alone(std::string_view sql, Cells cells, std::int64_t deadline) {
  Outcome outcome = run(sql, cells, deadline);
  if (outcome.is_worth_retrying) outcome = run(sql, cells, deadline);
  if (outcome.error) throw SqlError(std::move(*outcome.error));
  return outcome;
}

bool Connection::is_stale() noexcept {
  constexpr std::int64_t a_while = 10'000'000;
  if (is_broken_) return true;
  if (base::monotonic_nanoseconds() - used_at_ < a_while) return false;
  pollfd waiting{libpq().socket(connection_), POLLIN, 0};
  if (::poll(&waiting, 1, 0) == 0) return false;
  // An idle connection sends only a notice, or that it ends.
  is_broken_ =
      libpq().consumeInput(connection_) != 1 || libpq().status(connection_) != CONNECTION_OK;
  return is_broken_;
}

std::optional<SqlError> Connection::run_text(const std::string& sql, std::int64_t deadline) {
  if (is_broken_) return lost_error("the connection is lost");
  std::string all;
  for (const auto& one : std::exchange(deferred_, {}))
    all += one + ";";
  all += sql;
  is_cancelled_ = is_too_large_ = false;
  received_ = 0;
  std::optional<SqlError> error;
  try {
    if (libpq().sendQuery(connection_, all.c_str()) != 1)
      give_up(libpq().errorMessage(connection_));
    while (Result result = next_result(deadline)) {
      const auto status = libpq().resultStatus(result.get());
      if (status == PGRES_COPY_IN || status == PGRES_COPY_OUT || status == PGRES_COPY_BOTH)
        give_up("COPY is not a statement that may be run here");
      if (status == PGRES_FATAL_ERROR && !error) error = server_error(result.get(), !is_read_only_);
    }
    if (libpq().status(connection_) != CONNECTION_OK) is_broken_ = true;
  } catch (const SqlError& lost) {
    return lost;
  }
  return error;
}

}  // namespace tenon::data::postgresql
