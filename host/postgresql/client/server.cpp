#include "postgresql/client/server.hpp"

#include <memory>
#include <optional>
#include <utility>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/ids.hpp"
#include "data/database.hpp"
#include "postgresql/client/connection.hpp"
#include "postgresql/client/result_rows.hpp"
#include "postgresql/client/server_error.hpp"
#include "postgresql/client/session.hpp"

namespace tenon::data::postgresql {

namespace {

constexpr std::string_view host_schema_name = "tenon";

// One transaction of the host that changes rights; no two hosts at once.
class Change {
 public:
  explicit Change(Connection& connection)
      : connection_(connection),
        session_(connection_, {"BEGIN",
                               "SELECT pg_advisory_xact_lock(hashtextextended('tenon "
                               "roles', 0))"}) {
    session_.begin();
  }
  ~Change() {
    if (!is_committed_) session_.control(Control::rollback);
  }
  Change(const Change&) = delete;
  Change& operator=(const Change&) = delete;

  Rows query(std::string_view sql, Cells cells = {}) {
    return ResultRows::to_rows(session_.run(sql, cells, deadline_));
  }
  void run(const std::string& sql) { session_.run(sql, {}, deadline_); }
  void commit() {
    is_committed_ = true;
    if (auto error = session_.control(Control::commit)) throw SqlError(std::move(*error));
  }
  std::string text(std::string_view sql, Cells cells = {}) {
    Rows rows = query(sql, cells);
    return rows.next() ? std::string(rows.text(0)) : std::string();
  }
  PGconn* handle() const noexcept { return connection_.handle(); }

 private:
  Connection& connection_;
  Session session_;
  bool is_committed_ = false;
  const std::int64_t deadline_ = base::monotonic_nanoseconds() + 30'000'000'000;
};

std::string quoted_identifier(std::string_view name) {
  return "\"" + std::string(name) + "\"";
}

// Returns what the server stores of a password; the password itself is in no statement and no log.
std::string verifier(PGconn* connection, const std::string& password, const std::string& role) {
  const std::unique_ptr<char, decltype(Libpq::freemem)> made(
      libpq().encryptPasswordConn(connection, password.c_str(), role.c_str(), "scram-sha-256"),
      libpq().freemem);
  if (!made) throw lost_error(libpq().errorMessage(connection));
  return made.get();
}

// A LOGIN role that may nothing but log in, or such a one that is there already, with a new
// password.
void make_role(Change& change, const std::string& name, const std::string& password,
               int connections) {
  const bool exists = !change.text("SELECT 1 FROM pg_roles WHERE rolname = ?1", {name}).empty();
  change.run(
      (exists ? "ALTER ROLE " : "CREATE ROLE ") + quoted_identifier(name) +
      " LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOINHERIT NOREPLICATION NOBYPASSRLS CONNECTION "
      "LIMIT " +
      std::to_string(connections) + " PASSWORD '" + verifier(change.handle(), password, name) +
      "'");
}

void check_id(std::string_view plugin) {
  constexpr std::size_t max_length = 32;
  bool is_fine = !plugin.empty() && plugin.size() <= max_length;
  for (const char c : plugin)
    is_fine = is_fine && ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-');
  if (!is_fine) {
    throw base::Error(422, "data.plugin_invalid",
                      "'" + std::string(plugin) + "' is not the id of a plugin.");
  }
}

}  // namespace

Server::Server(std::string url) : url_(std::move(url)) {}
Server::~Server() = default;

Connection& Server::connection() {
  if (!connection_ || connection_->is_stale()) {
    ConnectionOptions options;
    options.url = url_;
    options.schema = host_schema_name;
    options.is_trusted = true;
    connection_ = std::make_unique<Connection>(options);
  }
  return *connection_;
}

PostgresqlSchema Server::host_schema() {
  Change change(connection());
  const std::string database = quoted_identifier(change.text("SELECT current_database()"));
  change.run("CREATE SCHEMA IF NOT EXISTS tenon");
  change.run(
      "CREATE TABLE IF NOT EXISTS tenon.tenon_installation (one BIGINT PRIMARY KEY CHECK (one = "
      "1), id TEXT NOT NULL)");
  change.query(
      "INSERT INTO tenon.tenon_installation (one, id) VALUES (1, ?1) ON CONFLICT DO NOTHING",
      {base::new_id()});
  change.run("REVOKE ALL ON DATABASE " + database + " FROM PUBLIC");
  change.run("REVOKE ALL ON SCHEMA public FROM PUBLIC");
  change.run("REVOKE ALL ON SCHEMA tenon FROM PUBLIC");
  change.run(
      "CREATE TABLE IF NOT EXISTS tenon.tenon_roles (plugin TEXT COLLATE \"C\" PRIMARY KEY, role "
      "TEXT NOT NULL, password TEXT NOT NULL, owner TEXT NOT NULL, owner_password TEXT NOT NULL)");
  change.commit();
  return known_host_schema();
}

PostgresqlSchema Server::plugin_schema(std::string_view plugin) {
  check_id(plugin);
  PostgresqlSchema location{url_, {}, {}, "plugin_" + std::string(plugin), {}, {}};
  Change change(connection());
  {
    Rows known = change.query(
        "SELECT role, password, owner, owner_password FROM tenon.tenon_roles WHERE plugin = ?1",
        {plugin});
    if (known.next()) {
      location.user = known.text(0);
      location.password = known.text(1);
      location.owner = known.text(2);
      location.owner_password = known.text(3);
      return location;
    }
  }
  // Roles are of the whole server, so another database of it may have the same plugin.
  location.user = location.schema + "_" +
                  change.text("SELECT oid FROM pg_database WHERE datname = current_database()");
  location.password = base::random_token();
  location.owner = location.user + "_o";
  location.owner_password = base::random_token();
  const std::string role = quoted_identifier(location.user);
  const std::string owner = quoted_identifier(location.owner);
  const std::string schema = quoted_identifier(location.schema);
  make_role(change, location.user, location.password, connections_a_role);
  make_role(change, location.owner, location.owner_password, connections_an_owner);
  change.run("ALTER ROLE " + role + " SET search_path = " + schema);
  change.run("ALTER ROLE " + role + " SET statement_timeout = '60s'");
  change.run("ALTER ROLE " + role + " SET idle_in_transaction_session_timeout = '60s'");
  change.run("ALTER ROLE " + owner + " SET search_path = " + schema);
  // The host may do what the owner may; the plugin's sessions where the host says so, as a plugin's
  // SQL cannot (SET ROLE is refused by its first word).
  change.run("GRANT " + owner + " TO CURRENT_USER");
  change.run("GRANT " + owner + " TO " + role);
  change.run("GRANT CONNECT ON DATABASE " +
             quoted_identifier(change.text("SELECT current_database()")) + " TO " + role + ", " +
             owner);
  change.run("CREATE SCHEMA IF NOT EXISTS " + schema);
  change.run("REVOKE ALL ON SCHEMA " + schema + " FROM PUBLIC");
  change.run("GRANT USAGE ON SCHEMA " + schema + " TO " + role);
  change.run("GRANT USAGE, CREATE ON SCHEMA " + schema + " TO " + owner);
  change.run("ALTER DEFAULT PRIVILEGES IN SCHEMA " + schema +
             " GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO " + role);
  // Rows may be written where apply() says so.
  change.run("ALTER DEFAULT PRIVILEGES FOR ROLE " + owner + " IN SCHEMA " + schema +
             " GRANT SELECT ON TABLES TO " + role);
  for (const std::string& whose : {std::string(), " FOR ROLE " + owner}) {
    change.run("ALTER DEFAULT PRIVILEGES" + whose + " IN SCHEMA " + schema +
               " GRANT USAGE ON SEQUENCES TO " + role);
  }
  change.query(
      "INSERT INTO tenon.tenon_roles (plugin, role, password, owner, owner_password) VALUES (?1, "
      "?2, ?3, ?4, ?5)",
      {plugin, location.user, location.password, location.owner, location.owner_password});
  change.commit();
  return location;
}

std::optional<PostgresqlSchema> Server::known_schema(std::string_view plugin) {
  check_id(plugin);
  {
    Change change(connection());
    if (change.text("SELECT to_regclass('tenon.tenon_roles')").empty() ||
        change.text("SELECT 1 FROM tenon.tenon_roles WHERE plugin = ?1", {plugin}).empty())
      return std::nullopt;
  }
  return plugin_schema(plugin);
}

void Server::drop_plugin(std::string_view plugin) {
  const std::optional<PostgresqlSchema> location = known_schema(plugin);
  if (!location) return;
  Change change(connection());
  change.run("DROP SCHEMA IF EXISTS " + quoted_identifier(location->schema) + " CASCADE");
  for (const std::string& role : {location->user, location->owner}) {
    // Only a member may.
    change.run("GRANT " + quoted_identifier(role) + " TO CURRENT_USER");
    change.run("DROP OWNED BY " + quoted_identifier(role) + " CASCADE");
    change.run("DROP ROLE " + quoted_identifier(role));
  }
  change.query("DELETE FROM tenon.tenon_roles WHERE plugin = ?1", {plugin});
  change.commit();
}

PostgresqlSchema Server::known_host_schema() const {
  return {url_, {}, {}, std::string(host_schema_name), {}, {}};
}

Installation Server::installation() {
  Change change(connection());
  Installation installation;
  if (!change.text("SELECT to_regclass('tenon.tenon_installation')").empty())
    installation.id = change.text("SELECT id FROM tenon.tenon_installation");
  if (!change.text("SELECT to_regclass('tenon.tenon_copy')").empty())
    installation.copy_state =
        change.text("SELECT value FROM tenon.tenon_copy WHERE name = 'state'");
  return installation;
}

std::vector<std::string> Server::plugins() {
  Change change(connection());
  std::vector<std::string> plugins;
  if (change.text("SELECT to_regclass('tenon.tenon_roles')").empty()) return plugins;
  Rows row = change.query("SELECT plugin FROM tenon.tenon_roles ORDER BY plugin");
  while (row.next())
    plugins.emplace_back(row.text(0));
  return plugins;
}

schema::Plan Server::plan(const Declaration& declaration) {
  DatabaseOptions options;
  options.postgresql = known_schema(declaration.plugin);
  // A schema that is not there has no tables.
  if (!options.postgresql)
    options.postgresql = {url_, {}, {}, "plugin_" + declaration.plugin, {}, {}};
  Database database(std::move(options));
  return data::plan(database, declaration);
}

}  // namespace tenon::data::postgresql
