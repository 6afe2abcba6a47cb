#pragma once

#include <memory>
#include <utility>

#include "http/connection/application.hpp"
#include "records/model/table_context.hpp"

namespace tenon::records {

/// POST /api/<plugin>/<table>/import: makes a job that imports a file.
class StartImport final : public http::Handler {
 public:
  explicit StartImport(std::shared_ptr<const TableContext> table_context)
      : table_context_(std::move(table_context)) {}
  void handle(const http::ExchangePtr& exchange) override;

 private:
  const std::shared_ptr<const TableContext> table_context_;
};

/// GET /api/<plugin>/<table>/import/{job}, for the one who asked for it.
class ShowImport final : public http::Handler {
 public:
  explicit ShowImport(std::shared_ptr<const TableContext> table_context)
      : table_context_(std::move(table_context)) {}
  void handle(const http::ExchangePtr& exchange) override;

 private:
  const std::shared_ptr<const TableContext> table_context_;
};

/// DELETE /api/<plugin>/<table>/import/{job}, for the one who asked for it: asks it to stop.
class CancelImport final : public http::Handler {
 public:
  explicit CancelImport(std::shared_ptr<const TableContext> table_context)
      : table_context_(std::move(table_context)) {}
  void handle(const http::ExchangePtr& exchange) override;

 private:
  const std::shared_ptr<const TableContext> table_context_;
};

}  // namespace tenon::records
