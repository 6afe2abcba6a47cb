#include "lifecycle/activation.hpp"

#include <algorithm>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "bridge/blobs/table_uploads.hpp"
#include "bridge/bounded_call.hpp"
#include "bridge/db/plugin_database.hpp"
#include "bridge/declaration.hpp"
#include "bridge/events/events_interface.hpp"
#include "bridge/frame.hpp"
#include "bridge/http/http_interface.hpp"
#include "bridge/jobs/jobs_interface.hpp"
#include "bridge/services/services_interface.hpp"
#include "bridge/tables/tables_interface.hpp"
#include "data/migrate/migrate.hpp"
#include "events/bus.hpp"
#include "http/connection/hold.hpp"
#include "http/workers/worker_pool.hpp"
#include "identity/users/permissions.hpp"
#include "lifecycle/open_databases.hpp"
#include "lifecycle/plugin_call.hpp"
#include "loader/library.hpp"
#include "loader/loader.hpp"
#include "observability/log.hpp"
#include "packages/reason.hpp"
#include "realtime/realtime.hpp"
#include "records/model/action.hpp"
#include "records/model/model.hpp"
#include "records/model/table_context.hpp"
#include "records/search/search_directory.hpp"
#include "records/service/action_runner.hpp"
#include "records/service/orphaned_claims.hpp"
#include "records/service/record_service.hpp"
#include "records/service/records.hpp"
#include "routing/router.hpp"

namespace tenon::plugins {

namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

milliseconds left_until(Clock::time_point end) {
  return std::max(milliseconds(0), std::chrono::duration_cast<milliseconds>(end - Clock::now()));
}

base::Error draining() {
  return {503, "plugins.draining", "This plugin is being changed. Try again in a moment."};
}
base::Error migrating() {
  return {503, "plugins.migrating", "The data of this plugin is being migrated. Try again later."};
}
base::Error upgraded() {
  return {503, "plugins.upgraded",
          "Another version of this plugin took over before this was written. Try again."};
}
base::Error not_active() {
  return {404, "plugins.not_active", "This plugin is not active."};
}

std::vector<identity::Permission> permissions_of(const Manifest& manifest) {
  std::vector<identity::Permission> permissions;
  for (const DeclaredPermission& declared : manifest.permissions) {
    identity::Permission permission{declared.id, declared.title, {}};
    for (const std::string& role : declared.roles) {
      permission.roles.push_back(role == "admin" ? identity::Role::admin : identity::Role::member);
    }
    permissions.push_back(std::move(permission));
  }
  return permissions;
}

bool wait_until(Clock::time_point end, const std::function<bool()>& is_so) {
  while (!is_so()) {
    if (Clock::now() >= end) return false;
    std::this_thread::sleep_for(std::chrono::microseconds(300));
  }
  return true;
}

// Sets of routes of earlier generations that exchanges still point to: those whose body is being
// sent, for example. They lead to no plugin any more; each is freed with its last lease.
class RetiredRoutes {
 public:
  void add(std::shared_ptr<const routing::RouteSet> routes) {
    std::vector<std::shared_ptr<const routing::RouteSet>> done;  // ends outside the lock
    const std::lock_guard lock(mutex_);
    routes_.push_back(std::move(routes));
    for (auto& kept : routes_) {
      if (kept->gate().in_flight() == 0) done.push_back(std::move(kept));
    }
    std::erase(routes_, nullptr);
  }

 private:
  std::mutex mutex_;
  std::vector<std::shared_ptr<const routing::RouteSet>> routes_;
};
RetiredRoutes& retired_routes() {
  static RetiredRoutes& all = *new RetiredRoutes;
  return all;
}

}  // namespace

std::unique_ptr<Activation> Activation::begin(ActivationEnvironment& environment, Manifest manifest,
                                              std::string folder, std::uint64_t generation,
                                              bool is_first, bool may_wait,
                                              const Progress& progress, Handover* handover) {
  std::unique_ptr<Activation> activation(new Activation(environment, std::move(manifest),
                                                        std::move(folder), generation, is_first,
                                                        handover ? handover->from : nullptr));
  try {
    {
      BoundedThread thread;
      activation->load(thread);
      progress.loaded();
      activation->create(thread);
      if (handover) activation->take_over(*handover, progress);
      activation->migrate(may_wait, progress, handover);
      activation->start(thread);
    }
    activation->require_healthy();
    activation->publish(handover);
  } catch (...) {
    // The routes and permissions belong to the other generation, and must stay.
    if (handover && handover->from)
      activation->successor_ = handover->is_suspended ? Successor::held : Successor::replaced;
    if (!activation->is_stuck_) activation->leave(activation->is_started_);
    if (activation->is_stuck_) {
      const bool is_awaited = handover && handover->will_restore;
      abandon(std::move(activation),
              is_awaited ? environment.close_timeout : environment.grace_period);
    }
    throw;
  }
  return activation;
}

Activation::Activation(ActivationEnvironment& environment, Manifest manifest, std::string folder,
                       std::uint64_t generation, bool is_first, Activation* from)
    : environment_(environment),
      manifest_(std::move(manifest)),
      folder_(std::move(folder)),
      is_first_(is_first) {
  auto database = std::make_unique<PluginDatabase>(
      PluginDatabase::Where{manifest_.id, environment_.data, environment_.location,
                            environment_.closed, environment_.reserve},
      environment_.check_time,
      [&env = environment_, id = manifest_.id, generation](data::Fault fault,
                                                           std::string_view reason) {
        if (env.on_fault) env.on_fault(fault, id, generation, reason);
      },
      [&env = environment_, id = manifest_.id](const std::shared_ptr<data::Database>& opened) {
        if (env.databases) env.databases->add(id, opened);
      },
      from ? &from->bridge_->database() : nullptr);
  bridge_ = Bridge::make(environment_.bridge, manifest_, generation, std::move(database));
}

Activation::~Activation() = default;

jobs::Jobs& Activation::jobs() const noexcept {
  return *environment_.bridge.jobs;
}

std::shared_ptr<data::Database> Activation::database() {
  return bridge_->database().get();
}

std::uint64_t Activation::writes() const {
  return bridge_->database().writes() - writes_before_;
}

std::size_t Activation::route_count() const noexcept {
  return routes_ ? routes_->routes().size() : 0;
}

std::vector<std::string> Activation::table_names() const {
  std::vector<std::string> names;
  for (const data::schema::Table& table : bridge_->tables().model()->declared().tables)
    names.push_back(table.name);
  return names;
}

void Activation::migrate(bool may_wait, const Progress& progress, Handover* handover) {
  Migrated migrated = bridge_->database().migrate(manifest_, folder_);
  bridge_->tables().declare(std::move(migrated.model));
  pending_contract_ = std::move(migrated.left);
  if (!bridge_->migrations().is_pending()) return;
  if (!may_wait) throw MigrationsWait();
  environment_.router.unpublish("/api/" + manifest_.id, migrating());
  if (handover && handover->hold) handover->hold->release();
  run_functions(progress);
}

// Returns the number of batches.
std::size_t Activation::run_functions(const Progress& progress) {
  for (std::size_t batches = 0;; ++batches) {
    if (progress.must_stop())
      throw base::Error(503, "plugins.migrating",
                        "The migration of the plugin's data was stopped; it continues when the "
                        "plugin is enabled.");
    // As in create(): what the thread refers to outlives it.
    struct Batch {
      std::optional<MigrationProgress> progress;
      std::exception_ptr failure;
    };
    const auto batch = std::make_shared<Batch>();
    const bool is_back = run_bounded(
        [this, batch] {
          bridge_->move_to(Phase::starting);
          try {
            batch->progress = bridge_->migrations().run_batch();
          } catch (...) {
            batch->failure = std::current_exception();
          }
        },
        FunctionMigrations::batch_deadline + environment_.grace_period);
    if (!is_back) {
      is_stuck_ = true;
      throw Refusal({"plugins.migration_timeout",
                     "A batch of a migration did not come back within 30 s.",
                     {},
                     {}});
    }
    if (batch->failure) std::rethrow_exception(batch->failure);
    if (!batch->progress) return batches;
    progress.migrated(*batch->progress);
  }
}

void Activation::publish(Handover* handover) {
  writes_before_ = bridge_->database().writes();
  auto runner = bridge_->jobs().make_runner();
  const auto model = bridge_->tables().model();
  bridge_->tables().check(model->declared());
  bridge_->events().check(model->declared());
  const bool has_tables = records::Records::has_routes(model->declared());
  if (has_tables) runner = publish_tables(model, std::move(runner));
  routes_ = bridge_->make_routes(environment_.workers.make_share(manifest_.id));
  bridge_->move_to(Phase::active);
  environment_.permissions.declare(manifest_.id, permissions_of(manifest_));
  environment_.bridge.bus->declare(manifest_.id, bridge_->events().topics());
  if (environment_.on_activate)
    environment_.on_activate(
        {.manifest = manifest_, .folder = folder_, .generation = generation()});
  jobs().attach(with_actions(std::move(runner)), schedules());
  if (has_tables) environment_.live.attach(manifest_.id, model, bridge_->database().get());
  if ((follower_ = bridge_->tables().make_consumer())) follower_->start();
  if (handover) handover->commit();
  bridge_->services_interface().publish();
  environment_.router.publish(routes_);
  if (environment_.search)
    environment_.search->attach({manifest_.id, routes_, std::move(searchable_)});
}

std::shared_ptr<jobs::Runner> Activation::publish_tables(
    const std::shared_ptr<const records::Model>& model, std::shared_ptr<jobs::Runner> runner) {
  const records::Records published(
      manifest_.id, model, bridge_->database().get(), environment_.permissions,
      *environment_.bridge.users, *environment_.bridge.blobs, *environment_.bridge.uploads, jobs(),
      // A reference to a table of the plugin keeps the bridge alive.
      bridge_->tables().has_hooks() ? std::shared_ptr<records::Hooks>(bridge_, &bridge_->tables())
                                    : nullptr);
  release_orphaned_claims();
  auto routes = published.routes();
  if (const auto needs = published.upload_needs()) add_table_uploads(routes, *bridge_, *needs);
  bridge_->http().add_table_routes(std::move(routes));
  if (environment_.search) searchable_ = published.searchable();
  return published.make_runner(std::move(runner));
}

// Those of the code and those of plugin.json.
std::vector<jobs::ActiveSchedule> Activation::schedules() const {
  std::vector<jobs::ActiveSchedule> all = bridge_->jobs().take_schedules();
  for (const DeclaredSchedule& declared : manifest_.schedules) {
    if (std::any_of(all.begin(), all.end(), [&](const jobs::ActiveSchedule& other) {
          return other.declared.name == declared.name;
        })) {
      throw Refusal({"plugins.schedule_invalid",
                     "The code of the plugin declares a schedule \"" + declared.name + "\", too.",
                     folder_ + "/plugin.json", "schedules"});
    }
    all.emplace_back(manifest_.id, jobs::Schedule{declared.name, declared.cron, declared.time_zone,
                                                  std::string(records::action_kind),
                                                  declared.action.to_json(), declared.runs_missed});
  }
  return all;
}

std::shared_ptr<jobs::Runner> Activation::with_actions(std::shared_ptr<jobs::Runner> runner) const {
  if (manifest_.schedules.empty()) return runner;
  return std::make_shared<records::ActionRunner>(
      std::move(runner),
      // A reference to the records keeps the bridge alive, whose callbacks they call.
      std::shared_ptr<const records::RecordService>(bridge_,
                                                    bridge_->tables().record_service().get()),
      bridge_->database().get(), *environment_.bridge.blobs);
}

// Later generations would also find claims of changes that have not finished.
void Activation::release_orphaned_claims() {
  if (!is_first_) return;
  try {
    const std::size_t released = records::release_orphaned_claims(
        *environment_.bridge.blobs, manifest_.id, *bridge_->database().get());
    if (released != 0) {
      observability::log_info("released orphaned claims of files",
                              {{"plugin", manifest_.id}, {"claims", released}});
    }
  } catch (const base::Error& error) {
    observability::log_warning("could not check claims of files",
                               {{"plugin", manifest_.id}, {"reason", error.message()}});
  }
}

void Activation::unpublish() {
  if (successor_ == Successor::replaced) return;
  environment_.live.detach(manifest_.id);
  if (successor_ == Successor::none)
    environment_.router.unpublish("/api/" + manifest_.id, not_active());
  environment_.permissions.remove_plugin(manifest_.id);
  environment_.bridge.bus->remove_plugin(manifest_.id);
}

bool Activation::ask_to_quiesce(milliseconds timeout) {
  if (!plugin_) return true;
  const auto quiesce = slot(*plugin_, &tenon_plugin::quiesce, TENON_NEED(tenon_plugin, quiesce));
  if (!quiesce) return true;
  return run_bounded(
      [this, quiesce, timeout] {
        const Frame frame(bridge_->name(), Operation::stop, {}, true);
        const auto deadline = static_cast<std::uint32_t>(timeout.count());
        if (enter(quiesce, tenon_code{TENON_E_INTERNAL}, plugin_, deadline) < 0) {
          observability::log_warning("a plugin failed to quiesce", {{"plugin", manifest_.id}});
        }
      },
      timeout + environment_.grace_period);
}

// Returns false when frames of the plugin remain.
bool Activation::drain(milliseconds timeout) {
  const auto end = Clock::now() + timeout;
  bridge_->services_interface().unpublish();
  bridge_->move_to(Phase::quiescing);
  if (!is_suspended_) {
    if (environment_.search) environment_.search->detach(manifest_.id);
    routes_->gate().close();
    jobs().detach(manifest_.id);
    if (follower_) follower_->stop_soon();
  }
  const bool is_quiet = ask_to_quiesce(timeout);
  if (is_quiet) {
    routes_->gate().wait_idle(left_until(end));
    // Those of one that was suspended were given up, or are another's.
    if (!is_suspended_) jobs().wait_idle(manifest_.id, end);
    bridge_->services_interface().wait_idle(left_until(end));
    if (follower_) follower_->wait_idle(end);
  }
  // A request with a lease and no call never entered the plugin; from now on the host responds to
  // it.
  bridge_->give_up_calls();
  bridge_->close_gates();
  const auto last = Clock::now() + environment_.grace_period;
  const bool is_empty = is_quiet && wait_until(last, [this] {
                          return bridge_->http().calls() == 0 && bridge_->frames() == 0;
                        });
  // Calls that the gate rejects return by themselves.
  if (!is_empty && !is_suspended_) jobs().give_up(manifest_.id);
  return is_empty;
}

Activation::CloseResult Activation::end(std::unique_ptr<Activation> activation,
                                        milliseconds timeout, Successor successor) {
  Activation& own = *activation;
  own.successor_ = successor;
  if (successor == Successor::none)
    own.environment_.router.unpublish("/api/" + own.manifest_.id, draining());
  if (own.is_suspended_) own.bridge_->database().reject_writes(upgraded());
  if (successor == Successor::restored) own.bridge_->database().leave_wal();
  CloseResult left = CloseResult::running;
  if (own.drain(timeout) && !own.is_being_asked())
    left = own.leave(true);
  else
    own.is_stuck_ = true;
  if (own.is_stuck_) {
    own.unpublish();
    const ActivationEnvironment& environment = own.environment_;
    abandon(std::move(activation),
            successor == Successor::held ? environment.close_timeout : environment.grace_period);
    return CloseResult::running;
  }
  retired_routes().add(std::move(own.routes_));
  return left;
}

// Undoes any step. No code of the plugin runs any more except what is called here.
Activation::CloseResult Activation::leave(bool is_started) {
  if (!is_suspended_ && successor_ != Successor::replaced) jobs().detach(manifest_.id);
  bridge_->give_up_calls();
  bridge_->close_gates();
  if (!wait_until(Clock::now() + environment_.grace_period,
                  [this] { return bridge_->frames() == 0; })) {
    if (!is_suspended_ && successor_ != Successor::replaced) jobs().give_up(manifest_.id);
    is_stuck_ = true;
    return CloseResult::running;
  }
  if (follower_) follower_->stop();
  const bool is_back =
      !library_ ||
      run_bounded(
          [this, is_started] {
            const Frame frame(bridge_->name(), Operation::stop, {}, true);
            bridge_->move_to(Phase::stopping);
            const auto stop = plugin_ && is_started ? slot(*plugin_, &tenon_plugin::stop,
                                                           TENON_NEED(tenon_plugin, stop))
                                                    : nullptr;
            if (stop && enter(stop, tenon_code{TENON_E_INTERNAL}, plugin_) < 0) {
              observability::log_warning("a plugin failed to stop", {{"plugin", manifest_.id}});
            }
            bridge_->drop_callbacks();
            if (plugin_ && plugin_->destroy) enter(plugin_->destroy, plugin_);
            bridge_->move_to(Phase::over);
          },
          environment_.stop_timeout);
  if (!is_back) {
    is_stuck_ = true;
    return CloseResult::running;
  }
  plugin_ = nullptr;
  if (successor_ != Successor::replaced) environment_.live.detach(manifest_.id);
  bridge_->close_database();
  unpublish();
  const std::string why = library_ ? library_->facts().may_stay_mapped : std::string();
  if (environment_.loader.unload(manifest_.id, std::move(library_))) return CloseResult::nothing;
  observability::log_warning(
      "the library of a plugin stays mapped, though it was closed",
      {{"plugin", manifest_.id},
       {"generation", generation()},
       {"reason", why.empty() ? "something in the process still uses it" : why}});
  return CloseResult::resident;
}

void Activation::abandon(std::unique_ptr<Activation> activation, milliseconds timeout) noexcept {
  static std::mutex& mutex = *new std::mutex;
  static auto& buried = *new std::vector<std::unique_ptr<Activation>>;
  activation->bridge_->move_to(Phase::over);
  // From now on the data belongs to another generation: further calls of its thread are refused.
  const bool is_closed =
      run_bounded([bridge = activation->bridge_] { bridge->close_database(); }, timeout);
  observability::log_error(
      "a plugin did not come back and is left as it is; restart the server to be rid of it",
      {{"plugin", activation->manifest_.id},
       {"generation", activation->generation()},
       {"data", is_closed ? "closed" : "in use"}});
  if (activation->library_)
    activation->environment_.loader.abandon(activation->manifest_.id,
                                            std::move(activation->library_));
  const std::lock_guard lock(mutex);
  buried.push_back(std::move(activation));
}

}  // namespace tenon::plugins
