#pragma once

#include "blobs/limits.hpp"
#include "config/settings.hpp"
#include "http/loop/server.hpp"
#include "http/workers/worker_pool.hpp"
#include "http_client/client.hpp"
#include "identity/identity.hpp"
#include "jobs/jobs.hpp"

namespace tenon::app {

/// The parts of the settings in the forms that the rooms take: those know no configuration.
/// `listening` as ServerOptions has it.
http::ServerOptions server_options(const config::Settings& settings, int listening);
http::WorkerPool::Options worker_options(const config::Settings& settings);
identity::Identity::Options identity_options(const config::Settings& settings);
blobs::Limits blob_limits(const config::Settings& settings);
http_client::ClientOptions client_options(const config::Settings& settings);
jobs::Options jobs_options(const config::Settings& settings);

}  // namespace tenon::app
