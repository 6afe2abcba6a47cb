#pragma once

#include <memory>
#include <utility>

#include "http/connection/application.hpp"
#include "records/model/table_context.hpp"

namespace tenon::records {

/// GET /api/<plugin>/<table>/{id}/<field> and /api/<plugin>/<table>/{id}/<field>/{blob}: a file of
/// a record.
class ShowFile final : public http::Handler {
 public:
  /// `field` belongs to the table of `table_context`.
  ShowFile(std::shared_ptr<const TableContext> table_context, const FieldModel& field)
      : table_context_(std::move(table_context)), field_(field) {}
  void handle(const http::ExchangePtr& exchange) override;

 private:
  const std::shared_ptr<const TableContext> table_context_;
  const FieldModel& field_;
};

}  // namespace tenon::records
