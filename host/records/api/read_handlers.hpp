#pragma once

#include <memory>
#include <string_view>
#include <utility>

#include "data/json_rows.hpp"
#include "http/connection/application.hpp"
#include "records/model/table_context.hpp"

namespace tenon::records {

/// GET /api/<plugin>/<table>: a list, or groups of records where `group` or `agg` is asked for.
class ListRecords final : public http::Handler {
 public:
  explicit ListRecords(std::shared_ptr<const TableContext> table_context)
      : table_context_(std::move(table_context)) {}
  void handle(const http::ExchangePtr& exchange) override;

 private:
  void list_groups(const http::ExchangePtr& exchange, const expression::Context& context,
                   Visibility seen);

  const std::shared_ptr<const TableContext> table_context_;
};

/// GET /api/<plugin>/<table>/{id}
class ShowRecord final : public http::Handler {
 public:
  explicit ShowRecord(std::shared_ptr<const TableContext> table_context)
      : table_context_(std::move(table_context)) {}
  void handle(const http::ExchangePtr& exchange) override;

 private:
  /// With what the plugin adds to the record.
  std::string_view extended(const expression::Context& context, data::JsonText& text);
  void respond_with(const http::ExchangePtr& exchange, const expression::Context& context,
                    data::JsonText& text);

  const std::shared_ptr<const TableContext> table_context_;
};

}  // namespace tenon::records
