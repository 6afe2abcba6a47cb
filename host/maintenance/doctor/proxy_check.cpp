#include <chrono>
#include <cstdint>
#include <string>

#include "base/clock.hpp"
#include "http/parser/forwarded.hpp"
#include "maintenance/doctor/checks.hpp"
#include "maintenance/doctor/host_tables.hpp"

namespace tenon::console {

namespace {

// An address that an admin has looked at meanwhile should not be reported for ever.
constexpr std::int64_t recent = std::chrono::milliseconds(std::chrono::hours(24 * 7)).count();

void check_notice(const CheckContext& context, HostTables& tables, Report& report) {
  const http::AddressBlocks trusted(context.installation.settings->http.trusted_proxies);
  tables.each("SELECT peer, seen_ms FROM identity_proxy_notice",
              [&](const std::string& peer, std::int64_t seen) {
                if (base::unix_milliseconds() - seen > recent || trusted.contains(peer)) return;
                report.warning("proxy.untrusted", peer,
                               "Requests came through a proxy that is not trusted, last at about " +
                                   base::rfc3339(seen) +
                                   ": its clients count as one address, and none as this machine.",
                               "If it is a proxy of this installation, add its address to "
                               "http.trusted_proxies and restart the server.");
              });
}

}  // namespace

void check_proxies(CheckContext& context) {
  Report& report = context.report;
  report.begin("proxies and host names");
  if (!context.is_there || !context.installation.settings) return;
  const config::HttpSettings& http = context.installation.settings->http;
  HostTables tables(context);
  check_notice(context, tables, report);
  const auto stored = tables.number("SELECT count(*) FROM identity_hosts");
  if (stored) {
    report.summarize(std::to_string(http.trusted_proxies.size()) + " trusted proxies, " +
                     std::to_string(http.hosts.size() + static_cast<std::size_t>(*stored)) +
                     " host names");
  }
  if (stored == 0 && http.hosts.empty()) {
    report.note("hosts.any", "http.hosts",
                "Every host name is allowed, so a web page elsewhere can reach this server through "
                "a visitor's browser (DNS rebinding).",
                "Name the host with tenon hosts add NAME, or in http.hosts.");
  }
}

}  // namespace tenon::console
