#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "maintenance/doctor/doctor.hpp"

namespace tenon::console {

/// The state that the checks share.
struct CheckContext {
  const CheckedInstallation& installation;
  Report& report;
  bool is_there = false;                        ///< the data directory can be looked into
  bool has_server = false;                      ///< a server has it locked
  std::int64_t server_pid = 0;                  ///< 0: not known
  std::optional<std::string> plugin_list = {};  ///< the server's list of its plugins
  std::vector<std::string> databases = {};      ///< files, absolute, sorted
};

void check_configuration(CheckContext& context);
/// Also sets the members of CheckContext about the directory.
void check_directory(CheckContext& context);
void check_server(CheckContext& context);
void check_databases(CheckContext& context);
void check_blobs(CheckContext& context);
void check_leftovers(CheckContext& context);
void check_plugins(CheckContext& context);
/// Proxies that are not trusted, and host names.
void check_proxies(CheckContext& context);
void check_clock(CheckContext& context);
void check_certificates(CheckContext& context);
void check_limits(CheckContext& context);
void check_libraries(CheckContext& context);

/// A reading of the clock; all in milliseconds.
struct ClockReading {
  std::int64_t now = 0;           ///< since 1970
  std::int64_t newest = 0;        ///< the newest time on record, 0: none
  std::string newest_where = {};  ///< the file or table that has it
  std::int64_t wall_passed = 0;   ///< while it was watched
  std::int64_t steady_passed = 0;
  bool is_synchronized = true;  ///< a time service keeps it right
};
void check_clock_reading(const ClockReading& reading, Report& report);

/// The free space of a file system.
struct FreeSpace {
  std::uint64_t free_bytes = 0;
  std::uint64_t all_bytes = 0;
  std::uint64_t free_files = 0;
  std::uint64_t all_files = 0;  ///< 0: not limited
};
void check_free_space(const std::string& where, const FreeSpace& space, Report& report);

/// "1.5 GiB"
std::string show_bytes(std::uint64_t bytes);

}  // namespace tenon::console
