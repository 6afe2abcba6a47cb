#include "app/server/server.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <utility>

#include "admin_api/account/account_routes.hpp"
#include "admin_api/control_socket/commands.hpp"
#include "admin_api/control_socket/control_socket.hpp"
#include "admin_api/control_socket/host_commands.hpp"
#include "admin_api/control_socket/plugins_commands.hpp"
#include "admin_api/control_socket/registry_commands.hpp"
#include "admin_api/control_socket/user_commands.hpp"
#include "admin_api/health/health_routes.hpp"
#include "admin_api/jobs/jobs_routes.hpp"
#include "admin_api/plugins/export_admin.hpp"
#include "admin_api/plugins/exports_routes.hpp"
#include "admin_api/plugins/operation_tracker.hpp"
#include "admin_api/plugins/package_admin.hpp"
#include "admin_api/plugins/packages_routes.hpp"
#include "admin_api/plugins/plugin_admin.hpp"
#include "admin_api/plugins/plugins_routes.hpp"
#include "admin_api/registry/registry_admin.hpp"
#include "admin_api/registry/registry_routes.hpp"
#include "app/commands/plugin_options.hpp"
#include "app/commands/registry_setup.hpp"
#include "app/server/data_directory.hpp"
#include "app/server/host_storage.hpp"
#include "app/server/server_metrics.hpp"
#include "app/server/settings_to_limits.hpp"
#include "app/version.hpp"
#include "base/error.hpp"
#include "blobs/blobs.hpp"
#include "blobs/disk_store.hpp"
#include "blobs/keeper.hpp"
#include "blobs/uploads.hpp"
#include "data/database.hpp"
#include "data/metrics.hpp"
#include "data/sql_error.hpp"
#include "events/bus.hpp"
#include "http/loop/server.hpp"
#include "http/workers/worker_pool.hpp"
#include "identity/identity.hpp"
#include "identity/setup.hpp"
#include "installer/packages.hpp"
#include "jobs/jobs.hpp"
#include "lifecycle/lifecycle.hpp"
#include "observability/log.hpp"
#include "observability/metrics.hpp"
#include "observability/process_metrics.hpp"
#include "observability/slow_log.hpp"
#include "observability/tracer.hpp"
#include "openapi/openapi_routes.hpp"
#include "realtime/presence_routes.hpp"
#include "realtime/realtime.hpp"
#include "records/search/search_directory.hpp"
#include "records/search/search_everywhere.hpp"
#include "registry/downloads.hpp"
#include "routing/dispatcher.hpp"
#include "routing/router.hpp"
#include "shell/shell.hpp"

namespace tenon::app {

namespace {

/// What the admin is told where machines ask: each plugin that is to run and does not do so in
/// full.
std::vector<std::string> troubles_of(const HostStorage& storage, const plugins::Listing& plugins,
                                     bool is_safe_mode) {
  std::vector<std::string> troubles;
  if (is_safe_mode) troubles.push_back("core " + std::string(plugins::safe_mode_code));
  if (std::string code = storage.trouble(); !code.empty()) troubles.push_back("core " + code);
  for (const auto& status : plugins) {
    if (status->reason && status->enabled && !status->is_duplicate && !is_note(*status->reason)) {
      troubles.push_back(status->id + " " + std::string(to_string(status->state)) + " " +
                         status->reason->code);
    }
  }
  return troubles;
}

/// What the API's description says of the plugins.
std::vector<openapi::Tag> tags_of(const plugins::Listing& plugins) {
  std::vector<openapi::Tag> tags;
  for (const auto& status : plugins) {
    if (status->is_duplicate) continue;
    tags.push_back(
        {status->id,
         status->description.empty() ? status->name : status->name + ": " + status->description,
         status->license});
  }
  return tags;
}

routing::Route search_route(records::SearchEverywhere& search, http::WorkerShare& share) {
  routing::Route route;
  route.pattern = "/api/core/search";
  route.handler = &search;
  route.share = &share;
  route.summary = "Searches the tables of all plugins";
  return route;
}

std::unique_ptr<observability::Tracer> make_tracer(const config::Settings& settings,
                                                   observability::Metrics& metrics) {
  if (settings.trace.file.empty() && settings.trace.endpoint.empty()) return nullptr;
  observability::TraceOptions options;
  options.sample = settings.trace.sample;
  options.rate = settings.trace.rate;
  options.file = settings.trace.file;
  options.endpoint = settings.trace.endpoint;
  options.version = host_version;
  return std::make_unique<observability::Tracer>(std::move(options), metrics);
}

}  // namespace

class Server::Implementation {
 public:
  Implementation(config::Settings given, const Handover& given_over);
  /// Also of one that was not stopped: its watcher uses the database.
  ~Implementation() { storage.unwatch(); }
  Implementation(const Implementation&) = delete;
  Implementation& operator=(const Implementation&) = delete;

  void start();
  void stop();
  std::string url() const;

  const config::Settings settings;
  const Handover handover;
  DataDirectory directory;
  HostStorage storage;
  observability::Metrics metrics;
  std::unique_ptr<observability::Tracer> tracer;  // null: nothing is traced
  events::Bus bus;
  data::Database database;
  blobs::Blobs blobs;
  blobs::Uploads uploads;
  jobs::Jobs jobs;
  identity::Identity identity;
  realtime::Realtime live;
  http::WorkerPool workers;
  std::shared_ptr<http::WorkerShare> console_share;
  routing::Router router;
  console::AccountRoutes account_routes;
  console::HealthRoutes health_routes;
  console::JobsRoutes jobs_routes;
  console::PresenceRoutes presence_routes;
  shell::Shell shell;
  records::SearchDirectory search_directory;
  plugins::Lifecycle lifecycle;
  plugins::PluginInstaller packages;
  records::SearchEverywhere search;
  console::OperationTracker slow_changes;
  console::PluginAdmin plugin_admin;
  console::PluginsRoutes plugins_routes;
  console::PackageAdmin package_admin;
  console::PackagesRoutes packages_routes;
  console::ExportAdmin export_admin;
  console::ExportsRoutes exports_routes;
  std::unique_ptr<plugins::IndexCache> index_cache;  // null: no registry is configured
  plugins::Downloads downloads;
  console::RegistryAdmin registry_admin;
  console::RegistryRoutes registry_routes;
  openapi::OpenApiRoutes openapi_routes;
  console::Commands commands;
  routing::Dispatcher dispatcher;
  http::Server front;
  std::unique_ptr<console::ControlServer> control;
  std::unique_ptr<blobs::BlobSweeper> keeper;
  std::atomic<bool> is_ready{false};
};

Server::Implementation::Implementation(config::Settings given, const Handover& given_over)
    : settings(std::move(given)),
      handover(given_over),
      directory(settings.data),
      storage(settings),
      tracer(make_tracer(settings, metrics)),
      database(storage.options()),
      blobs(database,
            std::make_unique<blobs::DiskStore>(directory.file("blobs"), storage.reserve()),
            blob_limits(settings)),
      uploads(blobs),
      jobs(database, bus, metrics, jobs_options(settings)),
      identity(database, bus, metrics, identity_options(settings)),
      live(identity.permissions(), metrics),
      workers(worker_options(settings)),
      console_share(workers.make_share("console")),
      router(metrics),
      account_routes(identity, *console_share),
      health_routes(
          metrics, identity.hosts(),
          [this] { return is_ready.load(std::memory_order_relaxed) && !storage.is_away(); },
          [this] {
            return troubles_of(storage, *lifecycle.listing(), handover.restart.is_safe_mode);
          }),
      jobs_routes(jobs, identity.audit(), *console_share),
      presence_routes(live.presence(), *console_share),
      shell({settings.ui, settings.name}, router, bus, identity.authenticator(),
            identity.permissions(), live, health_routes.routes()),
      lifecycle({database, identity.users(), identity.permissions(), bus, metrics, workers, router,
                 blobs, uploads, jobs, live},
                lifecycle_options(settings, handover.restart, shell, search_directory,
                                  storage.reserve())),
      packages(
          database, &lifecycle,
          packages_options(settings, blobs, jobs, router, identity.audit(), storage.reserve())),
      search(search_directory, identity.permissions()),
      slow_changes(*console_share),
      plugin_admin(lifecycle, router, identity.audit()),
      plugins_routes(plugin_admin, slow_changes, *console_share),
      package_admin(
          packages, [this](const std::string& plugin) { return plugin_admin.show(plugin); },
          identity.audit(), settings.data),
      packages_routes(package_admin, slow_changes, *console_share),
      export_admin(packages, identity.audit()),
      exports_routes(export_admin, *console_share),
      index_cache(make_index_cache(settings, directory.file("registry"))),
      downloads(index_cache.get(), directory.file("registry"), keep_in(package_admin)),
      registry_admin(
          index_cache.get(), downloads, [this] { return packages.present(); },
          [this](const std::string& number) { return standing_of(packages.keyring(), number); }),
      registry_routes(registry_admin, *console_share),
      openapi_routes(
          {settings.name, host_version, [this] { return tags_of(*lifecycle.listing()); }}, router,
          identity.permissions(), *console_share),
      dispatcher(router, identity.authenticator(), identity.permissions(), metrics, tracer.get(),
                 {.hosts = &identity.hosts(), .proxies = &identity.proxy_notice()}),
      front(front_options(settings, handover.listening), dispatcher, workers) {
  observability::set_slow_limits({settings.slow.request, settings.slow.statement});
  observability::add_process_metrics(metrics);
  observability::add_slow_metrics(metrics);
  metrics.add_collector([this](observability::MetricsSink& sink) {
    write_build_info(sink);
    sink.counter("tenon_host_restarts_total", "Times the supervisor started the host again.", {},
                 handover.restarts);
    write_front_metrics(sink, front.statistics(), workers.statistics());
    data::write_metrics(sink, "core", database);
    if (const std::string code = storage.trouble(); !code.empty()) {
      sink.gauge("tenon_storage_trouble", "What the host's own database suffers from.",
                 {{"code", code}}, 1);
    }
  });
  packages.keyring().on_revoke([this] { shell.forget_former_files(); });
  console::add_user_commands(commands, identity);
  console::add_host_commands(commands, identity);
  console::add_plugin_commands(commands, plugin_admin);
  console::add_package_commands(commands, package_admin);
  console::add_export_commands(commands, export_admin);
  console::add_registry_commands(commands, registry_admin, package_admin);
  commands.add("openapi", [this](std::string_view) { return openapi_routes.document(); });
  // Of any method, where no longer prefix has it.
  router.withdraw("/api", {404, "plugins.unknown",
                           "This is the path of no plugin that is here. Install it, or look at how "
                           "its id is written."});
  router.publish(std::make_shared<routing::RouteSet>("core", "/api/core", account_routes.routes()));
  std::vector<routing::Route> of_plugins = plugins_routes.routes();
  for (routing::Route& route : packages_routes.plugin_routes())
    of_plugins.push_back(std::move(route));
  router.publish(
      std::make_shared<routing::RouteSet>("core", "/api/core/plugins", std::move(of_plugins)));
  router.publish(
      std::make_shared<routing::RouteSet>("core", "/api/core/keys", packages_routes.key_routes()));
  router.publish(std::make_shared<routing::RouteSet>("core", "/api/core/changes",
                                                     std::vector{slow_changes.route()}));
  router.publish(
      std::make_shared<routing::RouteSet>("core", "/api/core/exports", exports_routes.routes()));
  router.publish(
      std::make_shared<routing::RouteSet>("core", "/api/core/registry", registry_routes.routes()));
  router.publish(
      std::make_shared<routing::RouteSet>("core", "/api/core/jobs", jobs_routes.routes()));
  router.publish(
      std::make_shared<routing::RouteSet>("core", "/api/core/presence", presence_routes.routes()));
  router.publish(std::make_shared<routing::RouteSet>("core", "/api/core/openapi.json",
                                                     openapi_routes.routes()));
  router.publish(std::make_shared<routing::RouteSet>(
      "core", "/api/core/search", std::vector{search_route(search, *console_share)}));
}

void Server::Implementation::start() {
  packages.recover();
  lifecycle.start();
  storage.watch(database);
  control = std::make_unique<console::ControlServer>(directory.path(), commands);
  keeper = std::make_unique<blobs::BlobSweeper>(blobs, uploads);
  // Before requests are accepted: /readyz must not answer 503 beside other answers.
  is_ready = true;
  front.start();
  observability::log_info("ready", {{"url", url()}, {"data", directory.path()}});
}

void Server::Implementation::stop() {
  const auto end = std::chrono::steady_clock::now() + settings.shutdown_deadline;
  is_ready = false;
  if (index_cache) index_cache->stop();
  downloads.stop();
  control.reset();
  shell.close_channels();
  front.stop(settings.shutdown_deadline);
  packages.stop();
  // A plugin whose calls had that time has none left.
  lifecycle.stop(
      std::max(std::chrono::milliseconds(0), std::chrono::duration_cast<std::chrono::milliseconds>(
                                                 end - std::chrono::steady_clock::now())));
  live.stop();
  jobs.stop();
  workers.stop();
  keeper.reset();
  storage.unwatch();
}

std::string Server::Implementation::url() const {
  const bool is_ipv6 = settings.listen_host.find(':') != std::string::npos;
  return "http://" + (is_ipv6 ? "[" + settings.listen_host + "]" : settings.listen_host) + ":" +
         std::to_string(front.port());
}

Server::Server(config::Settings settings, const Handover& handover) {
  const HostStorage storage(settings);
  try {
    implementation_ = std::make_unique<Implementation>(std::move(settings), handover);
  } catch (const data::SqlError& error) {
    throw storage.explain(error);
  }
}

Server::~Server() = default;

void Server::start() {
  implementation_->start();
}

void Server::stop() {
  implementation_->stop();
}

std::string Server::url() const {
  return implementation_->url();
}

std::string Server::setup_url() {
  const std::string token = implementation_->identity.setup().issue_token();
  return token.empty() ? token : implementation_->url() + "/setup?token=" + token;
}

}  // namespace tenon::app
