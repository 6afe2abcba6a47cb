#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>

#include "http/connection/application.hpp"
#include "records/model/table_context.hpp"

namespace tenon::records {

/// Limits how many exports of a plugin run at once. Thread-safe.
class ExportSlots {
 public:
  /// Occupies a slot until it is destroyed.
  class Slot {
   public:
    explicit Slot(std::shared_ptr<ExportSlots> slots) : slots_(std::move(slots)) {}
    ~Slot() { --slots_->taken_; }
    Slot(const Slot&) = delete;
    Slot& operator=(const Slot&) = delete;

   private:
    const std::shared_ptr<ExportSlots> slots_;
  };

  /// Throws 503 records.too_many_exports if max_exports run already.
  static std::unique_ptr<Slot> take(const std::shared_ptr<ExportSlots>& slots);
  std::size_t taken() const noexcept { return taken_; }

 private:
  std::atomic<std::size_t> taken_{0};
};

/// GET /api/<plugin>/<table>/export: all records that the reader may see, of one snapshot, in
/// pieces. No thread waits for a slow reader. The snapshot ends after export_time and cuts the
/// response.
class ExportRecords final : public http::Handler {
 public:
  explicit ExportRecords(std::shared_ptr<const TableContext> table_context)
      : table_context_(std::move(table_context)) {}
  void handle(const http::ExchangePtr& exchange) override;

 private:
  const std::shared_ptr<const TableContext> table_context_;
};

}  // namespace tenon::records
