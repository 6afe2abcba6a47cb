#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "data/cell.hpp"
#include "data/engine/counters.hpp"
#include "data/json_rows.hpp"
#include "data/limits.hpp"
#include "data/sql_error.hpp"
#include "postgresql/client/libpq.hpp"

namespace tenon::data::postgresql {

struct ClearResult {
  void operator()(PGresult* result) const noexcept { libpq().clear(result); }
};
using Result = std::unique_ptr<PGresult, ClearResult>;

/// How long a cancelled statement may take to end before its connection is given up.
inline constexpr std::chrono::milliseconds cancel_timeout{2'000};

struct ConnectionOptions {
  std::string url;       ///< libpq's URI or keywords
  std::string user;      ///< empty: the URL's
  std::string password;  ///< empty: the URL's
  std::string schema;    ///< the only one on the search path
  bool is_trusted = false;
  bool is_read_only = false;
  StatementLimits limits;
  std::shared_ptr<SharedTimes> times;  ///< of statements; counted where it is given
  std::size_t result_bytes = max_result_bytes;
};

/// A statement as a connection has prepared it. Shared with the rows of its results.
struct Prepared {
  std::string sql;   ///< as the caller wrote it
  std::string name;  ///< on the server; empty: prepared again for each call
  std::vector<Oid> types;
  bool is_inferred = false;  ///< every type is the server's choice: it takes all kinds of values
  /// Of its results, made with the first one: the server refuses to run it with other columns.
  /// None before, and for what the room itself asks.
  JsonMembers members = {};
};

struct RunOptions {
  std::string_view prefix = {};  ///< the room's own, in front of the statement
  bool is_own = false;           ///< the whole text is the room's: no confinement
  std::string_view role = {};    ///< as whom, in a Session; empty: who is logged in
};

/// The outcome of a statement: a result, or the error.
struct Outcome {
  Result result;
  std::shared_ptr<Prepared> statement;
  std::optional<SqlError> error;
  bool is_worth_retrying = false;  ///< the same call prepares it otherwise now
};

/// Bytes of a COPY, in pieces of any size.
using TakePiece = std::function<void(std::string_view)>;
using GivePiece = std::function<std::string_view()>;

/// Finds texts without making strings of them.
struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const noexcept {
    return std::hash<std::string_view>()(text);
  }
};

/// One connection to PostgreSQL, in the extended protocol with prepared statements. Never waits
/// longer than the deadline of a call and cancel_timeout: a statement past its deadline is
/// cancelled from here, whatever the session's own timeouts say. One thread at a time.
class Connection {
 public:
  /// Connects. Throws 503 data.connection_lost.
  explicit Connection(const ConnectionOptions& options);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// Runs one statement, after the deferred ones, in one exchange with the server. `deadline`:
  /// base::monotonic_nanoseconds. Throws 500 data.denied and data.sql before anything is sent; what
  /// the server says is in the outcome.
  Outcome run(std::string_view sql, Cells cells, std::int64_t deadline, const RunOptions& how = {});
  /// The same in no transaction, tried again where that is worth it; throws what it fails with.
  Outcome run_alone(std::string_view sql, Cells cells, std::int64_t deadline);

  /// A statement of the room itself, sent with the next run(). It must not fail by itself.
  void defer(std::string_view sql) { deferred_.emplace_back(sql); }
  void forget_deferred() noexcept { deferred_.clear(); }
  bool has_deferred() const noexcept { return !deferred_.empty(); }
  /// ConnectionOptions'.
  std::size_t result_bytes() const noexcept { return result_bytes_; }

  /// Runs what was deferred and trusted text of the room, any number of statements, at once.
  std::optional<SqlError> run_text(const std::string& sql, std::int64_t deadline);

  /// Runs a COPY … TO STDOUT; each piece that comes is given to `take`, one by one. Returns the
  /// rows. Throws what the server says; what `take` throws ends the connection.
  std::int64_t copy_out(const std::string& sql, std::int64_t deadline, const TakePiece& take);
  /// Runs a COPY … FROM STDIN of the pieces that `give` gives, until an empty one. The same.
  std::int64_t copy_in(const std::string& sql, std::int64_t deadline, const GivePiece& give);

  /// Looks whether the server has closed the connection while it was idle, where that was a while.
  bool is_stale() noexcept;
  /// True when it cannot be used any more: the server is gone, or does not react.
  bool is_broken() const noexcept { return is_broken_; }

  PGconn* handle() const noexcept { return connection_; }

 private:
  using Variants = std::vector<std::list<std::shared_ptr<Prepared>>::iterator>;

  std::shared_ptr<Prepared> prepared_for(std::string_view sql, Cells cells, const RunOptions& how,
                                         bool& is_new);
  void keep(std::string_view sql, const std::shared_ptr<Prepared>& statement);
  void forget(std::string_view sql, const Prepared& statement);
  void bind(Cells cells);
  bool send(const Prepared& statement, bool is_new, std::size_t& commands);
  /// The next result; null at the end of a command's results.
  Result next_result(std::int64_t& deadline);
  void cancel() noexcept;
  void wait_for(short events, std::int64_t deadline);
  void flush(std::int64_t deadline);
  void begin_copy(const std::string& sql, std::int64_t deadline, ExecStatusType wanted);
  std::int64_t end_copy(std::int64_t deadline);
  [[noreturn]] void give_up(std::string detail);
  void note(const Prepared& statement, std::int64_t begin, bool has_failed) noexcept;

  const bool is_trusted_;
  const bool is_read_only_;
  const StatementLimits limits_;
  const std::size_t result_bytes_;
  const std::string name_;  ///< for the slow log
  PGconn* connection_ = nullptr;
  bool is_broken_ = false;
  std::int64_t used_at_ = 0;
  bool is_cancelled_ = false;
  bool is_too_large_ = false;
  std::size_t received_ = 0;
  std::uint64_t made_ = 0;

  std::vector<std::string> deferred_;
  std::vector<std::string> dropped_;  ///< names to be deallocated
  std::list<std::shared_ptr<Prepared>> newest_first_;
  std::unordered_map<std::string, Variants, TextHash, std::equal_to<>> statements_;
  std::unordered_set<std::string> untyped_;  ///< texts whose parameters the server has to infer

  std::string bytes_;  ///< of the values that are bound
  std::vector<std::size_t> offsets_;
  std::vector<const char*> values_;
  std::vector<int> lengths_;
  std::vector<int> formats_;
  const std::shared_ptr<SharedTimes> times_;
};

}  // namespace tenon::data::postgresql
