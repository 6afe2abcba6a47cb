#include "bridge/db/db_interface.hpp"

#include <array>
#include <chrono>
#include <span>
#include <utility>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "bridge/abi_error.hpp"
#include "bridge/bridge.hpp"
#include "bridge/db/plugin_database.hpp"
#include "bridge/events/events_interface.hpp"
#include "bridge/frame.hpp"
#include "bridge/log/log_interface.hpp"
#include "bridge/spans.hpp"
#include "data/database.hpp"
#include "data/sql_error.hpp"
#include "observability/log.hpp"

namespace tenon::plugins {

namespace {

constexpr std::uint64_t max_sql_bytes = 1024 * 1024;
constexpr std::size_t few_parameters = 16;

// Makes a call the only one on its transaction or cursor; what comes meanwhile is refused, not
// queued.
template <typename Item>
class ItemUse {
 public:
  explicit ItemUse(Item& item) noexcept
      : item_(item), is_ours_(!item.is_in_use.exchange(true, std::memory_order_acquire)) {}
  ~ItemUse() {
    if (is_ours_) item_.is_in_use.store(false, std::memory_order_release);
  }
  ItemUse(const ItemUse&) = delete;
  ItemUse& operator=(const ItemUse&) = delete;
  explicit operator bool() const noexcept { return is_ours_; }

 private:
  Item& item_;
  bool is_ours_;
};

tenon_code fail_use(tenon_error* error) noexcept {
  return fail(error, TENON_E_BUSY, 500, "plugins.concurrent_use",
              "One call at a time: another thread uses this handle now.");
}

tenon_code fail_handle(tenon_error* error, const char* what) noexcept {
  return fail(error, TENON_E_HANDLE, 500, "plugins.stale_handle", what);
}

// The values of a statement, as the data room takes them.
class Parameters {
 public:
  // False when one of them is not what it says.
  bool read(const tenon_cell* cells, std::uint32_t count) {
    data::Cell* to = few_.data();
    if (count > few_.size()) {
      many_.resize(count);
      to = many_.data();
    }
    for (std::uint32_t i = 0; i < count; ++i) {
      if (!read_one(cells[i], to[i])) return false;
    }
    cells_ = {to, count};
    return true;
  }
  data::Cells get() const noexcept { return cells_; }

 private:
  static bool read_one(const tenon_cell& from, data::Cell& to) noexcept {
    switch (from.type) {
      case TENON_CELL_NULL:
        to = data::Cell();
        return true;
      case TENON_CELL_INTEGER:
        to = data::Cell(from.as.integer);
        return true;
      case TENON_CELL_NUMBER:
        to = data::Cell(from.as.number);
        return true;
      case TENON_CELL_TEXT:
      case TENON_CELL_BLOB:
        break;
      default:
        return false;
    }
    const tenon_span bytes{from.as.bytes, from.size};
    if (!is_sound(bytes)) return false;
    // A text without bytes is empty, not null.
    const std::string_view text = from.size == 0 ? std::string_view("") : view(bytes);
    to = from.type == TENON_CELL_TEXT ? data::Cell(text) : data::Cell::blob(text);
    return true;
  }

  std::array<data::Cell, few_parameters> few_;
  std::vector<data::Cell> many_;
  std::span<const data::Cell> cells_;
};

tenon_code read_statement(tenon_span sql, const tenon_cell* cells, std::uint32_t count,
                          Parameters& parameters, tenon_error* error) {
  if (!is_sound(sql) || sql.size == 0) return fail_argument(error, "There is no SQL.");
  if (sql.size > max_sql_bytes || count > DbInterface::max_parameters) {
    return fail(error, TENON_E_TOO_LARGE, 413, "data.too_large",
                "The statement or its list of values is too long.");
  }
  if (count != 0 && !cells) return fail_argument(error, "The values are NULL.");
  if (!parameters.read(cells, count))
    return fail_argument(error, "A value has an unknown type, or a size and no bytes.");
  return TENON_OK;
}

tenon_cell cell(const data::Cell& from) noexcept {
  tenon_cell to{};
  switch (from.kind()) {
    case data::CellKind::null:
      break;
    case data::CellKind::integer:
      to.type = TENON_CELL_INTEGER;
      to.as.integer = from.integer();
      break;
    case data::CellKind::number:
      to.type = TENON_CELL_NUMBER;
      to.as.number = from.number();
      break;
    case data::CellKind::text:
    case data::CellKind::blob:
      to.type = from.kind() == data::CellKind::text ? TENON_CELL_TEXT : TENON_CELL_BLOB;
      to.as.bytes = from.text().data();
      to.size = from.text().size();
      break;
  }
  return to;
}

std::uint64_t seed() {
  return static_cast<std::uint64_t>(base::monotonic_nanoseconds());
}

}  // namespace

std::optional<data::Transaction> OpenTransaction::finish() noexcept {
  cursors.clear();
  is_rolled_back = false;
  is_in_callback = false;
  failure = nullptr;
  ended.clear();
  holds_events = true;
  events.clear();
  is_in_use.store(true, std::memory_order_relaxed);
  return std::exchange(transaction, std::nullopt);
}

std::optional<data::Cursor> OpenCursor::finish() noexcept {
  is_finished = false;
  is_in_use.store(true, std::memory_order_relaxed);
  std::vector<tenon_cell>().swap(cells);
  names.clear();
  return std::exchange(cursor, std::nullopt);
}

DbInterface::DbInterface(Bridge& bridge)
    : bridge_(bridge),
      transactions_(HandleKind::transaction, max_transactions, seed()),
      cursors_(HandleKind::cursor, max_cursors, seed()) {}

DbInterface::Transactions::Opened DbInterface::open_slot() {
  Transactions::Opened opened = transactions_.open();
  if (opened.pin) return opened;
  // Close transactions that their deadline ended and that their owner never used again.
  transactions_.for_each([this](Transactions::Pin other) {
    const ItemUse use(*other);
    if (!use || !other->transaction || other->transaction->is_open()) return;
    close_cursors(*other);
    other.close();
  });
  return transactions_.open();
}

tenon_code DbInterface::begin(std::uint32_t mode, std::uint32_t deadline_ms,
                              tenon_handle* transaction, tenon_error* error) {
  if (!transaction) return fail_argument(error, "The out-parameter of the handle is NULL.");
  *transaction = 0;
  if (mode != TENON_DB_READ && mode != TENON_DB_WRITE)
    return fail_argument(error, "The mode is neither read nor write.");
  if (deadline_ms > max_deadline_ms)
    return fail_argument(error, "The deadline is at most 60,000 ms.");
  data::Transaction begun =
      bridge_.database().get()->begin(mode == TENON_DB_READ ? data::Mode::read : data::Mode::write,
                                      std::chrono::milliseconds(deadline_ms));
  Transactions::Opened opened = open_slot();
  if (!opened.pin)
    return fail(error, TENON_E_BUSY, 503, "data.busy",
                "This plugin has too many open transactions.");
  opened.pin->transaction.emplace(std::move(begun));
  opened.pin->is_in_use.store(false, std::memory_order_release);
  *transaction = opened.handle;
  return TENON_OK;
}

tenon_code DbInterface::exec(tenon_handle transaction, tenon_span sql, const tenon_cell* cells,
                             std::uint32_t cell_count, tenon_db_result* result,
                             tenon_error* error) {
  Parameters parameters;
  if (const tenon_code code = read_statement(sql, cells, cell_count, parameters, error);
      code != TENON_OK)
    return code;
  data::ExecResult done;
  if (transaction == TENON_DB_AUTOCOMMIT) {
    done = bridge_.database().get()->exec(view(sql), parameters.get());
  } else {
    const Transactions::Pin open = transactions_.pin(transaction);
    if (!open) return fail_handle(error, "There is no such transaction, or it has ended.");
    const ItemUse use(*open);
    if (!use) return fail_use(error);
    done = open->transaction->exec(view(sql), parameters.get());
  }
  if (result) {
    tenon_db_result filled{};
    filled.changes = done.changes;
    filled.last_row_id = done.last_row_id;
    copy_out(result, filled);
  }
  return TENON_OK;
}

void DbInterface::give(OpenCursor& cursor, const data::Batch& rows, tenon_db_batch* batch) {
  cursor.cells.clear();
  cursor.cells.reserve(rows.cells.size());
  for (const data::Cell& from : rows.cells)
    cursor.cells.push_back(cell(from));
  cursor.is_finished = !rows.more;
  tenon_db_batch filled{};
  filled.columns = static_cast<std::uint32_t>(rows.columns);
  filled.rows = static_cast<std::uint32_t>(rows.rows);
  filled.more = rows.more ? 1 : 0;
  filled.cells = cursor.cells.data();
  filled.names = cursor.names.data();
  copy_out(batch, filled);
}

tenon_code DbInterface::query(tenon_handle transaction, tenon_span sql, const tenon_cell* cells,
                              std::uint32_t cell_count, tenon_handle* cursor, tenon_db_batch* batch,
                              tenon_error* error) {
  if (!cursor || !batch)
    return fail_argument(error, "The out-parameter of the cursor or of its rows is NULL.");
  *cursor = 0;
  Parameters parameters;
  if (const tenon_code code = read_statement(sql, cells, cell_count, parameters, error);
      code != TENON_OK)
    return code;

  Cursors::Opened opened = cursors_.open();
  if (!opened.pin)
    return fail(error, TENON_E_BUSY, 503, "data.busy", "This plugin has too many open cursors.");
  const tenon_code code = fill(*opened.pin, transaction, view(sql), parameters.get(), batch, error);
  if (code != TENON_OK) {
    opened.pin.close();
    return code;
  }
  opened.pin->is_in_use.store(false, std::memory_order_release);
  *cursor = opened.handle;
  if (const Transactions::Pin within = transactions_.pin(transaction)) {
    const std::lock_guard lock(within->cursors_mutex);
    within->cursors.push_back(opened.handle);
  }
  return TENON_OK;
}

void DbInterface::report_rejected(std::string_view sql, const data::SqlError& error) noexcept {
  // Other errors are expected (constraints), or are those of the disk and the server.
  if (error.status() != 500 || !bridge_.log().is_within_rate()) return;
  const observability::LogScope scope(observability::current_request_id(), bridge_.plugin_id());
  observability::log_error("the database rejected a statement of the plugin",
                           {{"code", error.code()},
                            {"reason", error.detail().empty() ? error.message() : error.detail()},
                            {"statement", sql}});
}

tenon_code DbInterface::fill(OpenCursor& cursor, tenon_handle transaction, std::string_view sql,
                             data::Cells cells, tenon_db_batch* batch,
                             tenon_error* error) noexcept {
  const auto open = [&]() -> tenon_code {
    Transactions::Pin within;
    std::optional<ItemUse<OpenTransaction>> use;
    if (transaction == TENON_DB_AUTOCOMMIT) {
      cursor.cursor.emplace(bridge_.database().get()->open_cursor(sql, cells));
    } else {
      within = transactions_.pin(transaction);
      if (!within) return fail_handle(error, "There is no such transaction, or it has ended.");
      use.emplace(*within);
      if (!*use) return fail_use(error);
      cursor.cursor.emplace(within->transaction->open_cursor(sql, cells));
    }
    cursor.transaction = transaction;
    for (const std::string_view name : cursor.cursor->names())
      cursor.names.push_back(span(name));
    give(cursor, cursor.cursor->next(), batch);
    return TENON_OK;
  };
  return guarded(error, [&] {
    try {
      return open();
    } catch (const data::SqlError& failure) {
      report_rejected(sql, failure);
      throw;
    }
  });
}

tenon_code DbInterface::next(tenon_handle cursor, tenon_db_batch* batch, tenon_error* error) {
  if (!batch) return fail_argument(error, "The out-parameter of the rows is NULL.");
  const Cursors::Pin open = cursors_.pin(cursor);
  if (!open) return fail_handle(error, "There is no such cursor, or it is closed.");
  const ItemUse use(*open);
  if (!use) return fail_use(error);
  if (open->is_finished) return TENON_DONE;
  Transactions::Pin within;
  if (open->transaction != TENON_DB_AUTOCOMMIT) {
    within = transactions_.pin(open->transaction);
    if (!within) return fail_handle(error, "The transaction of this cursor has ended.");
    const ItemUse shared(*within);
    if (!shared) return fail_use(error);
    give(*open, open->cursor->next(), batch);
  } else {
    give(*open, open->cursor->next(), batch);
  }
  return open->cells.empty() ? TENON_DONE : TENON_OK;
}

tenon_code DbInterface::close(tenon_handle cursor) {
  Cursors::Pin open = cursors_.pin(cursor);
  if (!open || !open.close()) return TENON_E_HANDLE;
  if (Transactions::Pin within = transactions_.pin(open->transaction)) {
    const std::lock_guard lock(within->cursors_mutex);
    std::erase(within->cursors, cursor);
  }
  return TENON_OK;
}

void DbInterface::close_cursors(OpenTransaction& transaction) noexcept {
  std::vector<tenon_handle> ending;
  {
    const std::lock_guard lock(transaction.cursors_mutex);
    ending.swap(transaction.cursors);
  }
  for (const tenon_handle handle : ending) {
    if (Cursors::Pin open = cursors_.pin(handle)) open.close();
  }
}

tenon_code DbInterface::commit(tenon_handle transaction, tenon_error* error) {
  Transactions::Pin open = transactions_.pin(transaction);
  if (!open) return fail_handle(error, "There is no such transaction, or it has ended.");
  const ItemUse use(*open);
  if (!use) return fail_use(error);
  if (!open.close()) return fail_handle(error, "The transaction has ended.");
  close_cursors(*open);
  // Not committed: undone when the last call that uses it has returned.
  if (open->failure) std::rethrow_exception(open->failure);
  open->transaction->commit();
  complete({std::move(open->ended), std::move(open->events)});
  return TENON_OK;
}

void DbInterface::complete(AfterCommit after) {
  if (!after.ended.empty())
    bridge_.services().blobs->release_later(bridge_.plugin_id(), std::move(after.ended));
  for (events::Event& event : after.events)
    bridge_.events().send(std::move(event));
}

tenon_code DbInterface::use(tenon_handle transaction, tenon_error* error,
                            const std::function<tenon_code(OpenTransaction&)>& body) {
  const Transactions::Pin open = transactions_.pin(transaction);
  if (!open) return fail_handle(error, "There is no such transaction, or it has ended.");
  const ItemUse use(*open);
  if (!use) return fail_use(error);
  if (open->failure)
    return fail_state(error, "A write in this transaction failed: it can only be rolled back.");
  return body(*open);
}

tenon_code DbInterface::rollback(tenon_handle transaction) {
  Transactions::Pin open = transactions_.pin(transaction);
  if (!open || !open.close()) return TENON_E_HANDLE;
  open->is_rolled_back = true;
  close_cursors(*open);
  // Undone when the last call that uses it has returned.
  return TENON_OK;
}

tenon_code DbInterface::query_json(tenon_handle transaction, std::uint32_t shape, tenon_span sql,
                                   const tenon_cell* cells, std::uint32_t cell_count,
                                   const tenon_text_sink* sink, tenon_error* error) {
  if (!sink || !sink->fn) return fail_argument(error, "The sink is NULL or has no function.");
  if (shape != TENON_DB_JSON_ROWS && shape != TENON_DB_JSON_ROW)
    return fail_argument(error, "The shape of the text is not known.");
  Parameters parameters;
  if (const tenon_code code = read_statement(sql, cells, cell_count, parameters, error);
      code != TENON_OK)
    return code;
  // Moved out while in use: the sink may query again.
  static thread_local data::JsonText kept;
  data::JsonText text = std::exchange(kept, data::JsonText());
  const auto as = shape == TENON_DB_JSON_ROWS ? data::JsonShape::rows : data::JsonShape::row;
  std::size_t rows = 0;
  if (transaction == TENON_DB_AUTOCOMMIT) {
    rows = bridge_.database().get()->append_json(as, text, view(sql), parameters.get());
  } else {
    const Transactions::Pin open = transactions_.pin(transaction);
    if (!open) return fail_handle(error, "There is no such transaction, or it has ended.");
    const ItemUse use(*open);
    if (!use) return fail_use(error);
    rows = open->transaction->query(view(sql), parameters.get()).append_json(as, text);
  }
  const bool is_found = rows != 0 || as == data::JsonShape::rows;
  if (is_found)
    enter(static_cast<void (*)(void*, tenon_span)>(sink->fn), sink->ctx, span(text.view()));
  text.clear();
  kept = std::move(text);
  return is_found ? TENON_OK : TENON_DONE;
}

void DbInterface::close_all() noexcept {
  cursors_.for_each([](Cursors::Pin open) { open.close(); });
  transactions_.for_each([](Transactions::Pin open) { open.close(); });
}

}  // namespace tenon::plugins
