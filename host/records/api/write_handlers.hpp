#pragma once

#include <memory>
#include <utility>

#include "http/connection/application.hpp"
#include "records/model/table_context.hpp"

namespace tenon::records {

/// Base of the handlers that write. No thread waits for the write lock or for the disk: the
/// response is sent when the write completes.
class WriteHandler : public http::Handler {
 public:
  explicit WriteHandler(std::shared_ptr<const TableContext> table_context)
      : table_context_(std::move(table_context)) {}

 protected:
  const std::shared_ptr<const TableContext>& table_context() const noexcept {
    return table_context_;
  }

 private:
  const std::shared_ptr<const TableContext> table_context_;
};

/// POST /api/<plugin>/<table>
class CreateRecord final : public WriteHandler {
 public:
  using WriteHandler::WriteHandler;
  void handle(const http::ExchangePtr& exchange) override;
};

/// PUT /api/<plugin>/<table>?key=…
class UpsertRecord final : public WriteHandler {
 public:
  using WriteHandler::WriteHandler;
  void handle(const http::ExchangePtr& exchange) override;
};

/// PATCH /api/<plugin>/<table>/{id}
class ChangeRecord final : public WriteHandler {
 public:
  using WriteHandler::WriteHandler;
  void handle(const http::ExchangePtr& exchange) override;
};

/// DELETE /api/<plugin>/<table>/{id}
class DeleteRecord final : public WriteHandler {
 public:
  using WriteHandler::WriteHandler;
  void handle(const http::ExchangePtr& exchange) override;
};

/// POST /api/<plugin>/<table>/batch
class ChangeRecords final : public WriteHandler {
 public:
  using WriteHandler::WriteHandler;
  void handle(const http::ExchangePtr& exchange) override;
};

}  // namespace tenon::records
