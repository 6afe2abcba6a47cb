#include "records/transfer/export_handler.hpp"

#include <mutex>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "data/cursor.hpp"
#include "data/database.hpp"
#include "observability/log.hpp"
#include "records/model/access.hpp"
#include "records/model/limits.hpp"
#include "records/transfer/export_query.hpp"

namespace tenon::records {

namespace {

std::string_view media_type(TransferFormat format) {
  switch (format) {
    case TransferFormat::csv:
      return "text/csv; charset=utf-8; header=present";
    case TransferFormat::json:
      return "application/json";
    case TransferFormat::jsonl:
      break;
  }
  return "application/x-ndjson";
}

// A running export. Runs on a worker whenever the connection takes more data.
class Export {
 public:
  Export(http::ExchangePtr exchange, std::shared_ptr<const TableContext> table_context,
         ExportText text, data::Cursor cursor, std::unique_ptr<ExportSlots::Slot> slot)
      : table_context_(std::move(table_context)),
        exchange_(std::move(exchange)),
        text_(std::move(text)),
        cursor_(std::move(cursor)),
        slot_(std::move(slot)) {}

  /// Reads the first records, so that an immediate failure gives an ordinary error response.
  void read_first() {
    text_.begin(piece_);
    read();
  }

  void write() {
    const std::lock_guard lock(mutex_);
    if (!cursor_) return;
    try {
      write_while_writable();
    } catch (const base::Error& error) {
      observability::log_warning("an export was cut",
                                 {{"table", table_context_->path}, {"reason", error.message()}});
      exchange_->abort();
      end();
    }
  }

 private:
  void write_while_writable() {
    while (true) {
      const http::WriteResult result = exchange_->write(piece_);
      piece_.clear();
      if (result == http::WriteResult::closed) return end();
      if (!has_more_) {
        // The client may begin the next export as soon as it has the end of this one.
        end();
        exchange_->end();
        return;
      }
      if (result == http::WriteResult::full) return;
      read();
    }
  }

  void read() {
    const data::Batch& batch = cursor_->next();
    for (std::size_t row = 0; row < batch.rows; ++row)
      text_.row(piece_, batch.cells.subspan(row * batch.columns, batch.columns));
    has_more_ = batch.more;
    if (!has_more_) text_.end(piece_);
  }

  void end() {
    cursor_.reset();
    slot_.reset();
    piece_ = {};
  }

  const std::shared_ptr<const TableContext>
      table_context_;  // its database is kept open by the exchange's lease
  const http::ExchangePtr exchange_;
  std::mutex mutex_;  // the connection may take more before the handler returns
  ExportText text_;
  std::optional<data::Cursor> cursor_;
  std::unique_ptr<ExportSlots::Slot> slot_;
  std::string piece_;
  bool has_more_ = true;
};

}  // namespace

std::unique_ptr<ExportSlots::Slot> ExportSlots::take(const std::shared_ptr<ExportSlots>& slots) {
  if (++slots->taken_ > max_exports) {
    --slots->taken_;
    throw base::Error(503, "records.too_many_exports",
                      "Other exports are on their way. Try again when they are through.");
  }
  return std::make_unique<Slot>(slots);
}

void ExportRecords::handle(const http::ExchangePtr& exchange) {
  const expression::Context context = context_of(*exchange, table_context_->permissions);
  const Visibility seen = seen_records(table_context_->table.read, context, "read these records");
  const ExportQuery query = read_export_query(*table_context_, exchange->request().query, context);
  http::Response head;
  head.content_type = media_type(query.format);
  head.with("Cache-Control", "no-store");
  head.with("Content-Disposition", "attachment; filename=\"" + table_context_->plugin + "-" +
                                       table_context_->table.table.name + "." +
                                       std::string(name_of(query.format)) + "\"");
  if (exchange->request().method == http::Method::head) {
    exchange->respond(std::move(head));
    return;
  }
  auto slot = ExportSlots::take(table_context_->exports);
  const Statement statement = export_statement(*table_context_, query, context, seen);
  const auto stream = std::make_shared<Export>(
      exchange, table_context_, ExportText(query.format, query.fields, query.has_bom),
      table_context_->database->open_cursor(
          statement.sql, statement.cells, {.rows = export_batch_rows, .bytes = export_batch_bytes},
          export_time),
      std::move(slot));
  stream->read_first();
  if (!exchange->begin(std::move(head))) return;
  exchange->on_writable([stream] { stream->write(); });
  stream->write();
}

}  // namespace tenon::records
