#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <sys/types.h>

#include "data/database.hpp"

struct pg_conn;

namespace tenon::data::postgresql {
class Server;
}

namespace tenon::data::test {

/// A PostgreSQL 15 of its own in a temporary folder, reached by a socket alone; as root it runs as
/// the user postgres. Gone with the object, and with the process.
class PostgresqlCluster {
 public:
  PostgresqlCluster();
  ~PostgresqlCluster();
  PostgresqlCluster(const PostgresqlCluster&) = delete;
  PostgresqlCluster& operator=(const PostgresqlCluster&) = delete;

  /// The one that the tests of this process share; started for the first of them.
  static PostgresqlCluster& shared();

  /// As the owner of the database `tenon`, who may create roles and is no superuser.
  const std::string& url() const noexcept { return url_; }
  /// As the superuser.
  const std::string& superuser_url() const noexcept { return superuser_url_; }
  /// The same in another database than `postgres`.
  std::string superuser_of(const std::string& database) const;
  /// As the owner, in a schema of its own that is new.
  PostgresqlSchema fresh_schema();
  /// The schema and the roles that a host gives to a plugin, whose id is new and begins with
  /// `prefix`.
  PostgresqlSchema fresh_plugin_schema(std::string_view prefix);
  /// Runs statements as `url`; throws what they fail with.
  static void run(const std::string& url, const std::string& sql);

  void start();
  /// Simulates a crash: connections end without notice.
  void kill();

 private:
  // One connection for all places: a new one costs the server a twentieth of a second.
  std::unique_ptr<pg_conn, void (*)(pg_conn*)> owner_;
  std::unique_ptr<postgresql::Server> host_;
  std::string folder_;
  std::string url_;
  std::string superuser_url_;
  pid_t server_ = -1;
};

}  // namespace tenon::data::test
