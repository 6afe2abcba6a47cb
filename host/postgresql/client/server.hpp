#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "data/database_options.hpp"
#include "data/migrate/migrate.hpp"

namespace tenon::data::postgresql {

class Connection;

/// Maximum connections of a plugin's role: the readers and the writer of eight hosts.
inline constexpr int connections_a_role = 80;

/// Maximum connections of its owner: one migration at a time on each of them.
inline constexpr int connections_an_owner = 16;

/// Describes the installation, as recorded in the host's schema.
struct Installation {
  std::string id;          ///< unique; made by the first call of host_schema()
  std::string copy_state;  ///< of a copy into this database (data/copying); empty: none
};

/// The host's rights on a PostgreSQL database: makes the schemas and the roles. The URL's role must
/// own the database and may create roles (CREATEROLE); it need not be a superuser. One thread at a
/// time; connects with the first call and stays connected as long as it lives.
class Server {
 public:
  explicit Server(std::string url);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// The host's own schema `tenon`, made when missing. Takes from PUBLIC what it may do in this
  /// database: connecting, temporary tables, the schema public. Throws 503 data.connection_lost,
  /// 500 data.denied without the rights.
  PostgresqlSchema host_schema();

  /// Returns the host's schema, which host_schema() made before; changes nothing.
  PostgresqlSchema known_host_schema() const;

  /// The schema `plugin_<id>` and the LOGIN role that sees nothing else, made when missing.
  /// host_schema() must have been called once. The role owns nothing: it reads and writes rows of
  /// tables that a second role owns, which makes them and runs the plugin's migrations. Passwords
  /// are random, kept in the host's schema, and sent to the server as verifiers (scram-sha-256)
  /// only.
  PostgresqlSchema plugin_schema(std::string_view plugin);
  /// Returns the schema if plugin_schema() made it before; changes nothing.
  std::optional<PostgresqlSchema> known_schema(std::string_view plugin);

  /// Drops the schema with all that is in it, and the roles; without effect where there are none.
  void drop_plugin(std::string_view plugin);

  /// Empty where host_schema() was never called.
  Installation installation();

  /// Returns the ids of the plugins that have a schema, sorted.
  std::vector<std::string> plugins();

  /// Returns what apply() would do to the plugin's data, which need not exist yet and is not made.
  /// Throws what data::plan() throws.
  schema::Plan plan(const Declaration& declaration);

 private:
  Connection& connection();

  const std::string url_;
  std::unique_ptr<Connection> connection_;
};

}  // namespace tenon::data::postgresql
