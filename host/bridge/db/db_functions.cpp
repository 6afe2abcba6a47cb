#include "bridge/abi_error.hpp"
#include "bridge/bridge.hpp"
#include "bridge/db/db_interface.hpp"
#include "bridge/db/function_migrations.hpp"
#include "bridge/db/plugin_database.hpp"
#include "bridge/frame.hpp"
#include "bridge/spans.hpp"
#include "data/sql_error.hpp"

namespace tenon::plugins {

namespace {

// Calls `body`, which runs `sql`. A statement that the database rejects is a fault of the plugin:
// the log names it, without its values. Errors of constraints and of the disk are not.
template <typename Body>
tenon_code run_statement(DbInterface& db, tenon_span sql, Body&& body) {
  try {
    return body();
  } catch (const data::SqlError& error) {
    db.report_rejected(view(sql), error);
    throw;
  }
}

}  // namespace

/// The functions of the ABI table. Each finds the interface of the host, checks the state, and
/// catches every exception.
struct DbFunctions {
  template <typename Body>
  static tenon_code in_life(const tenon_host* host, tenon_error* error, Body&& body) noexcept {
    Bridge* bridge = Bridge::of(host);
    if (!bridge) return fail_argument(error, "The host is NULL.");
    if (!bridge->is_in(Phase::starting, Phase::quiescing)) {
      return fail_state(error, "The database may be used while starting, active or quiescing.");
    }
    return guarded(error, [&] { return body(bridge->db()); });
  }
  /// `is_own`: the call is about the transaction of the queued write that runs on this thread.
  template <typename Body>
  static tenon_code blocking(const tenon_host* host, tenon_error* error, bool is_own,
                             Body&& body) noexcept {
    return in_life(host, error, [&](DbInterface& db) -> tenon_code {
      if (!is_own && !Frame::may_block())
        return fail_state(error, "Inline routes and queued writes must not wait for the database.");
      return body(db);
    });
  }
  static bool is_own(tenon_handle transaction) noexcept {
    return transaction != TENON_DB_AUTOCOMMIT && transaction == DbInterface::running_work;
  }
  template <typename Body>
  static tenon_code always(const tenon_host* host, Body&& body) noexcept {
    Bridge* bridge = Bridge::of(host);
    if (!bridge) return TENON_E_INVALID;
    return guarded(nullptr, [&] { return body(bridge->db()); });
  }

  static tenon_code begin(const tenon_host* host, std::uint32_t mode, std::uint32_t deadline_ms,
                          tenon_handle* transaction, tenon_error* error) noexcept {
    return blocking(host, error, false, [&](DbInterface& db) {
      return db.begin(mode, deadline_ms, transaction, error);
    });
  }
  static tenon_code exec(const tenon_host* host, tenon_handle transaction, tenon_span sql,
                         const tenon_cell* cells, std::uint32_t cell_count, tenon_db_result* result,
                         tenon_error* error) noexcept {
    return blocking(host, error, is_own(transaction), [&](DbInterface& db) {
      return run_statement(
          db, sql, [&] { return db.exec(transaction, sql, cells, cell_count, result, error); });
    });
  }
  static tenon_code query(const tenon_host* host, tenon_handle transaction, tenon_span sql,
                          const tenon_cell* cells, std::uint32_t cell_count, tenon_handle* cursor,
                          tenon_db_batch* batch, tenon_error* error) noexcept {
    return blocking(host, error, is_own(transaction), [&](DbInterface& db) {
      return db.query(transaction, sql, cells, cell_count, cursor, batch, error);
    });
  }
  static tenon_code next(const tenon_host* host, tenon_handle cursor, tenon_db_batch* batch,
                         tenon_error* error) noexcept {
    return blocking(host, error, DbInterface::running_work != 0,
                    [&](DbInterface& db) { return db.next(cursor, batch, error); });
  }
  static tenon_code close(const tenon_host* host, tenon_handle cursor) noexcept {
    return always(host, [&](DbInterface& db) { return db.close(cursor); });
  }
  static tenon_code commit(const tenon_host* host, tenon_handle transaction,
                           tenon_error* error) noexcept {
    return blocking(host, error, false,
                    [&](DbInterface& db) { return db.commit(transaction, error); });
  }
  static tenon_code rollback(const tenon_host* host, tenon_handle transaction) noexcept {
    return always(host, [&](DbInterface& db) { return db.rollback(transaction); });
  }
  static tenon_code query_json(const tenon_host* host, tenon_handle transaction,
                               std::uint32_t shape, tenon_span sql, const tenon_cell* cells,
                               std::uint32_t cell_count, const tenon_text_sink* sink,
                               tenon_error* error) noexcept {
    return blocking(host, error, is_own(transaction), [&](DbInterface& db) {
      return run_statement(db, sql, [&] {
        return db.query_json(transaction, shape, sql, cells, cell_count, sink, error);
      });
    });
  }
  static tenon_code write(const tenon_host* host, std::uint32_t deadline_ms,
                          const tenon_db_work* work, tenon_error* error) noexcept {
    if (!work) return fail_argument(error, "The work is NULL.");
    tenon_db_work taken = *work;
    bool is_taken = false;
    const tenon_code code = in_life(host, error, [&](DbInterface& db) {
      is_taken = true;
      return db.write(deadline_ms, taken, error);
    });
    if (!is_taken) drop(taken);
    return code;
  }
  static tenon_code migrate(const tenon_host* host, std::uint32_t number, tenon_span name,
                            const tenon_db_migration* migration, tenon_error* error) noexcept {
    if (!migration) return fail_argument(error, "The migration is NULL.");
    tenon_db_migration taken = *migration;
    Bridge* bridge = Bridge::of(host);
    const tenon_code code =
        !bridge
            ? fail_argument(error, "The host is NULL.")
            : guarded(error, [&] { return bridge->migrations().add(number, name, taken, error); });
    if (code < 0) drop(taken);
    return code;
  }
  static tenon_code engine(const tenon_host* host, std::uint32_t* engine) noexcept {
    Bridge* bridge = Bridge::of(host);
    if (!bridge || !engine) return TENON_E_INVALID;
    *engine = bridge->database().is_file() ? TENON_DB_SQLITE : TENON_DB_POSTGRESQL;
    return TENON_OK;
  }
};

const tenon_db DbInterface::table = {sizeof(tenon_db),       0,
                                     &DbFunctions::begin,    &DbFunctions::exec,
                                     &DbFunctions::query,    &DbFunctions::next,
                                     &DbFunctions::close,    &DbFunctions::commit,
                                     &DbFunctions::rollback, &DbFunctions::query_json,
                                     &DbFunctions::write,    &DbFunctions::migrate,
                                     &DbFunctions::engine};

}  // namespace tenon::plugins
