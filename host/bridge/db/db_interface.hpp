#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <tenon/db.h>

#include "blobs/blobs.hpp"
#include "bridge/handle_table.hpp"
#include "crash/running_calls.hpp"
#include "data/cursor.hpp"
#include "data/transaction.hpp"
#include "events/bus.hpp"

namespace tenon::data {
class SqlError;
}

namespace tenon::plugins {

class Bridge;
class PluginWrite;

/// A transaction that a plugin holds by number.
struct OpenTransaction {
  std::optional<data::Transaction> transaction;
  std::atomic<bool> is_in_use{true};  ///< one call at a time; from the start, until it is set up
  std::mutex cursors_mutex;
  std::vector<tenon_handle> cursors;  ///< end with it
  bool is_rolled_back = false;        ///< by its owner
  bool is_in_callback = false;        ///< of a write of a record, which a callback is asked about
  std::exception_ptr
      failure;  ///< error of a write of a record: the transaction must be rolled back
  std::vector<blobs::Blobs::Claim> ended;  ///< with the records that were deleted in it
  bool holds_events = true;                ///< false: the plugin does not learn of its commit
  std::vector<events::Event> events;       ///< sent once the transaction is on disk

  /// Rolled back unless it was committed.
  std::optional<data::Transaction> finish() noexcept;
};

/// A cursor that a plugin holds by number, and the rows it returned last.
struct OpenCursor {
  std::optional<data::Cursor> cursor;
  tenon_handle transaction = 0;  ///< TENON_DB_AUTOCOMMIT for one of its own
  std::atomic<bool> is_in_use{true};
  bool is_finished = false;  ///< the last rows were returned
  std::vector<tenon_cell> cells;
  std::vector<tenon_span> names;

  std::optional<data::Cursor> finish() noexcept;
};

/// tenon.db/1 of one activation, over the plugin's own database.
class DbInterface {
 public:
  static constexpr std::uint32_t max_transactions = 256;  ///< open at once; beyond: TENON_E_BUSY
  static constexpr std::uint32_t max_cursors = 1024;      ///< open at once; beyond: TENON_E_BUSY
  static constexpr std::uint32_t max_parameters = 8192;   ///< of a statement
  static constexpr std::uint32_t max_deadline_ms = 60'000;

  static const tenon_db table;

  explicit DbInterface(Bridge& bridge);

  /// Ends everything that is open.
  void close_all() noexcept;

  /// Runs `body` on a transaction that is open, as the one call that uses it. TENON_E_HANDLE,
  /// TENON_E_BUSY, and TENON_E_STATE where a write of a record in it failed.
  tenon_code use(tenon_handle transaction, tenon_error* error,
                 const std::function<tenon_code(OpenTransaction&)>& body);
  /// Returns whether the plugin's code on this thread has borrowed this transaction from the host.
  static bool is_borrowed_here(tenon_handle transaction) noexcept {
    return transaction != TENON_DB_AUTOCOMMIT && transaction == running_work;
  }

  /// Marks the transaction as borrowed by the calling thread, as long as the scope lives.
  class BorrowScope {
   public:
    explicit BorrowScope(tenon_handle transaction) noexcept
        : outer_(std::exchange(running_work, transaction)) {}
    ~BorrowScope() { running_work = outer_; }
    BorrowScope(const BorrowScope&) = delete;
    BorrowScope& operator=(const BorrowScope&) = delete;

   private:
    const tenon_handle outer_;
  };

  /// Why a plugin borrows a transaction of the host.
  enum class BorrowPurpose : std::uint8_t {
    queued_write,
    callback,  ///< about a write of a record
    migration
  };
  static Operation running_in(BorrowPurpose purpose) noexcept {
    if (purpose == BorrowPurpose::callback) return Operation::table;
    return purpose == BorrowPurpose::migration ? Operation::migration : Operation::write;
  }
  /// The outcome of a call with a borrowed transaction.
  struct BorrowOutcome {
    tenon_code code = TENON_E_INTERNAL;  ///< of the plugin
    bool is_finished = false;            ///< the transaction was ended during the call
    bool is_rolled_back = false;         ///< by the plugin
    std::exception_ptr failure;          ///< of a write of a record in it
    std::vector<blobs::Blobs::Claim> ended;
    std::vector<events::Event> events;
  };
  /// Calls a function of the plugin that must not wait, with a handle of this transaction. The
  /// handle is stale when the call returns. Throws 503 data.busy.
  BorrowOutcome run_borrowed(data::Transaction& transaction, std::string_view request_id,
                             BorrowPurpose purpose, tenon_code (*function)(void*, tenon_handle),
                             void* context);

  /// Logs a statement that the database rejected, if that is a fault of the plugin.
  void report_rejected(std::string_view sql, const data::SqlError& error) noexcept;

 private:
  using Transactions = HandleTable<OpenTransaction>;
  using Cursors = HandleTable<OpenCursor>;

  tenon_code begin(std::uint32_t mode, std::uint32_t deadline_ms, tenon_handle* transaction,
                   tenon_error* error);
  tenon_code exec(tenon_handle transaction, tenon_span sql, const tenon_cell* cells,
                  std::uint32_t cell_count, tenon_db_result* result, tenon_error* error);
  tenon_code query(tenon_handle transaction, tenon_span sql, const tenon_cell* cells,
                   std::uint32_t cell_count, tenon_handle* cursor, tenon_db_batch* batch,
                   tenon_error* error);
  tenon_code next(tenon_handle cursor, tenon_db_batch* batch, tenon_error* error);
  tenon_code close(tenon_handle cursor);
  tenon_code commit(tenon_handle transaction, tenon_error* error);
  tenon_code rollback(tenon_handle transaction);
  tenon_code query_json(tenon_handle transaction, std::uint32_t shape, tenon_span sql,
                        const tenon_cell* cells, std::uint32_t cell_count,
                        const tenon_text_sink* sink, tenon_error* error);
  tenon_code write(std::uint32_t deadline_ms, const tenon_db_work& work, tenon_error* error);

  /// Work that runs after a transaction is on disk.
  struct AfterCommit {
    std::vector<blobs::Blobs::Claim> ended;
    std::vector<events::Event> events;
  };
  void complete(AfterCommit after);

  /// Runs the work of a queued write while it holds the write lock. Returns the plugin's code,
  /// which is TENON_DONE if the plugin rolled the transaction back itself. Throws if the work could
  /// not run or the database was closed meanwhile.
  tenon_code run_work(const tenon_db_work& work, std::string_view request_id,
                      data::Transaction& transaction, AfterCommit& after);

  Transactions::Opened open_slot();
  void close_cursors(OpenTransaction& transaction) noexcept;
  tenon_code fill(OpenCursor& cursor, tenon_handle transaction, std::string_view sql,
                  data::Cells cells, tenon_db_batch* batch, tenon_error* error) noexcept;
  static void give(OpenCursor& cursor, const data::Batch& rows, tenon_db_batch* batch);

  /// The transaction of the queued write whose work runs on this thread; 0: none.
  static constinit thread_local tenon_handle running_work;

  Bridge& bridge_;
  Transactions transactions_;
  Cursors cursors_;

  friend struct DbFunctions;
  friend class PluginWrite;
};

}  // namespace tenon::plugins
