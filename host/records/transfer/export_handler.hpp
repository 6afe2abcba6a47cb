#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>

#include "http/connection/application.hpp"
#include "records/model/table_context.hpp"

namespace tenon::records {

/// How many exports of a plugin run. Thread-safe.
class ExportSlots {
 public:
  /// A slot, until it goes.
  class Slot {
   public:
    explicit Slot(std::shared_ptr<ExportSlots> slots) : slots_(std::move(slots)) {}
    ~Slot() { --slots_->taken_; }
    Slot(const Slot&) = delete;
    Slot& operator=(const Slot&) = delete;

   private:
    const std::shared_ptr<ExportSlots> slots_;
  };

  /// Throws 503 records.too_many_exports where max_exports run.
  static std::unique_ptr<Slot> take(const std::shared_ptr<ExportSlots>& slots);
  std::size_t taken() const noexcept { return taken_; }

 private:
  std::atomic<std::size_t> taken_{0};
};

/// GET /api/<plugin>/<table>/export: all records that the reader may see, of one snapshot, in
/// pieces. No thread waits for a slow reader; the snapshot ends after export_time, and the answer
/// is cut then.
class ExportRecords final : public http::Handler {
 public:
  explicit ExportRecords(std::shared_ptr<const TableContext> table_context)
      : table_context_(std::move(table_context)) {}
  void handle(const http::ExchangePtr& exchange) override;

 private:
  const std::shared_ptr<const TableContext> table_context_;
};

}  // namespace tenon::records
