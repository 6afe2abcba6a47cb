#include "maintenance/doctor/doctor.hpp"

#include "maintenance/doctor/checks.hpp"

namespace tenon::console {

Report examine(const CheckedInstallation& patient) {
  Report report;
  CheckContext examination{.patient = patient, .report = report};
  check_configuration(examination);
  check_directory(examination);
  check_server(examination);
  check_databases(examination);
  check_blobs(examination);
  check_leftovers(examination);
  check_plugins(examination);
  check_proxies(examination);
  check_clock(examination);
  check_certificates(examination);
  check_limits(examination);
  check_libraries(examination);
  return report;
}

}  // namespace tenon::console
