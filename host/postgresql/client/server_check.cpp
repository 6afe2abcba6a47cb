#include "postgresql/client/server_check.hpp"

#include <algorithm>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "postgresql/client/connection.hpp"
#include "postgresql/client/result_rows.hpp"

namespace tenon::data::postgresql {

namespace {

constexpr std::int64_t server_check_timeout = 10'000'000'000;

constexpr std::string_view ask =
    "SELECT current_setting('server_version_num')::bigint, current_setting('server_version'), "
    "pg_encoding_to_char(d.encoding), d.datname, current_user, r.rolcreaterole OR r.rolsuper, "
    "pg_has_role(current_user, d.datdba, 'MEMBER'), pg_is_in_recovery(), EXISTS(SELECT 1 FROM "
    "pg_namespace "
    "WHERE nspname = 'tenon'), pg_database_size(d.oid), (SELECT count(*) FROM pg_stat_activity "
    "WHERE backend_type = 'client backend'), current_setting('max_connections')::bigint FROM "
    "pg_database d, pg_roles r WHERE d.datname = current_database() AND r.rolname = current_user";

}  // namespace

ServerFacts ask_server(const std::string& url) {
  ConnectionOptions options;
  options.url = url;
  options.schema = "pg_catalog";
  options.is_trusted = true;
  Connection connection(options);
  Rows rows = ResultRows::to_rows(
      connection.run_alone(ask, {}, base::monotonic_nanoseconds() + server_check_timeout));
  ServerFacts facts;
  if (!rows.next()) return facts;
  facts.version_number = rows.integer(0);
  facts.version = rows.text(1);
  facts.encoding = rows.text(2);
  facts.database = rows.text(3);
  facts.role = rows.text(4);
  facts.may_create_roles = rows.boolean(5);
  facts.is_owner = rows.boolean(6);
  facts.is_read_only = rows.boolean(7);
  facts.has_host_schema = rows.boolean(8);
  facts.bytes = rows.integer(9);
  facts.connections = rows.integer(10);
  facts.max_connections = rows.integer(11);
  return facts;
}

std::vector<base::Error> obstacles(const ServerFacts& facts) {
  std::vector<base::Error> found;
  const std::string database = "\"" + facts.database + "\"";
  const std::string role = "\"" + facts.role + "\"";
  if (facts.version_number < oldest_server) {
    found.emplace_back(500, "data.server_version",
                       "This is PostgreSQL " + facts.version + "; at least 15 is needed.");
  }
  if (facts.encoding != "UTF8") {
    found.emplace_back(500, "data.server_encoding",
                       "The database " + database + " has the encoding " + facts.encoding +
                           "; UTF8 is needed. Make another: CREATE DATABASE … OWNER " + role +
                           " ENCODING 'UTF8' TEMPLATE template0.");
  }
  if (facts.is_read_only) {
    found.emplace_back(500, "data.server_read_only",
                       "The database " + database +
                           " is that of a standby, which can only be read. Name the primary.");
  }
  if (!facts.is_owner) {
    found.emplace_back(500, "data.server_rights",
                       "The role " + role + " does not own the database " + database +
                           ", and takes rights in it from others. As a superuser: ALTER DATABASE " +
                           database + " OWNER TO " + role + ".");
  }
  if (!facts.may_create_roles) {
    found.emplace_back(500, "data.server_rights",
                       "The role " + role +
                           " may not create roles, and each plugin gets one of its own. As a "
                           "superuser: ALTER ROLE " +
                           role + " CREATEROLE.");
  }
  return found;
}

std::string shown_url(std::string_view url) {
  std::string text(url);
  const std::size_t scheme = text.find("://");
  if (scheme == std::string::npos) return "a URL";
  const std::size_t begin = scheme + 3;
  // The last one: a password may hold what it should have escaped.
  const std::size_t at = text.rfind('@');
  const std::size_t colon = text.find(':', begin);
  if (at != std::string::npos && colon < at) text.erase(colon, at - colon);
  for (const std::string_view name : {"password=", "sslpassword="}) {
    for (std::size_t from = text.find('?'); from != std::string::npos;) {
      from = text.find_first_not_of("?&", from);
      if (from == std::string::npos) break;
      const std::size_t end = std::min(text.find('&', from), text.size());
      if (text.compare(from, name.size(), name) == 0) {
        text.replace(from + name.size(), end - from - name.size(), "…");
      }
      from = text.find('&', from);
    }
  }
  return text;
}

}  // namespace tenon::data::postgresql
