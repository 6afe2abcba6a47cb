#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "maintenance/doctor/doctor.hpp"

namespace tenon::console {

/// What the checks share.
struct CheckContext {
  const CheckedInstallation& patient;
  Report& report;
  bool is_there = false;                        ///< the data directory can be looked into
  bool has_server = false;                      ///< one holds it
  std::int64_t server_pid = 0;                  ///< 0: not known
  std::optional<std::string> plugin_list = {};  ///< what the server says of its plugins
  std::vector<std::string> databases = {};      ///< files, absolute, sorted
};

void check_configuration(CheckContext& examination);
/// Also fills in what Examination says of the directory.
void check_directory(CheckContext& examination);
void check_server(CheckContext& examination);
void check_databases(CheckContext& examination);
void check_blobs(CheckContext& examination);
void check_leftovers(CheckContext& examination);
void check_plugins(CheckContext& examination);
/// Proxies that are not trusted, and host names.
void check_proxies(CheckContext& examination);
void check_clock(CheckContext& examination);
void check_certificates(CheckContext& examination);
void check_limits(CheckContext& examination);
void check_libraries(CheckContext& examination);

/// What a clock says; all in milliseconds.
struct ClockReading {
  std::int64_t now = 0;           ///< since 1970
  std::int64_t newest = 0;        ///< the newest time on record, 0: none
  std::string newest_where = {};  ///< where that stands
  std::int64_t wall_passed = 0;   ///< while it was watched
  std::int64_t steady_passed = 0;
  bool is_synchronized = true;  ///< a time service keeps it right
};
void judge_clock(const ClockReading& reading, Report& report);

/// What of a file system is left.
struct Room {
  std::uint64_t free_bytes = 0;
  std::uint64_t all_bytes = 0;
  std::uint64_t free_files = 0;
  std::uint64_t all_files = 0;  ///< 0: not limited
};
void judge_room(const std::string& where, const Room& room, Report& report);

/// "1.5 GiB"
std::string show_bytes(std::uint64_t bytes);

}  // namespace tenon::console
