#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/connection/application.hpp"
#include "routing/route.hpp"
#include "schema/tables.hpp"

namespace tenon::blobs {
class Blobs;
class Uploads;
}  // namespace tenon::blobs
namespace tenon::data {
class Database;
}
namespace tenon::jobs {
class Jobs;
class Runner;
}  // namespace tenon::jobs
namespace tenon::identity {
class Permissions;
class Users;
}  // namespace tenon::identity

namespace tenon::records {

struct TableContext;
class Hooks;
class Model;

/// A route and its handler, which owns everything it uses.
struct OwnedRoute {
  routing::Route route;  ///< without handler and share
  std::unique_ptr<http::Handler> handler;
};

/// The uploads that a plugin's tables need for their files.
struct UploadNeeds {
  std::uint64_t max_bytes = 0;  ///< of the largest file that any field takes
  /// Throws 403 records.forbidden for who may neither create nor change a record with files.
  std::function<void(const http::Exchange&)> require;
};

/// The REST API of a plugin's published tables.
class Records {
 public:
  /// Whether any table is published.
  static bool has_routes(const data::schema::Tables& tables) noexcept;

  /// `database` holds the tables as they are declared; `permissions`, `users`, `blobs`,
  /// `uploads` and `jobs` outlive the handlers. `hooks` is code of the plugin that is asked; null:
  /// none.
  Records(const std::string& plugin, const std::shared_ptr<const Model>& model,
          std::shared_ptr<data::Database> database, const identity::Permissions& permissions,
          const identity::Users& users, blobs::Blobs& blobs, blobs::Uploads& uploads,
          jobs::Jobs& jobs, const std::shared_ptr<Hooks>& hooks = nullptr);
  ~Records();
  Records(const Records&) = delete;
  Records& operator=(const Records&) = delete;

  /// New routes of all published tables. Their handlers may block on the database.
  std::vector<OwnedRoute> routes() const;
  /// Nothing where no published table has files that can be written.
  std::optional<UploadNeeds> upload_needs() const;
  /// Returns the contexts of the published tables that have searchable fields, for a
  /// SearchDirectory.
  std::vector<std::shared_ptr<const TableContext>> searchable() const;
  /// Returns a runner of imports that passes the plugin's own jobs to `own`.
  std::shared_ptr<jobs::Runner> make_runner(std::shared_ptr<jobs::Runner> own) const;

 private:
  std::vector<std::shared_ptr<const TableContext>> table_contexts_;  // of the published tables
};

}  // namespace tenon::records
