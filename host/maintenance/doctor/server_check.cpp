#include "postgresql/client/server_check.hpp"

#include <filesystem>
#include <string>

#include "base/error.hpp"
#include "data/limits.hpp"
#include "data/sql_error.hpp"
#include "data_copy/data_copy.hpp"
#include "maintenance/doctor/checks.hpp"
#include "postgresql/client/server.hpp"

namespace tenon::console {

namespace {

namespace pg = data::postgresql;

constexpr const char* two_engines =
    "A server refuses to start so: rows would speak of files that are not here. Name the database "
    "and the directory that belong together.";

// Returns the file which shows that the directory is for data of the other engine; empty if there
// is none.
std::string other_engine(const std::string& data, bool is_postgresql) {
  std::error_code failure;
  const std::string binding = data + "/database";
  const bool is_bound = std::filesystem::exists(binding, failure);
  if (!is_postgresql) return is_bound ? binding : std::string();
  // Files of SQLite in a bound directory remain from before it was moved.
  std::string file = data + "/tenon.db";
  return !is_bound && std::filesystem::exists(file, failure) ? file : std::string();
}

void report_unfinished(const std::string& where, Report& report) {
  report.error("database.copy_unfinished", where,
               "It holds a copy of an installation that is not complete. No server starts on it.",
               "Run the same tenon data copy again; it continues where it stopped.");
}

void check_connection_limit(const pg::ServerFacts& facts, const std::string& where,
                            Report& report) {
  // The host itself, its lock, and a command that runs meanwhile.
  constexpr std::int64_t of_a_database = static_cast<std::int64_t>(data::default_readers) + 1;
  constexpr std::int64_t needed = of_a_database * 4 + 2;
  if (facts.max_connections >= needed) return;
  report.warning("database.few_connections", where,
                 "The server takes " + std::to_string(facts.max_connections) +
                     " connections. The host and each plugin with data take up to " +
                     std::to_string(of_a_database) + " each.",
                 "Raise max_connections to 9 for each plugin and 11 more.");
}

}  // namespace

void check_server(CheckContext& context) {
  const auto& settings = context.installation.settings;
  if (!settings) return;
  const bool is_postgresql = !settings->database.empty();
  const std::string other = other_engine(context.installation.data, is_postgresql);
  std::error_code failure;
  const std::string copying = context.installation.data + "/copying";
  const bool is_copied_into = !is_postgresql && std::filesystem::exists(copying, failure);
  if (!is_postgresql && other.empty() && !is_copied_into) return;
  Report& report = context.report;
  report.begin("database server");
  if (!other.empty()) {
    report.error("database.another_engine", other,
                 is_postgresql
                     ? "--database names PostgreSQL, but this directory is of SQLite."
                     : "No --database is named, but this directory belongs to one of PostgreSQL.",
                 two_engines);
  }
  if (is_copied_into) report_unfinished(copying, report);
  if (!is_postgresql) return report.summarize("none is named");
  const std::string where = pg::shown_url(settings->database);
  try {
    const pg::ServerFacts facts = pg::ask_server(settings->database);
    for (const base::Error& obstacle : pg::obstacles(facts))
      report.error("database" + obstacle.code().substr(obstacle.code().find('.')), where,
                   obstacle.message(), "A server refuses to start until this is done.");
    check_connection_limit(facts, where, report);
    if (facts.has_host_schema) {
      const std::string state = pg::Server(settings->database).installation().copy_state;
      if (!state.empty() && state != is_complete) report_unfinished(where, report);
    }
    report.summarize(
        "PostgreSQL " + facts.version + ", " + show_bytes(static_cast<std::uint64_t>(facts.bytes)) +
        ", " + std::to_string(facts.connections) + " of " + std::to_string(facts.max_connections) +
        " connections" + (facts.has_host_schema ? "" : ", no data yet"));
  } catch (const data::SqlError& error) {
    report.error("database.unreachable", where, error.message() + " (" + error.detail() + ")",
                 "Look whether the server runs, whether the URL is right, and whether pg_hba.conf "
                 "lets this machine and this role in.");
    report.summarize("not reached");
  }
}

}  // namespace tenon::console
