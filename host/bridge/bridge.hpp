#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include <tenon/entry.h>

#include "bridge/phase.hpp"
#include "crash/running_calls.hpp"
#include "packages/manifest/manifest.hpp"
#include "routing/lease.hpp"

namespace tenon::blobs {
class Blobs;
class Uploads;
}  // namespace tenon::blobs
namespace tenon::data {
class Database;
}
namespace tenon::events {
class Bus;
}
namespace tenon::http {
class WorkerShare;
}
namespace tenon::http_client {
class Client;
}
namespace tenon::identity {
class Permissions;
class Users;
}  // namespace tenon::identity
namespace tenon::jobs {
class Jobs;
}
namespace tenon::routing {
class RouteSet;
}

namespace tenon::settings {
class Store;
}

namespace tenon::plugins {

class BlobsInterface;
class DbInterface;
class EventsInterface;
class FunctionMigrations;
class HttpClientInterface;
class HttpInterface;
class IdentityInterface;
class JobsInterface;
class LogInterface;
class PluginDatabase;
class ServicesDirectory;
class ServicesInterface;
class SettingsInterface;
class TablesInterface;

/// Services of the host that every bridge uses; they outlive all bridges.
struct BridgeServices {
  identity::Users* users = nullptr;
  const identity::Permissions* permissions = nullptr;
  settings::Store* settings = nullptr;
  blobs::Blobs* blobs = nullptr;
  blobs::Uploads* uploads = nullptr;
  jobs::Jobs* jobs = nullptr;
  events::Bus* bus = nullptr;
  std::string host_version;                    ///< semantic
  std::uint64_t instance = 0;                  ///< this run of the host
  ServicesDirectory* directory = nullptr;      ///< null: no plugin calls another
  http_client::Client* http_client = nullptr;  ///< null: no plugin sends requests
};

/// The host as one activation of a plugin sees it: its tenon_host, and one class an interface.
/// Nothing a plugin does through it can throw. A call that comes too late or too often is refused
/// by code. The lifecycle moves it from phase to phase:
///
///   created → starting → active → quiescing → stopping → over
///
/// Shared: callbacks that the HTTP server holds own it, so that it outlives the activation.
class Bridge : public std::enable_shared_from_this<Bridge> {
 public:
  static std::shared_ptr<Bridge> make(const BridgeServices& services, const Manifest& manifest,
                                      std::uint64_t generation,
                                      std::unique_ptr<PluginDatabase> database);
  ~Bridge();
  Bridge(const Bridge&) = delete;
  Bridge& operator=(const Bridge&) = delete;

  const tenon_host& host() const noexcept { return host_; }
  const std::string& plugin_id() const noexcept { return manifest_.id; }
  const PluginName& name() const noexcept { return name_; }
  const Manifest& manifest() const noexcept { return manifest_; }
  const BridgeServices& services() const noexcept { return services_; }
  std::uint64_t generation() const noexcept { return host_.generation; }
  PluginDatabase& database() noexcept { return *database_; }

  Phase phase() const noexcept { return phase_.load(std::memory_order_seq_cst); }
  bool is_in(Phase first, Phase last) const noexcept {
    const Phase now = phase();
    return now >= first && now <= last;
  }
  /// Moves to `phase`. In `created` and `starting` only the calling thread may register things.
  void move_to(Phase phase) noexcept;
  /// True on the thread that is inside create or start.
  bool is_setting_up() const noexcept;

  HttpInterface& http() noexcept { return *http_; }
  DbInterface& db() noexcept { return *db_; }
  FunctionMigrations& migrations() noexcept { return *migrations_; }
  SettingsInterface& settings() noexcept { return *settings_; }
  IdentityInterface& identity() noexcept { return *identity_; }
  LogInterface& log() noexcept { return *log_; }
  BlobsInterface& blobs() noexcept { return *blobs_; }
  JobsInterface& jobs() noexcept { return *jobs_; }
  TablesInterface& tables() noexcept { return *tables_; }
  EventsInterface& events() noexcept { return *events_; }
  HttpClientInterface& http_client() noexcept { return *http_client_; }
  ServicesInterface& services_interface() noexcept { return *services_interface_; }

  /// Counts callbacks that are neither requests nor calls of services (watchers, jobs).
  routing::LeaseGate& gate() noexcept { return gate_; }
  /// Refuses further calls by way of callbacks and services.
  void close_gates() noexcept;
  /// Returns the number of callbacks and service calls inside the plugin; exact once the gates are
  /// closed.
  std::int64_t frames() const noexcept;

  /// Returns the registered routes, to be published; workers of `share` run them.
  std::shared_ptr<const routing::RouteSet> make_routes(std::shared_ptr<http::WorkerShare> share);

  /// Responds 503 to pending requests, cuts streams, and makes all handles stale.
  void give_up_calls() noexcept;
  /// Drops every callback that is still registered. No frame of the plugin may be left.
  void drop_callbacks() noexcept;
  /// Ends open blobs and transactions, and closes the database.
  void close_database() noexcept;

  /// Returns the bridge of the host pointer that a plugin passes; null for null.
  static Bridge* of(const tenon_host* host) noexcept {
    return host ? static_cast<Bridge*>(host->impl) : nullptr;
  }

 private:
  Bridge(const BridgeServices& services, const Manifest& manifest, std::uint64_t generation,
         std::unique_ptr<PluginDatabase> database);
  static const void* get_interface(const tenon_host* host, tenon_span id,
                                   std::uint32_t need) noexcept;

  const BridgeServices services_;
  const Manifest manifest_;
  const PluginName name_;
  tenon_host host_{};
  std::atomic<Phase> phase_{Phase::created};
  std::atomic<std::thread::id> setting_up_{};
  routing::LeaseGate gate_;
  std::unique_ptr<PluginDatabase> database_;
  std::unique_ptr<LogInterface> log_;
  std::unique_ptr<HttpInterface> http_;
  std::unique_ptr<DbInterface> db_;
  std::unique_ptr<FunctionMigrations> migrations_;
  std::unique_ptr<SettingsInterface> settings_;
  std::unique_ptr<IdentityInterface> identity_;
  std::unique_ptr<BlobsInterface> blobs_;
  std::unique_ptr<JobsInterface> jobs_;
  std::unique_ptr<TablesInterface> tables_;
  std::unique_ptr<EventsInterface> events_;
  std::unique_ptr<HttpClientInterface> http_client_;
  std::unique_ptr<ServicesInterface> services_interface_;
};

}  // namespace tenon::plugins
