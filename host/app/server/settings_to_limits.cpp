#include "app/server/settings_to_limits.hpp"

#include <algorithm>

#include "crash/area.hpp"

namespace tenon::app {

http::ServerOptions server_options(const config::Settings& settings, int listening) {
  http::ServerOptions options;
  options.listening = listening;
  options.beats = plugins::RunningCalls::area().beats;
  options.host = settings.listen_host;
  options.port = settings.listen_port;
  options.io_threads = settings.io_threads;
  options.trusted_proxies = settings.http.trusted_proxies;
  http::Limits& limits = options.limits;
  limits.target = settings.http.target;
  limits.head = settings.http.head;
  limits.fields = settings.http.fields;
  limits.json_body = settings.http.json_body;
  limits.body_memory = settings.http.body_memory;
  limits.json_depth = settings.http.json_depth;
  limits.head_deadline = settings.http.head_deadline;
  limits.idle = settings.http.idle;
  limits.body_rate = settings.http.body_rate;
  limits.body_window = settings.http.body_window;
  limits.write_rate = settings.http.write_rate;
  limits.write_window = settings.http.write_window;
  limits.handler = settings.http.handler;
  limits.hold = settings.http.hold;
  limits.drain = settings.http.drain;
  limits.linger = settings.http.linger;
  limits.write_buffer = settings.http.write_buffer;
  limits.event_buffer = settings.http.event_buffer;
  limits.event_keep_alive = settings.http.event_keep_alive;
  limits.compress_from = settings.http.compress_from;
  limits.connections = settings.http.connections;
  limits.queue = settings.http.queue;
  limits.share_queue = settings.http.share_queue;
  limits.pipeline = settings.http.pipeline;
  return options;
}

http::WorkerPool::Options worker_options(const config::Settings& settings) {
  http::WorkerPool::Options options;
  options.threads = settings.worker_threads;
  options.queue = settings.http.queue;
  options.share_queue = settings.http.share_queue;
  return options;
}

identity::Identity::Options identity_options(const config::Settings& settings) {
  identity::Identity::Options options;
  options.sessions.idle = settings.session.idle;
  options.sessions.absolute = settings.session.absolute;
  options.passwords.concurrent = settings.login.hashes;
  options.passwords.waiting = settings.login.waiting;
  options.hosts = settings.http.hosts;
  return options;
}

blobs::Limits blob_limits(const config::Settings& settings) {
  blobs::Limits limits;
  limits.blob = settings.blobs.blob;
  limits.plugin = settings.blobs.plugin;
  limits.uploads = settings.blobs.uploads;
  limits.grace_period = settings.blobs.grace_period;
  limits.upload = settings.blobs.upload;
  return limits;
}

http_client::ClientOptions client_options(const config::Settings& settings) {
  http_client::ClientOptions options;
  options.networks = settings.outgoing.networks;
  options.max_timeout = settings.outgoing.timeout;
  options.max_response = settings.outgoing.max_response;
  options.plugin_calls = settings.outgoing.calls;
  // A call blocks its thread: the other half of the workers continues to serve.
  options.all_calls = std::max<std::size_t>(settings.worker_threads / 2, 1);
  return options;
}

jobs::Options jobs_options(const config::Settings& settings) {
  jobs::Options options;
  options.threads = settings.jobs.threads;
  options.lease = settings.jobs.lease;
  return options;
}

}  // namespace tenon::app
