#include "app/server/core_wiring.hpp"

#include <utility>

#include "app/server/settings_to_limits.hpp"
#include "app/version.hpp"
#include "blobs/disk_store.hpp"

namespace tenon::app {

namespace {

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

CoreWiring::CoreWiring(config::Settings given, const Handover& given_over)
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
      http_client(client_options(settings), metrics),
      workers(worker_options(settings)),
      admin_share(workers.make_share("console")),
      router(metrics) {}

}  // namespace tenon::app
