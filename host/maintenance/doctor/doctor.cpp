#include "maintenance/doctor/doctor.hpp"

#include "maintenance/doctor/checks.hpp"

namespace tenon::console {

Report run_checks(const CheckedInstallation& installation) {
  Report report;
  CheckContext context{.installation = installation, .report = report};
  check_configuration(context);
  check_directory(context);
  check_server(context);
  check_databases(context);
  check_blobs(context);
  check_leftovers(context);
  check_plugins(context);
  check_proxies(context);
  check_clock(context);
  check_certificates(context);
  check_limits(context);
  check_libraries(context);
  return report;
}

}  // namespace tenon::console
