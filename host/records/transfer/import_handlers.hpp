#pragma once

#include <memory>
#include <utility>

#include "http/application.hpp"
#include "records/table_context.hpp"

namespace tenon::records {

/// POST /api/<plugin>/<table>/import: makes a job that imports a file.
class StartImport final : public http::Handler {
 public:
  explicit StartImport(std::shared_ptr<const Desk> desk) : desk_(std::move(desk)) {}
  void handle(const http::ExchangePtr& exchange) override;

 private:
  const std::shared_ptr<const Desk> desk_;
};

/// GET /api/<plugin>/<table>/import/{job}, for the one who asked for it.
class ShowImport final : public http::Handler {
 public:
  explicit ShowImport(std::shared_ptr<const Desk> desk) : desk_(std::move(desk)) {}
  void handle(const http::ExchangePtr& exchange) override;

 private:
  const std::shared_ptr<const Desk> desk_;
};

/// DELETE /api/<plugin>/<table>/import/{job}, for the one who asked for it: asks it to stop.
class CancelImport final : public http::Handler {
 public:
  explicit CancelImport(std::shared_ptr<const Desk> desk) : desk_(std::move(desk)) {}
  void handle(const http::ExchangePtr& exchange) override;

 private:
  const std::shared_ptr<const Desk> desk_;
};

}  // namespace tenon::records
