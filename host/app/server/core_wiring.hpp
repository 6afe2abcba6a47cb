#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/server/data_directory.hpp"
#include "app/server/host_storage.hpp"
#include "app/supervisor/handover.hpp"
#include "blobs/blobs.hpp"
#include "blobs/uploads.hpp"
#include "config/settings.hpp"
#include "data/database.hpp"
#include "events/bus.hpp"
#include "http/workers/worker_pool.hpp"
#include "http_client/client.hpp"
#include "identity/identity.hpp"
#include "jobs/jobs.hpp"
#include "observability/metrics.hpp"
#include "observability/tracer.hpp"
#include "realtime/realtime.hpp"
#include "routing/router.hpp"

namespace tenon::app {

/// The parts of the server that know no plugin: data directory, database, files, jobs, users,
/// threads and routes. Members are built in their order.
struct CoreWiring {
  /// Opens the host's database. Throws what DataDirectory and HostStorage throw.
  CoreWiring(config::Settings given, const Handover& given_over);
  /// Stops the watcher of the storage, which uses the database.
  ~CoreWiring() { storage.unwatch(); }
  CoreWiring(const CoreWiring&) = delete;
  CoreWiring& operator=(const CoreWiring&) = delete;

  const config::Settings settings;
  const Handover handover;
  DataDirectory directory;
  HostStorage storage;
  observability::Metrics metrics;
  std::unique_ptr<observability::Tracer> tracer;  ///< null: nothing is traced
  events::Bus bus;
  data::Database database;
  blobs::Blobs blobs;
  blobs::Uploads uploads;
  jobs::Jobs jobs;
  identity::Identity identity;
  realtime::Realtime live;
  http_client::Client http_client;
  http::WorkerPool workers;
  std::shared_ptr<http::WorkerShare> admin_share;
  routing::Router router;
};

}  // namespace tenon::app
