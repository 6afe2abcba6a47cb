#pragma once

#include <array>
#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <iterator>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <tenon/db.h>
#include <tenon/deferred.hpp>
#include <tenon/detail/link.hpp>
#include <tenon/row.hpp>
#include <tenon/rows.hpp>

namespace tenon {

/// The effect of a statement.
struct Changes {
  std::int64_t rows = 0;         ///< number of rows inserted, updated or deleted
  std::int64_t last_row_id = 0;  ///< rowid of the last insert into a table with a rowid
};

/// The database engine.
enum class Engine : std::uint32_t { sqlite = TENON_DB_SQLITE, postgresql = TENON_DB_POSTGRESQL };

/// Runs SQL statements, either in one transaction or each in its own transaction. SQL parameters
/// are `?`, `?1` or `:name` and are always bound. Values may be nullptr, bool, integers, doubles,
/// text, Bytes, an optional of these, or one Arguments.
class Statements {
 public:
  /// Returns true if each statement runs in its own transaction, i.e. if this is a Database.
  bool is_alone() const noexcept { return transaction_ == TENON_DB_AUTOCOMMIT; }
  /// Returns the engine of the database, for statements that differ between the engines. The value
  /// does not change while the plugin exists, and the call is cheap. Usable in all states.
  Engine engine() const noexcept {
    const tenon_db* db = link_->find<tenon_db>();
    std::uint32_t engine = TENON_DB_SQLITE;
    // A host without this function supports SQLite only.
    if (db != nullptr && db->size >= TENON_NEED(tenon_db, engine))
      db->engine(link_->host(), &engine);
    return static_cast<Engine>(engine);
  }
  /// Internal to the SDK.
  tenon_handle handle() const noexcept { return transaction_; }
  detail::Link& link() const noexcept { return *link_; }

  /// Runs a statement that returns no rows.
  template <class... Args>
  Changes exec(std::string_view sql, const Args&... args) {
    return bound([&](std::span<const tenon_cell> cells) { return run(sql, cells); }, args...);
  }

  /// Runs a statement that returns rows: `for (const Row& row : query("SELECT …", id)) …`
  template <class... Args>
  [[nodiscard]] Rows query(std::string_view sql, const Args&... args) {
    return bound([&](std::span<const tenon_cell> cells) { return open(sql, cells); }, args...);
  }

  /// Returns the first row as T (see Row::into), or empty.
  template <class T, class... Args>
  [[nodiscard]] std::optional<T> first(std::string_view sql, const Args&... args) {
    static_assert(!std::same_as<T, std::string_view> && !std::same_as<T, Bytes>,
                  "the row is invalid when this returns: read a std::string or a vector");
    return query(sql, args...).template first<T>();
  }

  /// Returns all rows as a JSON array of objects, directly from the database: `return
  /// Response::json_text(database().json_rows("SELECT …", id))`. Members are named after the
  /// columns. Blobs are base64, NULL is null, integers have all digits. A column `AS "x:boolean"`
  /// becomes true or false; the text of a column `AS "x:json"` is inserted as JSON. Throws Error
  /// 413 beyond 16 MiB.
  template <class... Args>
  [[nodiscard]] std::string json_rows(std::string_view sql, const Args&... args) {
    return bound(
        [&](std::span<const tenon_cell> cells) {
          return *read_json(TENON_DB_JSON_ROWS, sql, cells);
        },
        args...);
  }

  /// Returns the first row as a JSON object in the format of json_rows(), or empty if there is
  /// none.
  template <class... Args>
  [[nodiscard]] std::optional<std::string> json_row(std::string_view sql, const Args&... args) {
    return bound(
        [&](std::span<const tenon_cell> cells) { return read_json(TENON_DB_JSON_ROW, sql, cells); },
        args...);
  }

  /// Returns all rows as T (see Row::into).
  template <class T, class... Args>
  [[nodiscard]] std::vector<T> all(std::string_view sql, const Args&... args) {
    static_assert(!std::same_as<T, std::string_view> && !std::same_as<T, Bytes>,
                  "the rows are invalid when this returns: read std::string or vectors");
    return query(sql, args...).template all<T>();
  }

 protected:
  Statements(detail::Link& link, tenon_handle transaction) noexcept
      : link_(&link), transaction_(transaction) {}
  ~Statements() = default;
  Statements(const Statements&) = delete;
  Statements& operator=(const Statements&) = delete;

  detail::Link* link_;
  tenon_handle transaction_;
  bool is_finished_ = false;

 private:
  static constexpr std::size_t wrapping_bytes = 64;

  template <class F, class... Args>
  static auto bound(const F& work, const Args&... args) {
    if constexpr (sizeof...(Args) == 1 && (std::same_as<Args, Arguments> && ...)) {
      return work((args, ...).cells());
    } else {
      static_assert((detail::Bindable<Args> && ...),
                    "a parameter has a type that no column can store");
      const std::array<tenon_cell, sizeof...(Args)> cells{detail::to_cell(args)...};
      return work(std::span<const tenon_cell>(cells));
    }
  }

  void require_open() const {
    link_->require(State::starting, State::quiescing, "the database");
    detail::Link::require_blocking("the database");
    if (is_finished_) throw Misuse("a statement was run after the end of its transaction");
  }

  Changes run(std::string_view sql, std::span<const tenon_cell> cells) {
    require_open();
    tenon_db_result result{};
    result.size = sizeof result;
    tenon_error error = detail::empty_error();
    detail::check(TENON_CALL(*link_, tenon_db, exec, transaction_, detail::span(sql), cells.data(),
                             static_cast<std::uint32_t>(cells.size()), &result, &error),
                  error);
    return {result.changes, result.last_row_id};
  }

  std::optional<std::string> read_json(std::uint32_t shape, std::string_view sql,
                                       std::span<const tenon_cell> cells) {
    require_open();
    struct Copied {
      std::string text;
      bool has_failed = false;
    } taken;
    const tenon_text_sink sink{[](void* ctx, tenon_span text) noexcept {
                                 auto& to = *static_cast<Copied*>(ctx);
                                 try {
                                   // Leaves space for what the response adds.
                                   to.text.reserve(text.size + wrapping_bytes);
                                   to.text = detail::view(text);
                                 } catch (...) {
                                   to.has_failed = true;
                                 }
                               },
                               &taken};
    tenon_error error = detail::empty_error();
    const tenon_code code =
        TENON_CALL(*link_, tenon_db, query_json, transaction_, shape, detail::span(sql),
                   cells.data(), static_cast<std::uint32_t>(cells.size()), &sink, &error);
    detail::check(code, error);
    if (taken.has_failed) throw std::bad_alloc();
    if (code == TENON_DONE) return std::nullopt;
    return std::move(taken.text);
  }

  Rows open(std::string_view sql, std::span<const tenon_cell> cells) {
    require_open();
    tenon_handle cursor = 0;
    tenon_db_batch batch{};
    batch.size = sizeof batch;
    tenon_error error = detail::empty_error();
    detail::check(TENON_CALL(*link_, tenon_db, query, transaction_, detail::span(sql), cells.data(),
                             static_cast<std::uint32_t>(cells.size()), &cursor, &batch, &error),
                  error);
    return {*link_, cursor, batch};
  }
};

/// A read-only snapshot of the database; the argument of Database::read().
class Read : public Statements {
 public:
  ~Read() {
    if (!is_finished_) end();
  }

 private:
  friend class Database;
  friend class Transaction;
  Read(detail::Link& link, tenon_handle transaction) noexcept : Statements(link, transaction) {}

  void end() noexcept {
    is_finished_ = true;
    const tenon_db* db = link_->find<tenon_db>();
    if (db != nullptr && db->size >= TENON_NEED(tenon_db, rollback))
      db->rollback(link_->host(), transaction_);
  }
};

namespace detail {
template <class F>
class QueuedWrite;
template <class F>
struct BeforeWrite;
}  // namespace detail

/// A write transaction; the argument of Database::transaction() and Database::write().
class Transaction : public Statements {
 public:
  ~Transaction() {
    if (!is_finished_) rollback();
  }

  /// Rolls the transaction back at once. The scope then ends without a commit. Later statements
  /// throw Misuse.
  void rollback() noexcept {
    is_finished_ = true;
    is_open_on_this_thread() = false;
    const tenon_db* db = link_->find<tenon_db>();
    if (db != nullptr && db->size >= TENON_NEED(tenon_db, rollback))
      db->rollback(link_->host(), transaction_);
  }

 private:
  friend class Database;
  friend class Records;
  template <class F>
  friend class detail::QueuedWrite;
  template <class F>
  friend struct detail::BeforeWrite;
  Transaction(detail::Link& link, tenon_handle transaction) noexcept
      : Statements(link, transaction) {
    is_open_on_this_thread() = true;
  }

  void commit() {
    if (is_finished_) return;
    is_finished_ = true;
    is_open_on_this_thread() = false;
    tenon_error error = detail::empty_error();
    detail::check(TENON_CALL(*link_, tenon_db, commit, transaction_, &error), error);
  }

  /// Marks the transaction as ended without a rollback. The host commits it.
  void leave() noexcept {
    is_finished_ = true;
    is_open_on_this_thread() = false;
  }

  // A second writer on this thread would wait for the first until its deadline.
  static bool& is_open_on_this_thread() noexcept {
    static constinit thread_local bool is_open = false;
    return is_open;
  }
};

namespace detail {

/// The context of a queued write. Runs the work, stores its response and sends the response after
/// the commit.
template <class F>
class QueuedWrite {
 public:
  /// `refused` gets the Deferred back if the host does not queue the write.
  QueuedWrite(Link& link, Deferred deferred, F work, Deferred& refused)
      : link_(&link), deferred_(std::move(deferred)), work_(std::move(work)), refused_(&refused) {}

  static tenon_code run(void* ctx, tenon_handle transaction) noexcept {
    return static_cast<QueuedWrite*>(ctx)->run(transaction);
  }
  static void done(void* ctx, tenon_code code, const tenon_error* error) noexcept {
    static_cast<QueuedWrite*>(ctx)->done(code, error);
  }
  static void drop(void* ctx) noexcept {
    auto* write = static_cast<QueuedWrite*>(ctx);
    if (!write->is_done_) *write->refused_ = std::move(write->deferred_);
    delete write;
  }

 private:
  tenon_code run(tenon_handle handle) noexcept {
    Transaction transaction(*link_, handle);
    try {
      response_.emplace(work_(transaction));
    } catch (...) {
      failure_ = std::current_exception();
    }
    transaction.leave();
    return failure_ ? TENON_E_INTERNAL : TENON_OK;
  }

  void done(tenon_code code, const tenon_error* error) noexcept {
    is_done_ = true;
    try {
      deferred_.respond_with([&] {
        if (failure_) std::rethrow_exception(failure_);
        if (error != nullptr) check(code, *error);
        return std::move(response_).value();
      });
    } catch (const std::exception& failure) {
      link_->report(TENON_LOG_ERROR, "sending a response failed", failure.what());
    }
  }

  Link* link_;
  Deferred deferred_;
  F work_;
  Deferred* refused_;
  std::optional<Response> response_;
  std::exception_ptr failure_;
  bool is_done_ = false;
};

}  // namespace detail

/// The plugin's own database. A commit returns after the data is on disk. Thread-safe; usable from
/// start on. All calls may block, so do not use them in an inline route, except for write().
///
/// Statements that run directly on this object use a transaction of their own: `exec` commits at
/// once, and `query` reads one snapshot that lasts as long as its rows.
class Database : public Statements {
 public:
  explicit Database(detail::Link& link) noexcept : Statements(link, TENON_DB_AUTOCOMMIT) {}

  /// Runs `work(Transaction&)` in one write transaction and returns its result. The transaction is
  /// committed and on disk when the function returns; it is rolled back if `work` throws. The call
  /// waits for the write lock. The host rolls the transaction back after `deadline` (0: the host's
  /// default of 5 s; at most 60 s), so keep slow work outside. Throws Error 503 if too many writers
  /// are waiting.
  template <class F>
  auto transaction(F&& work, std::chrono::milliseconds deadline = {}) {
    using Result = std::invoke_result_t<F&, Transaction&>;
    static_assert(!std::same_as<std::remove_cvref_t<Result>, Rows>,
                  "Rows are invalid after their transaction: return values instead");
    if (Transaction::is_open_on_this_thread())
      throw Misuse("transactions cannot be nested: this thread has an open write transaction");
    Transaction transaction(*link_, begin(TENON_DB_WRITE, deadline));
    if constexpr (std::is_void_v<Result>) {
      work(transaction);
      transaction.commit();
    } else {
      Result result = work(transaction);
      transaction.commit();
      return result;
    }
  }

  /// Queues `work(Transaction&)` as one write transaction and sends the Response that it returns
  /// after the commit is on disk: `return database().write(request.defer(), [=](Transaction& db) {
  /// … });`
  ///
  /// The function returns Response::deferred() without waiting and holds no thread, so many
  /// concurrent writers cost little. An inline route may call it. `work` runs at most once, now or
  /// later, on a thread of the host that holds the write lock. It must be quick, must not block on
  /// anything except its transaction, and must own what it captures.
  ///
  /// If `work` throws, the transaction is rolled back and the error is the response. An error
  /// of the host also becomes the response. Transaction::rollback() rolls back but keeps the
  /// response.
  template <class F>
  Response write(Deferred deferred, F work, std::chrono::milliseconds deadline = {}) {
    static_assert(std::same_as<std::invoke_result_t<F&, Transaction&>, Response>,
                  "the function passed to write() must return a tenon::Response");
    link_->require(State::starting, State::quiescing, "the database");
    using Write = detail::QueuedWrite<F>;
    Deferred refused;
    try {
      const auto& db = link_->need<tenon_db>(TENON_NEED(tenon_db, queue_write), "queue_write");
      auto write = std::make_unique<Write>(*link_, std::move(deferred), std::move(work), refused);
      const tenon_db_work queued{&Write::run, &Write::done, write.release(), &Write::drop};
      tenon_error error = detail::empty_error();
      detail::check(db.queue_write(link_->host(), static_cast<std::uint32_t>(deadline.count()),
                                   &queued, &error),
                    error);
    } catch (const Error& error) {
      (refused ? refused : deferred).fail(error);
    }
    return Response::deferred();
  }

  /// Runs `work(Read&)` on one consistent snapshot and returns its result.
  template <class F>
  auto read(F&& work, std::chrono::milliseconds deadline = {}) {
    static_assert(!std::same_as<std::remove_cvref_t<std::invoke_result_t<F&, Read&>>, Rows>,
                  "Rows are invalid after their snapshot: return values instead");
    Read snapshot(*link_, begin(TENON_DB_READ, deadline));
    return work(snapshot);
  }

  /// Opens a snapshot that outlives the call, for a streamed response. It ends when the object is
  /// destroyed, or after `deadline` (0: the host's default of 5 s; at most 60 s); statements then
  /// throw Error 503. Use it on one thread at a time, and destroy it before the plugin is
  /// destroyed.
  [[nodiscard]] std::unique_ptr<Read> snapshot(std::chrono::milliseconds deadline = {}) {
    return std::unique_ptr<Read>(new Read(*link_, begin(TENON_DB_READ, deadline)));
  }

 private:
  tenon_handle begin(std::uint32_t mode, std::chrono::milliseconds deadline) {
    link_->require(State::starting, State::quiescing, "the database");
    detail::Link::require_blocking("the database");
    tenon_handle handle = 0;
    tenon_error error = detail::empty_error();
    detail::check(TENON_CALL(*link_, tenon_db, begin, mode,
                             static_cast<std::uint32_t>(deadline.count()), &handle, &error),
                  error);
    return handle;
  }
};

}  // namespace tenon
