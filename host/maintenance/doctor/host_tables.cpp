#include "maintenance/doctor/host_tables.hpp"

#include <filesystem>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "maintenance/doctor/checks.hpp"
#include "postgresql/client/connection.hpp"
#include "postgresql/client/result_rows.hpp"
#include "sqlite/connection/inspection.hpp"

namespace tenon::console {

namespace {

constexpr std::int64_t statement_timeout = 60'000'000'000;

data::Rows ask(data::postgresql::Connection& server, const std::string& sql) {
  return data::postgresql::ResultRows::to_rows(
      server.run_alone(sql, {}, base::monotonic_nanoseconds() + statement_timeout));
}

}  // namespace

HostTables::HostTables(const CheckContext& context) {
  const auto& settings = context.installation.settings;
  if (settings && !settings->database.empty()) {
    name_ = "PostgreSQL";
    data::postgresql::ConnectionOptions options;
    options.url = settings->database;
    options.schema = "tenon";
    options.is_trusted = true;
    options.is_read_only = true;
    try {
      server_ = std::make_unique<data::postgresql::Connection>(options);
    } catch (const base::Error&) {  // has its own check
    }
    return;
  }
  name_ = context.installation.data + "/tenon.db";
  std::error_code failure;
  if (!std::filesystem::exists(name_, failure)) return;
  file_ = std::make_unique<data::sqlite::Inspection>(name_, context.has_server);
  if (!file_->failure().empty()) file_.reset();
}

HostTables::~HostTables() = default;

std::optional<std::int64_t> HostTables::number(const std::string& sql) {
  if (file_) return file_->number(sql.c_str());
  if (!server_) return std::nullopt;
  try {
    data::Rows rows = ask(*server_, sql);
    if (!rows.next() || rows.is_null(0)) return std::nullopt;
    return rows.integer(0);
  } catch (const base::Error&) {
    return std::nullopt;
  }
}

bool HostTables::each(const std::string& sql,
                      const std::function<void(std::string, std::int64_t)>& row) {
  if (file_) return file_->each(sql.c_str(), row);
  if (!server_) return false;
  try {
    data::Rows rows = ask(*server_, sql);
    while (rows.next())
      row(std::string(rows.text(0)), rows.integer(1));
    return true;
  } catch (const base::Error&) {
    return false;
  }
}

}  // namespace tenon::console
