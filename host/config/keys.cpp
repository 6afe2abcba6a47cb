#include "config/keys.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <stdexcept>

#include "config/settings.hpp"
#include "config/values.hpp"

namespace tenon::config {

namespace {

using namespace std::chrono_literals;
using Kind = Key::Kind;
using Text = const std::string&;

constexpr std::size_t kib = 1024;
constexpr std::size_t mib = 1024 * kib;
constexpr std::size_t gib = 1024 * mib;

std::chrono::milliseconds deadline(Text text) {
  return read_duration(text, 10ms, 1h);
}

std::uint32_t rate(Text text) {
  return static_cast<std::uint32_t>(read_size(text, 1, gib));
}

std::string directory(Text text) {
  if (text.empty()) throw std::invalid_argument("a directory");
  return text;
}

LogFormat log_format(Text text) {
  if (text == "auto") return LogFormat::automatic;
  if (text == "text") return LogFormat::text;
  if (text == "json") return LogFormat::json;
  throw std::invalid_argument("auto, text or json");
}

UpgradeWatch upgrade_watch(Text text) {
  if (text == "off") return UpgradeWatch::off;
  if (text == "warn") return UpgradeWatch::warn;
  if (text == "rollback") return UpgradeWatch::rollback;
  throw std::invalid_argument("off, warn or rollback");
}

LogLevel log_level(Text text) {
  if (text == "debug") return LogLevel::debug;
  if (text == "info") return LogLevel::info;
  if (text == "warning") return LogLevel::warning;
  if (text == "error") return LogLevel::error;
  throw std::invalid_argument("debug, info, warning or error");
}

constexpr std::array table{
    Key{"data", "DIR", "tenon-data",
        "Data directory of this installation. It also holds tenon.conf.",
        [](Settings& s, Text v) { s.data = directory(v); }, Kind::path, false},
    Key{"listen", "HOST:PORT", "127.0.0.1:8080",
        "Address of the HTTP server; port 0 picks a free one.",
        [](Settings& s, Text v) {
          const Endpoint endpoint = read_endpoint(v);
          s.listen_host = endpoint.host;
          s.listen_port = endpoint.port;
        }},
    Key{"database", "URL", "",
        "PostgreSQL database for everything except files: postgresql://USER@HOST/NAME. "
        "Without it, SQLite in the data directory.",
        [](Settings& s, Text v) { s.database = v.empty() ? v : read_database_url(v); }, Kind::value,
        true, true},
    Key{"plugins", "DIR", "../lib/tenon/plugins",
        "Directories with plugins. A plugin in an earlier directory takes precedence.",
        [](Settings& s, Text v) {
          s.plugins = split_list(v);
          if (s.plugins.empty()) throw std::invalid_argument("one directory or more");
        },
        Kind::paths},
    Key{"plugins.drain", "DURATION", "10s",
        "How long a plugin that is being disabled may finish its requests.",
        [](Settings& s, Text v) { s.plugin_drain = deadline(v); }},
    Key{"plugins.health", "DURATION", "30s",
        "Interval between health checks of an active plugin; 0s checks only at its start.",
        [](Settings& s, Text v) { s.plugin_health = read_duration(v, 0ms, 24h); }},
    Key{"plugins.watch_upgrade", "CHOICE", "warn",
        "What happens when a plugin returns more errors in the minutes after an upgrade: off, "
        "warn, "
        "or rollback. A rollback happens only if it loses no data.",
        [](Settings& s, Text v) { s.plugin_watch = upgrade_watch(v); }},
    Key{"plugins.rollback_retention", "DURATION", "720h",
        "How long the previous version and its data are kept for a rollback.",
        [](Settings& s, Text v) { s.plugin_undo = read_duration(v, 0ms, 24h * 400); }, Kind::value,
        true, false, "plugins.undo"},
    Key{"ui", "DIR", "../share/tenon/ui", "Directory of the browser interface.",
        [](Settings& s, Text v) { s.ui = directory(v); }, Kind::path},
    Key{"docs", "DIR", "../share/tenon/docs", "Directory of the documentation site.",
        [](Settings& s, Text v) { s.docs = directory(v); }, Kind::path},
    Key{"name", "TEXT", "Tenon", "Name of this installation in the browser.",
        [](Settings& s, Text v) {
          if (v.empty() || v.size() > 100) throw std::invalid_argument("a text of 1 to 100 bytes");
          s.name = v;
        }},
    Key{"development", "BOOLEAN", "false",
        "Serves the pages of tenon dev, which show failures of a build; tenon dev sets it.",
        [](Settings& s, Text v) { s.is_development = read_flag(v); }},
    Key{"log", "FORMAT", "auto",
        "Log format on stderr: text, json, or auto (text on a terminal, otherwise json).",
        [](Settings& s, Text v) { s.log.format = log_format(v); }},
    Key{"log.level", "LEVEL", "info", "Lowest level that is written: debug, info, warning, error.",
        [](Settings& s, Text v) { s.log.level = log_level(v); }},
    Key{"log.access", "BOOLEAN", "true", "Logs one line for each finished request.",
        [](Settings& s, Text v) { s.log.access = read_flag(v); }},
    Key{"slow.request", "DURATION", "1s",
        "Requests that take longer are logged as warnings; 0ms logs none.",
        [](Settings& s, Text v) { s.slow.request = read_duration(v, 0ms, 1h); }},
    Key{"slow.statement", "DURATION", "250ms",
        "SQL statements that take longer are logged as warnings; 0ms logs none.",
        [](Settings& s, Text v) { s.slow.statement = read_duration(v, 0ms, 1h); }},
    Key{"trace.file", "FILE", "", "File that traces are appended to, as OpenTelemetry JSON lines.",
        [](Settings& s, Text v) { s.trace.file = v; }, Kind::path},
    Key{"trace.endpoint", "URL", "",
        "Collector that traces are posted to (OTLP/HTTP, JSON): http://127.0.0.1:4318/v1/traces.",
        [](Settings& s, Text v) { s.trace.endpoint = v.empty() ? v : read_http_url(v); }},
    Key{"trace.sample", "RATIO", "0",
        "Ratio of requests to trace when the caller's traceparent does not decide, 0 to 1.",
        [](Settings& s, Text v) { s.trace.sample = read_ratio(v); }},
    Key{"trace.rate", "COUNT", "100", "Maximum number of requests traced per second.",
        [](Settings& s, Text v) { s.trace.rate = read_count(v, 1, 1'000'000); }},
    Key{"threads.io", "COUNT", "0",
        "Threads that read and write connections; 0 means one per core.",
        [](Settings& s, Text v) { s.io_threads = read_count(v, 0, 256); }},
    Key{"threads.workers", "COUNT", "64",
        "Maximum number of threads that run plugins and use databases; started when needed.",
        [](Settings& s, Text v) { s.worker_threads = read_count(v, 2, 4096); }},
    Key{"session.idle", "DURATION", "7d", "A session ends after this time without a request.",
        [](Settings& s, Text v) { s.session.idle = read_duration(v, 1min, 24h * 400); }},
    Key{"session.absolute", "DURATION", "30d", "A session ends after this time in any case.",
        [](Settings& s, Text v) { s.session.absolute = read_duration(v, 1min, 24h * 400); }},
    Key{"login.hashes", "COUNT", "2",
        "Password hashes computed at the same time; each needs 19 MiB of memory.",
        [](Settings& s, Text v) { s.login.hashes = read_count(v, 1, 256); }},
    Key{"login.waiting", "COUNT", "32", "Sign-ins that may wait for a password hash; more get 503.",
        [](Settings& s, Text v) { s.login.waiting = read_count(v, 0, 10'000); }},
    Key{"blobs.max_size", "SIZE", "4GiB",
        "Maximum size of a file that a plugin stores; a larger one gets 413.",
        [](Settings& s, Text v) { s.blobs.blob = read_size(v, kib, 1024 * 1024 * gib); },
        Kind::value, true, false, "blobs.blob"},
    Key{"blobs.plugin", "SIZE", "64GiB",
        "Maximum total size of the files of one plugin; unfinished uploads count with their full "
        "length. More gets 507.",
        [](Settings& s, Text v) { s.blobs.plugin = read_size(v, kib, 1024 * 1024 * gib); }},
    Key{"blobs.uploads", "COUNT", "16", "Unfinished uploads of one user; more get 429.",
        [](Settings& s, Text v) { s.blobs.uploads = read_count(v, 1, 10'000); }},
    Key{"blobs.grace", "DURATION", "1d", "How long a file is kept after its plugin released it.",
        [](Settings& s, Text v) { s.blobs.grace_period = read_duration(v, 1s, 24h * 400); }},
    Key{"blobs.upload", "DURATION", "1d", "How long an upload may take before it is deleted.",
        [](Settings& s, Text v) { s.blobs.upload = read_duration(v, 1s, 24h * 400); }},
    Key{"jobs.threads", "COUNT", "2",
        "Jobs that run at the same time; at most half of them for one plugin.",
        [](Settings& s, Text v) { s.jobs.threads = read_count(v, 1, 256); }},
    Key{"jobs.lease", "DURATION", "1m",
        "A job whose server stopped responding runs again after this time.",
        [](Settings& s, Text v) { s.jobs.lease = read_duration(v, 1s, 1h); }},
    Key{"registry.url", "PLACE", "",
        "Registry whose plugins the console shows: an http:// or https:// URL, or an absolute "
        "path.",
        [](Settings& s, Text v) { s.registry.url = v.empty() ? v : read_registry_location(v); }},
    Key{"registry.key", "FILE", "",
        "File with the public key that must have signed the registry's index.",
        [](Settings& s, Text v) { s.registry.key = v; }, Kind::path},
    Key{"registry.refresh", "DURATION", "10m", "Automatic refresh interval of the registry.",
        [](Settings& s, Text v) { s.registry.refresh = read_duration(v, 1s, 24h * 30); }},
    Key{"outgoing.networks", "NETWORKS", "",
        "Addresses or CIDR blocks that plugins may send requests to although they are not public: "
        "10.0.0.0/8, 127.0.0.1.",
        [](Settings& s, Text v) {
          s.outgoing.networks.clear();
          for (const std::string& part : split_list(v))
            s.outgoing.networks.push_back(read_network(part));
        },
        Kind::list},
    Key{"outgoing.timeout", "DURATION", "1m",
        "Maximum time of a plugin's request to another server.",
        [](Settings& s, Text v) { s.outgoing.timeout = deadline(v); }},
    Key{"outgoing.max_response", "SIZE", "16MiB",
        "Maximum size of the response to a plugin's request.",
        [](Settings& s, Text v) { s.outgoing.max_response = read_size(v, kib, gib); }},
    Key{"outgoing.calls", "COUNT", "8",
        "Requests of one plugin to other servers at the same time; all plugins together may use "
        "half of the worker threads.",
        [](Settings& s, Text v) { s.outgoing.calls = read_count(v, 1, 1024); }},
    Key{"shutdown.deadline", "DURATION", "10s",
        "How long requests may finish when the server stops.",
        [](Settings& s, Text v) { s.shutdown_deadline = deadline(v); }},
    Key{"http.trusted_proxies", "NETWORKS", "",
        "Addresses or CIDR blocks of proxies whose forwarding headers are trusted.",
        [](Settings& s, Text v) {
          s.http.trusted_proxies.clear();
          for (const std::string& part : split_list(v))
            s.http.trusted_proxies.push_back(read_network(part));
        },
        Kind::list},
    Key{"http.hosts", "NAMES", "",
        "Host names that requests may address, in addition to those stored with tenon hosts; * "
        "allows all. Without any name all are allowed. Addresses and localhost need no entry; "
        "others: 421.",
        [](Settings& s, Text v) {
          s.http.hosts.clear();
          for (const std::string& part : split_list(v))
            s.http.hosts.push_back(read_host_name(part));
        },
        Kind::list},
    Key{"http.target", "SIZE", "8KiB", "Maximum size of a request target; a larger one gets 414.",
        [](Settings& s, Text v) { s.http.target = read_size(v, 256, mib); }},
    Key{"http.head", "SIZE", "32KiB", "Maximum size of a request's headers; more gets 431.",
        [](Settings& s, Text v) { s.http.head = read_size(v, kib, mib); }},
    Key{"http.fields", "COUNT", "100",
        "Maximum number of header fields of a request; more get 431.",
        [](Settings& s, Text v) { s.http.fields = read_count(v, 10, 1000); }},
    Key{"http.json_body", "SIZE", "1MiB", "Maximum size of a JSON body; a larger one gets 413.",
        [](Settings& s, Text v) { s.http.json_body = read_size(v, kib, 64 * mib); }},
    Key{"http.body_memory", "SIZE", "256MiB",
        "Memory for the bodies of all current requests; beyond it requests get 503.",
        [](Settings& s, Text v) { s.http.body_memory = read_size(v, mib, 1024 * gib); }},
    Key{"http.json_depth", "COUNT", "64", "Maximum nesting depth of a JSON body; more gets 400.",
        [](Settings& s, Text v) { s.http.json_depth = static_cast<int>(read_count(v, 4, 256)); }},
    Key{"http.head_deadline", "DURATION", "10s",
        "Time in which a request's headers must arrive; otherwise 408.",
        [](Settings& s, Text v) { s.http.head_deadline = deadline(v); }},
    Key{"http.idle", "DURATION", "1m", "How long an idle connection is kept open.",
        [](Settings& s, Text v) { s.http.idle = deadline(v); }},
    Key{"http.body_rate", "SIZE", "1KiB",
        "Minimum rate of a request body in bytes per second; a slower one gets 408.",
        [](Settings& s, Text v) { s.http.body_rate = rate(v); }},
    Key{"http.body_window", "DURATION", "10s",
        "Interval over which the rate of a request body is measured.",
        [](Settings& s, Text v) { s.http.body_window = deadline(v); }},
    Key{"http.write_rate", "SIZE", "1KiB",
        "Minimum rate at which a client reads, in bytes per second; a slower connection is closed.",
        [](Settings& s, Text v) { s.http.write_rate = rate(v); }},
    Key{"http.write_window", "DURATION", "20s",
        "Interval over which the rate of a reading client is measured.",
        [](Settings& s, Text v) { s.http.write_window = deadline(v); }},
    Key{"http.handler", "DURATION", "30s",
        "Maximum time of a request handler; then the client gets 503.",
        [](Settings& s, Text v) { s.http.handler = deadline(v); }},
    Key{"http.upgrade_hold_timeout", "DURATION", "10s",
        "How long a request waits while its plugin is upgraded; then it gets 503.",
        [](Settings& s, Text v) { s.http.hold = deadline(v); }, Kind::value, true, false,
        "http.hold"},
    Key{"http.drain", "SIZE", "64KiB",
        "Unread body that is read and discarded; with more the connection is closed.",
        [](Settings& s, Text v) { s.http.drain = read_size(v, 0, 64 * mib); }},
    Key{"http.linger", "DURATION", "2s",
        "How long a closing connection is still read, so that the client receives the response.",
        [](Settings& s, Text v) { s.http.linger = deadline(v); }},
    Key{"http.write_buffer", "SIZE", "256KiB", "Size of the write buffer of a streamed response.",
        [](Settings& s, Text v) { s.http.write_buffer = read_size(v, 4 * kib, 64 * mib); }},
    Key{"http.event_buffer", "SIZE", "256KiB",
        "Size of the event buffer of a client; a slower client is disconnected.",
        [](Settings& s, Text v) { s.http.event_buffer = read_size(v, 4 * kib, 64 * mib); }},
    Key{"http.event_keep_alive", "DURATION", "15s",
        "Interval of keep-alive comments on an idle event stream.",
        [](Settings& s, Text v) { s.http.event_keep_alive = deadline(v); }},
    Key{"http.compress_from", "SIZE", "1KiB",
        "Minimum size of a response that is compressed with gzip.",
        [](Settings& s, Text v) { s.http.compress_from = read_size(v, 0, gib); }},
    Key{"http.connections", "COUNT", "20000",
        "Maximum number of open connections; more wait to be accepted.",
        [](Settings& s, Text v) { s.http.connections = read_count(v, 1, 1'000'000); }},
    Key{"http.queue", "COUNT", "1024",
        "Requests of all plugins that may wait for a worker thread; more get 503.",
        [](Settings& s, Text v) { s.http.queue = read_count(v, 1, 1'000'000); }},
    Key{"http.share_queue", "COUNT", "256",
        "Requests of one plugin that may wait for a worker thread; more get 503.",
        [](Settings& s, Text v) { s.http.share_queue = read_count(v, 1, 1'000'000); }},
    Key{"http.pipeline", "COUNT", "16",
        "Pipelined requests of one connection; more are read later.",
        [](Settings& s, Text v) { s.http.pipeline = read_count(v, 1, 1000); }},
};

std::string flag_with_placeholder(const Key& key) {
  return flag_name(key) + " " + std::string(key.placeholder);
}

std::string shown_default(const Key& key) {
  return key.fallback.empty() ? "none" : std::string(key.fallback);
}

}  // namespace

std::span<const Key> keys() noexcept {
  return table;
}

Key with_former_name(Key key) noexcept {
  key.name = key.former_name;
  return key;
}

std::string flag_name(const Key& key) {
  std::string flag = "--" + std::string(key.name);
  for (char& c : flag) {
    if (c == '.' || c == '_') c = '-';
  }
  return flag;
}

std::string environment_name(const Key& key) {
  std::string name = "TENON_" + std::string(key.name);
  for (char& c : name) {
    if (c == '.')
      c = '_';
    else if (c >= 'a' && c <= 'z')
      c = static_cast<char>(c - 'a' + 'A');
  }
  return name;
}

std::string help_text() {
  std::size_t width = 0;
  for (const Key& key : table)
    width = std::max(width, flag_with_placeholder(key).size());
  std::string text;
  for (const Key& key : table) {
    std::string flag = flag_with_placeholder(key);
    flag.resize(width, ' ');
    text += "  " + flag + "  " + std::string(key.description) + " [" + shown_default(key) + "]\n";
  }
  return text;
}

std::string markdown() {
  std::string text = R"(# Configuration

<!-- Written from host/config/keys.cpp; a test compares. Renew: UPDATE_DOCS=1 build/dev/tests/config_test --gtest_filter=Docs.* -->

Tenon takes each value from the first of these sources that has it:

1. a flag of `tenon serve`: `--http-json-body 2MiB` (or `--http-json-body=2MiB`);
2. an environment variable: `TENON_HTTP_JSON_BODY=2MiB` (an empty one counts as not set);
3. the file `tenon.conf` in the data directory: `http.json_body = 2MiB`;
4. the default.

`tenon.conf` uses the properties format of Poco's PropertyFileConfiguration. A line is `key = value`. Lines that start
with `#` or `!` are comments. A `\` at the end of a line continues it. Write a backslash in a value as `\\`. The file
may have up to 1 MiB.

```
# tenon.conf
listen = 0.0.0.0:8080
log.level = warning
http.trusted_proxies = 10.0.0.0/8, ::1
```

The URL of a database may contain a password. Everyone who may list processes sees flags, so use `TENON_DATABASE`, the
key `database` in `tenon.conf` (only the server's user can read the data directory), or libpq's
[password file](https://www.postgresql.org/docs/15/libpq-pgpass.html). See [PostgreSQL](postgresql.md).

Tenon does not start with an unknown key, a key given twice, or a wrong value; the error names it. Sizes are bytes or
have a unit (`KiB`, `MiB`, `GiB`). Durations always have a unit (`ms`, `s`, `m`, `h`, `d`). Separate the values of a list
with commas, or repeat its flag. Relative paths start at the current directory in flags and environment variables, at
the data directory in `tenon.conf`, and at the folder of the `tenon` binary in the defaults of `plugins` and `ui`.

| key | flag | environment | default | what |
|---|---|---|---|---|
)";
  for (const Key& key : table) {
    text += "| `" + std::string(key.name) + "`" + (key.in_file ? "" : " (not in the file)") +
            " | `" + flag_with_placeholder(key) + "` | `" + environment_name(key) + "` | " +
            (key.fallback.empty() ? "none" : "`" + std::string(key.fallback) + "`") + " | " +
            std::string(key.description) + " |\n";
  }
  text += R"(
## Former names

These names are still accepted in all three sources. Use one name of a key only.

| key | former name |
|---|---|
)";
  for (const Key& key : table) {
    if (!key.former_name.empty())
      text += "| `" + std::string(key.name) + "` | `" + std::string(key.former_name) + "` |\n";
  }
  return text;
}

}  // namespace tenon::config
