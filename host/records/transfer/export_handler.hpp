#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>

#include "http/connection/application.hpp"
#include "records/model/table_context.hpp"

namespace tenon::records {

/// How many exports of a plugin run. Thread-safe.
class ExportPlaces {
 public:
  /// A place, until it goes.
  class Place {
   public:
    explicit Place(std::shared_ptr<ExportPlaces> places) : places_(std::move(places)) {}
    ~Place() { --places_->taken_; }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;

   private:
    const std::shared_ptr<ExportPlaces> places_;
  };

  /// Throws 503 records.too_many_exports where max_exports run.
  static std::unique_ptr<Place> take(const std::shared_ptr<ExportPlaces>& places);
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
