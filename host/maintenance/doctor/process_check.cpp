#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

#include <Poco/Environment.h>
#include <sodium.h>
#include <sys/resource.h>

#include "http_client/tls.hpp"
#include "maintenance/doctor/checks.hpp"
#include "sqlite/connection/version.hpp"

namespace tenon::console {

namespace {

// Open files of a working server: log, loops, sockets; and for each database: the connections of
// the writer, of maintenance and of readers, three files each.
constexpr std::uint64_t own_files = 64;
constexpr std::uint64_t files_a_database = 30;

// "Max open files            1024                 524288               files"
std::uint64_t files_of_process(std::int64_t pid) {
  std::ifstream limits("/proc/" + std::to_string(pid) + "/limits");
  for (std::string line; std::getline(limits, line);) {
    if (!line.starts_with("Max open files")) continue;
    std::istringstream words(line.substr(14));
    std::string soft;
    words >> soft;
    if (soft == "unlimited") return ~std::uint64_t{0};
    return std::strtoull(soft.c_str(), nullptr, 10);
  }
  return 0;
}

std::uint64_t own_limit() {
  struct rlimit limit {};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return ~std::uint64_t{0};
  return limit.rlim_cur;
}

std::string poco_version() {
  const auto version = Poco::Environment::libraryVersion();
  return std::to_string(version >> 24) + "." + std::to_string((version >> 16) & 0xFF) + "." +
         std::to_string((version >> 8) & 0xFF);
}

// TLS is a module that other commands open when a registry is at an https URL.
std::string tls_version(Report& report) {
  try {
    return http_client::tls().version();
  } catch (const std::runtime_error& failure) {
    report.warning("libraries.tls", "libtenon_tls.so", failure.what(),
                   "Install Tenon again; until then no registry at an https URL can be read.");
    return "no TLS";
  }
}

}  // namespace

void check_certificates(CheckContext& context) {
  context.report.begin("certificates");
  context.report.summarize("TLS is not configured: this version does not speak it itself");
}

void check_limits(CheckContext& context) {
  Report& report = context.report;
  report.begin("limits");
  std::uint64_t files = 0;
  std::string whose = "of this process";
  if (context.server_pid > 0) files = files_of_process(context.server_pid);
  if (files != 0)
    whose = "of the server";
  else
    files = own_limit();
  const bool is_unlimited = files == ~std::uint64_t{0};
  report.summarize((is_unlimited ? std::string("no limit of") : std::to_string(files)) +
                   " open files " + whose);
  if (!context.installation.settings || is_unlimited) return;
  const std::uint64_t databases = std::max<std::size_t>(context.databases.size(), 1);
  const std::uint64_t connections = context.installation.settings->http.connections;
  const std::uint64_t needed = connections + own_files + databases * files_a_database;
  if (files < own_files + databases * files_a_database) {
    report.error(
        "limits.open_files", "RLIMIT_NOFILE",
        std::to_string(files) + " open files " + whose + " are not enough for the databases alone.",
        "Raise it: LimitNOFILE=" + std::to_string(needed) +
            " in the systemd unit, or ulimit -n before the start.");
  } else if (files < needed) {
    report.warning("limits.open_files", "RLIMIT_NOFILE",
                   std::to_string(files) + " open files " + whose + " are fewer than the " +
                       std::to_string(needed) + " that http.connections = " +
                       std::to_string(connections) + " may need; accepting pauses before that.",
                   "Raise it: LimitNOFILE=" + std::to_string(needed) +
                       " in the systemd unit, or ulimit -n before the start; or lower "
                       "http.connections.");
  }
}

void check_libraries(CheckContext& context) {
  Report& report = context.report;
  report.begin("libraries");
  const std::string sqlite(data::sqlite::sqlite_version());
  report.summarize("tenon " + context.installation.host_version + ", SQLite " + sqlite +
                   (data::sqlite::is_wal_reset_fixed()
                        ? " (its WAL-reset bug is fixed)"
                        : " (Tenon guards checkpoints against its WAL-reset bug)") +
                   ", Poco " + poco_version() + ", libsodium " + sodium_version_string() + ", " +
                   tls_version(report));
  if (sqlite != data::sqlite::sqlite_version_compiled()) {
    report.note("libraries.sqlite", "SQLite",
                "This was compiled with " + std::string(data::sqlite::sqlite_version_compiled()) +
                    " and runs with " + sqlite + ".",
                "Nothing, if Debian's updates installed it.");
  }
}

}  // namespace tenon::console
