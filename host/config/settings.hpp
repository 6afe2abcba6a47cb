#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "config/log_settings.hpp"

namespace tenon::config {

/// Limits of the HTTP server; the fields have the names and the units of http::Limits, which `app`
/// fills from them.
struct HttpSettings {
  std::size_t target = 0;
  std::size_t head = 0;
  std::size_t fields = 0;
  std::size_t json_body = 0;
  std::size_t body_memory = 0;
  int json_depth = 0;
  std::chrono::milliseconds head_deadline{0};
  std::chrono::milliseconds idle{0};
  std::uint32_t body_rate = 0;
  std::chrono::milliseconds body_window{0};
  std::uint32_t write_rate = 0;
  std::chrono::milliseconds write_window{0};
  std::chrono::milliseconds handler{0};
  std::chrono::milliseconds hold{0};
  std::size_t drain = 0;
  std::chrono::milliseconds linger{0};
  std::size_t write_buffer = 0;
  std::size_t event_buffer = 0;
  std::chrono::milliseconds event_keep_alive{0};
  std::size_t compress_from = 0;
  std::size_t connections = 0;
  std::size_t queue = 0;
  std::size_t share_queue = 0;
  std::size_t pipeline = 0;
  std::vector<std::string> trusted_proxies;  ///< addresses or CIDR blocks, checked
  std::vector<std::string> hosts;  ///< host names in lower case, "*" for all; empty: those stored
};

struct SessionSettings {
  std::chrono::milliseconds idle{0};      ///< without a request for this long, a session ends
  std::chrono::milliseconds absolute{0};  ///< after this long every session ends
};

struct LoginSettings {
  std::size_t hashes = 0;   ///< password hashes computed at once, 19 MiB each
  std::size_t waiting = 0;  ///< sign-ins waiting for one; beyond: 503
};

struct SlowSettings {
  std::chrono::milliseconds request{0};    ///< longer ones are logged; 0: none
  std::chrono::milliseconds statement{0};  ///< the same
};

struct TraceSettings {
  double sample = 0;     ///< part of the requests without a caller's trace that are traced
  std::size_t rate = 0;  ///< traces a second
  std::string file;      ///< absolute; empty: none
  std::string endpoint;  ///< URL of an OTLP/HTTP collector; empty: none
};

/// Bounds of files of plugins; the fields have the names and the units of blobs::Limits.
struct BlobSettings {
  std::size_t blob = 0;
  std::size_t plugin = 0;
  std::size_t uploads = 0;
  std::chrono::milliseconds grace_period{0};
  std::chrono::milliseconds upload{0};
};

struct JobSettings {
  std::size_t threads = 0;             ///< jobs that run at once
  std::chrono::milliseconds lease{0};  ///< after this long the job of a lost server runs again
};

/// The action for a plugin that fails more often after an upgrade.
enum class UpgradeWatch : std::uint8_t { off, warn, rollback };

/// Requests of plugins to other servers.
struct OutgoingSettings {
  std::vector<std::string> networks;  ///< reachable though not public: addresses, CIDR blocks
  std::chrono::milliseconds timeout{0};
  std::size_t max_response = 0;  ///< bytes
  std::size_t calls = 0;         ///< of one plugin, at once
};

struct RegistrySettings {
  std::string url;                       ///< URL or absolute folder; empty: no registry
  std::string key;                       ///< file with its public key, absolute; empty: none
  std::chrono::milliseconds refresh{0};  ///< between two automatic refreshes
};

/// Everything that can be configured, read, validated and with absolute paths. Immutable after
/// load().
struct Settings {
  std::string data;              ///< directory, absolute; it need not exist yet
  bool is_data_default = false;  ///< no option or variable names it
  std::string database;          ///< URL of PostgreSQL, with its password; empty: SQLite in `data`
  std::string name;              ///< what the browser shows as the name of this installation
  bool is_development = false;   ///< pages show the failures that `tenon dev` reports
  std::string listen_host;
  std::uint16_t listen_port = 0;
  std::vector<std::string> plugins;  ///< directories, absolute, in order of precedence
  std::string ui;                    ///< directory, absolute
  std::string docs;                  ///< directory, absolute; may be missing
  LogSettings log;
  SlowSettings slow;
  TraceSettings trace;
  HttpSettings http;
  std::size_t io_threads = 0;  ///< 0: one a core
  std::size_t worker_threads = 0;
  SessionSettings session;
  LoginSettings login;
  BlobSettings blobs;
  JobSettings jobs;
  RegistrySettings registry;
  OutgoingSettings outgoing;
  std::chrono::milliseconds plugin_drain{
      0};  ///< how long a plugin that is disabled may finish its requests
  std::chrono::milliseconds plugin_health{0};  ///< between two health checks; 0: none
  UpgradeWatch plugin_watch = UpgradeWatch::off;
  std::chrono::milliseconds plugin_undo{0};  ///< how long a version that was left is kept
  std::chrono::milliseconds shutdown_deadline{
      0};  ///< how long the server may finish its requests when it stops
};

}  // namespace tenon::config
