#include "app/server/server.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <utility>

#include "admin_api/control_socket/control_socket.hpp"
#include "app/server/admin_wiring.hpp"
#include "app/server/core_wiring.hpp"
#include "app/server/plugin_wiring.hpp"
#include "app/server/server_metrics.hpp"
#include "app/server/settings_to_limits.hpp"
#include "base/error.hpp"
#include "blobs/blob_sweeper.hpp"
#include "data/metrics.hpp"
#include "data/sql_error.hpp"
#include "http/loop/server.hpp"
#include "identity/setup.hpp"
#include "observability/log.hpp"
#include "observability/process_metrics.hpp"
#include "observability/slow_log.hpp"
#include "routing/dispatcher.hpp"

namespace tenon::app {

namespace {

/// Returns the plugins that are enabled and do not run in full, for /readyz.
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

}  // namespace

class Server::Implementation {
 public:
  Implementation(config::Settings settings, const Handover& handover);
  Implementation(const Implementation&) = delete;
  Implementation& operator=(const Implementation&) = delete;

  void start();
  void stop();
  std::string url() const;

  CoreWiring core;
  console::HealthRoutes health_routes;
  PluginWiring plugins;
  AdminWiring admin;
  routing::Dispatcher dispatcher;
  http::Server front;
  std::unique_ptr<console::ControlServer> control;
  std::unique_ptr<blobs::BlobSweeper> keeper;
  std::atomic<bool> is_ready{false};
};

Server::Implementation::Implementation(config::Settings settings, const Handover& handover)
    : core(std::move(settings), handover),
      health_routes(
          core.metrics, core.identity.hosts(),
          [this] { return is_ready.load(std::memory_order_relaxed) && !core.storage.is_away(); },
          [this] {
            return troubles_of(core.storage, *plugins.lifecycle.listing(),
                               core.handover.restart.is_safe_mode);
          }),
      plugins(core, health_routes),
      admin(core, plugins),
      dispatcher(
          core.router, core.identity.authenticator(), core.identity.permissions(), core.metrics,
          core.tracer.get(),
          {.hosts = &core.identity.hosts(),
           .proxies = &core.identity.proxy_notice(),
           .stalled =
               [this](const observability::Work& work) { admin.stall_reporter.report(work); }}),
      front(server_options(core.settings, core.handover.listening), dispatcher, core.workers) {
  observability::set_slow_limits({core.settings.slow.request, core.settings.slow.statement});
  observability::add_process_metrics(core.metrics);
  observability::add_slow_metrics(core.metrics);
  core.metrics.add_collector([this](observability::MetricsSink& sink) {
    write_build_info(sink);
    sink.counter("tenon_host_restarts_total", "Times the supervisor started the host again.", {},
                 core.handover.restarts);
    write_server_metrics(sink, front.statistics(), core.workers.statistics());
    data::write_metrics(sink, "core", core.database);
    if (const std::string code = core.storage.trouble(); !code.empty()) {
      sink.gauge("tenon_storage_trouble", "What the host's own database suffers from.",
                 {{"code", code}}, 1);
    }
  });
}

void Server::Implementation::start() {
  plugins.packages.recover();
  plugins.lifecycle.start();
  core.storage.watch(core.database);
  control = std::make_unique<console::ControlServer>(core.directory.path(), admin.commands);
  keeper = std::make_unique<blobs::BlobSweeper>(core.blobs, core.uploads);
  // Before requests are accepted: /readyz must not return 503 while others get responses.
  is_ready = true;
  front.start();
  admin.crash_reporter.start();
  observability::log_info("ready", {{"url", url()}, {"data", core.directory.path()}});
}

void Server::Implementation::stop() {
  const auto end = std::chrono::steady_clock::now() + core.settings.shutdown_deadline;
  is_ready = false;
  if (admin.index_cache) admin.index_cache->stop();
  admin.downloads.stop();
  control.reset();
  plugins.shell.close_channels();
  front.stop(core.settings.shutdown_deadline);
  plugins.packages.stop();
  // A plugin whose calls had that time has none left.
  plugins.lifecycle.stop(
      std::max(std::chrono::milliseconds(0), std::chrono::duration_cast<std::chrono::milliseconds>(
                                                 end - std::chrono::steady_clock::now())));
  core.live.stop();
  core.jobs.stop();
  core.workers.stop();
  keeper.reset();
  core.storage.unwatch();
}

std::string Server::Implementation::url() const {
  const bool is_ipv6 = core.settings.listen_host.find(':') != std::string::npos;
  return "http://" + (is_ipv6 ? "[" + core.settings.listen_host + "]" : core.settings.listen_host) +
         ":" + std::to_string(front.port());
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
  const std::string token = implementation_->core.identity.setup().issue_token();
  return token.empty() ? token : implementation_->url() + "/setup?token=" + token;
}

}  // namespace tenon::app
