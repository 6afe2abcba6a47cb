#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <tenon/entry.h>

#include "base/error.hpp"
#include "bridge/bridge.hpp"
#include "bridge/db/function_migrations.hpp"
#include "bridge/db/schema_locator.hpp"
#include "lifecycle/active_plugin.hpp"
#include "packages/manifest/manifest.hpp"
#include "packages/reason.hpp"

namespace tenon::data {
class OnlineSnapshot;
class Database;
class SpaceReserve;
struct Declaration;
enum class CheckTime : std::uint8_t;
enum class Fault : std::uint8_t;
}  // namespace tenon::data
namespace tenon::http {
class Hold;
class WorkerPool;
}  // namespace tenon::http
namespace tenon::identity {
class Permissions;
}
namespace tenon::jobs {
struct ActiveSchedule;
class Jobs;
class Runner;
}  // namespace tenon::jobs
namespace tenon::realtime {
class Realtime;
}
namespace tenon::records {
class Model;
struct TableContext;
class SearchDirectory;
}  // namespace tenon::records
namespace tenon::routing {
class RouteSet;
class Router;
}  // namespace tenon::routing

namespace tenon::plugins {

class BoundedThread;
class ChangeConsumer;
class CleanShutdownRecord;
class Library;
class Loader;
class OpenDatabases;
struct ActivationEnvironment;

/// The services and limits that activations use; all of them outlive the activations.
struct ActivationEnvironment {
  std::string data;            ///< directory of the plugins' databases
  SchemaLocator location;      ///< locates the schema on PostgreSQL; null: a file in `data`
  data::CheckTime check_time;  ///< of their files
  Loader& loader;
  BridgeServices bridge;
  identity::Permissions& permissions;
  realtime::Realtime& live;
  http::WorkerPool& workers;
  routing::Router& router;
  /// For the constructors of a library; beyond it the process ends, for no other library can be
  /// loaded while they run.
  std::chrono::milliseconds load_timeout{4'000};
  std::chrono::milliseconds start_timeout{30'000};  ///< for create, and for start
  std::chrono::milliseconds health_timeout{5'000};  ///< for a health check
  std::chrono::milliseconds stop_timeout{10'000};   ///< for stop and destroy together
  std::chrono::milliseconds grace_period{
      1'000};  ///< after requests were given up, for their frames to return
  /// For requests in flight before another generation replaces theirs; they end where they began,
  /// but may no longer write afterwards.
  std::chrono::milliseconds handover_timeout{1'000};
  std::chrono::milliseconds jobs_timeout{
      2'000};  ///< for jobs in flight then; they start again afterwards
  /// For writes that were begun before; where it is not enough the change fails.
  std::chrono::milliseconds writes_timeout{5'000};
  /// For statements of a generation that did not come back, where another one is to have its data:
  /// longer than a transaction may take.
  std::chrono::milliseconds close_timeout{61'000};
  /// Called last before routes are published; what it throws makes the activation fail.
  std::function<void(const ActivePlugin&)> on_activate;
  std::function<void(data::Fault, const std::string& plugin, std::uint64_t generation,
                     std::string_view reason)>
      on_fault;
  std::shared_ptr<OpenDatabases>
      databases{};  ///< receives every database that is opened; may be null
  records::SearchDirectory* search = nullptr;   ///< receives the searchable tables; may be null
  CleanShutdownRecord* closed = nullptr;        ///< what is known of files at a start; may be null
  std::shared_ptr<data::SpaceReserve> reserve;  ///< of their disk; null: none
};

/// Callbacks of an activation while it is made. None may throw.
struct Progress {
  std::function<void()> loaded;                                 ///< step 1 is done
  std::function<void(const MigrationProgress&)> migrated = {};  ///< a batch is on disk
  std::function<bool()> must_stop = [] { return false; };       ///< asked between batches
};

class Activation;

/// How a generation takes the place of another. See Activation::begin.
struct Handover {
  Activation* from = nullptr;        ///< null: no generation runs
  std::shared_ptr<http::Hold> hold;  ///< where requests wait once `from` is suspended
  /// Called only with data, while `from` still serves: starts the snapshot that take_snapshot()
  /// finishes; may return null.
  std::function<std::unique_ptr<data::OnlineSnapshot>(data::Database&)> start_snapshot;
  /// As Replacement::take_snapshot; null: there is no data, nothing was started.
  std::function<void(data::Database*, data::OnlineSnapshot*)> take_snapshot;
  std::function<void()> commit_to_restore;  ///< as Replacement::commit_to_restore
  std::function<void()> commit;             ///< it runs, and is about to be published
  bool is_suspended = false;                ///< `from` serves no more
  bool will_restore = false;                ///< commit_to_restore() was called
  bool data_modified = false;               ///< the data may have been changed since
};

/// Thrown by an activation that may not wait: migrations that are functions have not run.
class MigrationsWait : public base::Error {
 public:
  MigrationsWait() : base::Error(503, "plugins.migrating", "Its data is being migrated.") {}
};

/// One generation of a plugin, from its library to its routes and back. A plugin without a library
/// takes the same steps, without the calls. Not thread-safe; the
/// lifecycle holds the plugin's mutex.
///
///   1. load      the library, from a private copy
///   2. create    the plugin registers routes
///   3. migrate   its tables, then by its own functions, a batch at a time
///   4. start     it may use the database; then it is asked for its health
///   5. publish   routes of its published tables, permissions, jobs, then all routes: active
///   6. end       routes and jobs away → quiesce → leases back → stop → drop callbacks → destroy →
///   database and library closed
///
/// A failing step undoes those before it. A plugin that does not come back from a call in time is
/// left as it is, library and all, for its code may still run; its data alone are closed, and what
/// it asks of the host is refused.
class Activation {
 public:
  /// Runs steps 1 to 5; throws base::Error with the reason. `is_first`: no other activation of the
  /// plugin has been in this process. `may_wait`: migrations that are functions run; else throws
  /// MigrationsWait where any has to. Requests to the prefix get 503 "plugins.migrating" while they
  /// run.
  ///
  /// With a handover the checks that change nothing come first; then `from` is suspended and the
  /// snapshot of the data is taken. If `from` can use the data meanwhile, the snapshot and the
  /// expand migrations come first, and `from` is suspended afterwards. From then on both
  /// generations have the database open. The caller ends `from`: as replaced, or as held if this
  /// threw.
  static std::unique_ptr<Activation> begin(ActivationEnvironment& environment, Manifest manifest,
                                           std::string folder, std::uint64_t generation,
                                           bool is_first, bool may_wait, const Progress& progress,
                                           Handover* handover = nullptr);
  ~Activation();
  Activation(const Activation&) = delete;
  Activation& operator=(const Activation&) = delete;

  enum class CloseResult : std::uint8_t {
    nothing,   ///< closed and unmapped
    resident,  ///< closed, and the library stays mapped
    running    ///< not closed: code of it may still run
  };
  /// The owner of the prefix after this generation ends.
  enum class Successor : std::uint8_t {
    none,      ///< no generation: 503 meanwhile, and 404 "plugins.not_active" afterwards
    held,      ///< requests wait for the next generation
    restored,  ///< requests wait, and the data is replaced: its WAL is left as it is
    replaced   ///< another generation serves already
  };
  /// Step 6, with `drain` for what is in flight.
  static CloseResult end(std::unique_ptr<Activation> activation, std::chrono::milliseconds drain,
                         Successor successor = Successor::none);

  /// Stops serving, but continues with what is in flight: jobs are stopped, requests wait in
  /// `hold`, and nothing is written any more once those had their time. A suspended generation can
  /// only be ended.
  void suspend(const std::shared_ptr<http::Hold>& hold);

  const Manifest& manifest() const noexcept { return manifest_; }
  std::uint64_t generation() const noexcept { return bridge_->generation(); }
  std::size_t route_count() const noexcept;
  std::vector<std::string> table_names() const;
  /// Returns why the plugin cannot do its work, as it reports: "plugins.unhealthy",
  /// "plugins.health_timeout". Nothing if it is well or has no health check. One that did not come
  /// back is not asked again before it does.
  std::optional<Reason> ask_health();

  /// Returns whether migrations of the phase contract remain, which run when no other generation
  /// uses the data.
  bool has_pending_contract() const noexcept { return !pending_contract_.empty(); }
  const std::vector<std::string>& pending_contract() const noexcept { return pending_contract_; }
  /// Runs the pending contract migrations. Throws as data::contract; then they remain pending.
  void contract();

  /// Write transactions that were acknowledged since this generation started, jobs' too.
  std::uint64_t writes() const;

  /// Returns the plugin's database; throws as PluginDatabase::get.
  std::shared_ptr<data::Database> database();

 private:
  struct HealthCall;

  Activation(ActivationEnvironment& environment, Manifest manifest, std::string folder,
             std::uint64_t generation, bool is_first, Activation* from);

  jobs::Jobs& jobs() const noexcept;
  void load(BoundedThread& thread);
  void create(BoundedThread& thread);
  void take_over(Handover& handover, const Progress& progress);
  void expand_while_serving(Handover& handover, const data::Declaration& declaration,
                            const Progress& progress);
  std::size_t run_functions(const Progress& progress);
  void migrate(bool may_wait, const Progress& progress, Handover* handover);
  void start(BoundedThread& thread);
  void publish(Handover* handover);
  /// Returns the runner of the plugin's jobs, which `runner` runs, and of the jobs of its tables.
  std::vector<jobs::ActiveSchedule> schedules() const;
  std::shared_ptr<jobs::Runner> with_actions(std::shared_ptr<jobs::Runner> runner) const;
  std::shared_ptr<jobs::Runner> publish_tables(const std::shared_ptr<const records::Model>& model,
                                               std::shared_ptr<jobs::Runner> runner);
  void release_orphaned_claims();
  CloseResult leave(bool is_started);
  bool drain(std::chrono::milliseconds timeout);
  bool ask_to_quiesce(std::chrono::milliseconds timeout);
  void unpublish();
  /// Leaves the activation as it is, but closes its data. Waits up to `timeout` for statements that
  /// run.
  static void abandon(std::unique_ptr<Activation> activation,
                      std::chrono::milliseconds timeout) noexcept;
  void require_healthy();
  bool is_being_asked() const noexcept;

  ActivationEnvironment& environment_;
  const Manifest manifest_;
  const std::string folder_;
  const bool is_first_;
  std::shared_ptr<Bridge> bridge_;
  std::unique_ptr<Library> library_;    ///< null: not loaded, or the plugin has none
  tenon_plugin* plugin_ = nullptr;      ///< null without a library
  std::shared_ptr<HealthCall> health_;  ///< the last one
  std::shared_ptr<const routing::RouteSet> routes_;
  std::vector<std::shared_ptr<const records::TableContext>> searchable_;
  std::vector<std::string> pending_contract_;  ///< files of migrations
  std::unique_ptr<ChangeConsumer> follower_;   ///< null: it receives no changes
  Successor successor_ = Successor::none;
  std::uint64_t writes_before_ = 0;  ///< of its database, by migrations and start too
  bool is_suspended_ = false;
  bool is_started_ = false;
  bool is_stuck_ = false;  ///< a call into it did not return
};

}  // namespace tenon::plugins
