#pragma once

#include <memory>
#include <string>
#include <utility>

#include "http/connection/application.hpp"
#include "records/model/table_context.hpp"

namespace tenon::records {

/// GET /api/<plugin>/<table>/access: what a user may do by the rules of the table, and which part
/// of a rule refuses. For admins.
class ExplainAccess final : public http::Handler {
 public:
  explicit ExplainAccess(std::shared_ptr<const TableContext> table_context)
      : table_context_(std::move(table_context)) {}
  void handle(const http::ExchangePtr& exchange) override;

  /// Returns the OpenAPI description, as openapi::read_fragment() takes it.
  static std::string operation();

 private:
  const std::shared_ptr<const TableContext> table_context_;
};

}  // namespace tenon::records
