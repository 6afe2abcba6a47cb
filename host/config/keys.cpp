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
        "Directory of everything this installation keeps; tenon.conf is read from it.",
        [](Settings& s, Text v) { s.data = directory(v); }, Kind::path, false},
    Key{"listen", "HOST:PORT", "127.0.0.1:8080",
        "Address of the HTTP server; port 0 picks a free one.",
        [](Settings& s, Text v) {
          const Endpoint endpoint = read_endpoint(v);
          s.listen_host = endpoint.host;
          s.listen_port = endpoint.port;
        }},
    Key{"database", "URL", "",
        "Database of PostgreSQL to keep everything but files in: postgresql://USER@HOST/NAME. "
        "Without one it is SQLite in the data directory.",
        [](Settings& s, Text v) { s.database = v.empty() ? v : read_database_url(v); }, Kind::value,
        true, true},
    Key{"plugins", "DIR", "../lib/tenon/plugins",
        "Directories with plugins; in the first one that has an id, it is taken.",
        [](Settings& s, Text v) {
          s.plugins = split_list(v);
          if (s.plugins.empty()) throw std::invalid_argument("one directory or more");
        },
        Kind::paths},
    Key{"plugins.drain", "DURATION", "10s",
        "How long a plugin that is disabled may finish its requests.",
        [](Settings& s, Text v) { s.plugin_drain = deadline(v); }},
    Key{"plugins.health", "DURATION", "30s",
        "Pause between two health checks of a plugin that is active; 0s asks only when it starts.",
        [](Settings& s, Text v) { s.plugin_health = read_duration(v, 0ms, 24h); }},
    Key{"plugins.watch_upgrade", "CHOICE", "warn",
        "What becomes of a plugin that answers more requests with errors in the minutes behind an "
        "upgrade: off, warn, or rollback, which goes back where nothing is lost by it.",
        [](Settings& s, Text v) { s.plugin_watch = upgrade_watch(v); }},
    Key{"plugins.undo", "DURATION", "720h",
        "How long the version before, and its data of that time, are kept to be rolled back to.",
        [](Settings& s, Text v) { s.plugin_undo = read_duration(v, 0ms, 24h * 400); }},
    Key{"ui", "DIR", "../share/tenon/ui", "Directory of the browser interface.",
        [](Settings& s, Text v) { s.ui = directory(v); }, Kind::path},
    Key{"name", "TEXT", "Tenon", "Name of this installation in the browser.",
        [](Settings& s, Text v) {
          if (v.empty() || v.size() > 100) throw std::invalid_argument("a text of 1 to 100 bytes");
          s.name = v;
        }},
    Key{"log", "FORMAT", "auto",
        "Form of the log on stderr: text, json, or auto (text on a terminal, else json).",
        [](Settings& s, Text v) { s.log.format = log_format(v); }},
    Key{"log.level", "LEVEL", "info",
        "Least important lines that are written: debug, info, warning, error.",
        [](Settings& s, Text v) { s.log.level = log_level(v); }},
    Key{"log.access", "BOOLEAN", "true", "One line for every finished request.",
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
        "Part of the requests that are traced where the caller's traceparent does not say, 0 to 1.",
        [](Settings& s, Text v) { s.trace.sample = read_ratio(v); }},
    Key{"trace.rate", "COUNT", "100", "Most requests traced in a second.",
        [](Settings& s, Text v) { s.trace.rate = read_count(v, 1, 1'000'000); }},
    Key{"threads.io", "COUNT", "0", "Threads that read and write connections; 0 is one a core.",
        [](Settings& s, Text v) { s.io_threads = read_count(v, 0, 256); }},
    Key{"threads.workers", "COUNT", "64",
        "Most threads that run plugins and touch databases; started when needed.",
        [](Settings& s, Text v) { s.worker_threads = read_count(v, 2, 4096); }},
    Key{"session.idle", "DURATION", "7d", "Without a request for this long, a session ends.",
        [](Settings& s, Text v) { s.session.idle = read_duration(v, 1min, 24h * 400); }},
    Key{"session.absolute", "DURATION", "30d", "After this long every session ends.",
        [](Settings& s, Text v) { s.session.absolute = read_duration(v, 1min, 24h * 400); }},
    Key{"login.hashes", "COUNT", "2", "Password hashes computed at once, 19 MiB of memory each.",
        [](Settings& s, Text v) { s.login.hashes = read_count(v, 1, 256); }},
    Key{"login.waiting", "COUNT", "32",
        "Sign-ins that wait for a password hash; beyond it the answer is 503.",
        [](Settings& s, Text v) { s.login.waiting = read_count(v, 0, 10'000); }},
    Key{"blobs.blob", "SIZE", "4GiB", "Largest file that a plugin stores; beyond: 413.",
        [](Settings& s, Text v) { s.blobs.blob = read_size(v, kib, 1024 * 1024 * gib); }},
    Key{"blobs.plugin", "SIZE", "64GiB",
        "Room for the files of one plugin, unfinished uploads with their whole length; beyond: "
        "507.",
        [](Settings& s, Text v) { s.blobs.plugin = read_size(v, kib, 1024 * 1024 * gib); }},
    Key{"blobs.uploads", "COUNT", "16", "Unfinished uploads of one user; beyond: 429.",
        [](Settings& s, Text v) { s.blobs.uploads = read_count(v, 1, 10'000); }},
    Key{"blobs.grace", "DURATION", "1d",
        "How long a file is kept that nothing of its plugin refers to.",
        [](Settings& s, Text v) { s.blobs.grace = read_duration(v, 1s, 24h * 400); }},
    Key{"blobs.upload", "DURATION", "1d", "How long an upload may take before it is dropped.",
        [](Settings& s, Text v) { s.blobs.upload = read_duration(v, 1s, 24h * 400); }},
    Key{"jobs.threads", "COUNT", "2", "Jobs that run at once; half of them of one plugin.",
        [](Settings& s, Text v) { s.jobs.threads = read_count(v, 1, 256); }},
    Key{"jobs.lease", "DURATION", "1m",
        "After this long a job runs again whose server was lost while it ran.",
        [](Settings& s, Text v) { s.jobs.lease = read_duration(v, 1s, 1h); }},
    Key{"registry.url", "PLACE", "",
        "Registry that the console shows plugins of: http://… or https://…, or an absolute folder.",
        [](Settings& s, Text v) { s.registry.url = v.empty() ? v : read_registry_place(v); }},
    Key{"registry.key", "FILE", "", "File with the public key that its index must be signed by.",
        [](Settings& s, Text v) { s.registry.key = v; }, Kind::path},
    Key{"registry.refresh", "DURATION", "10m",
        "Pause between two looks at the registry that nobody asked for.",
        [](Settings& s, Text v) { s.registry.refresh = read_duration(v, 1s, 24h * 30); }},
    Key{"shutdown.deadline", "DURATION", "10s",
        "How long requests may finish when the server stops.",
        [](Settings& s, Text v) { s.shutdown_deadline = deadline(v); }},
    Key{"http.trusted_proxies", "NETWORKS", "",
        "Addresses or CIDR blocks whose forwarded headers are believed.",
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
    Key{"http.target", "SIZE", "8KiB", "Longest request target; beyond: 414.",
        [](Settings& s, Text v) { s.http.target = read_size(v, 256, mib); }},
    Key{"http.head", "SIZE", "32KiB", "Longest request head; beyond: 431.",
        [](Settings& s, Text v) { s.http.head = read_size(v, kib, mib); }},
    Key{"http.fields", "COUNT", "100", "Most header fields of a request; beyond: 431.",
        [](Settings& s, Text v) { s.http.fields = read_count(v, 10, 1000); }},
    Key{"http.json_body", "SIZE", "1MiB", "Largest JSON body; beyond: 413.",
        [](Settings& s, Text v) { s.http.json_body = read_size(v, kib, 64 * mib); }},
    Key{"http.body_memory", "SIZE", "256MiB",
        "Memory for whole bodies of all requests at one time; beyond: 503.",
        [](Settings& s, Text v) { s.http.body_memory = read_size(v, mib, 1024 * gib); }},
    Key{"http.json_depth", "COUNT", "64", "Deepest nesting of a JSON body; beyond: 400.",
        [](Settings& s, Text v) { s.http.json_depth = static_cast<int>(read_count(v, 4, 256)); }},
    Key{"http.head_deadline", "DURATION", "10s",
        "Time in which a request head must arrive; beyond: 408.",
        [](Settings& s, Text v) { s.http.head_deadline = deadline(v); }},
    Key{"http.idle", "DURATION", "1m", "How long a connection is kept without a request.",
        [](Settings& s, Text v) { s.http.idle = deadline(v); }},
    Key{"http.body_rate", "SIZE", "1KiB",
        "Bytes a second that a request body must bring; slower: 408.",
        [](Settings& s, Text v) { s.http.body_rate = rate(v); }},
    Key{"http.body_window", "DURATION", "10s",
        "Time over which the rate of a request body is measured.",
        [](Settings& s, Text v) { s.http.body_window = deadline(v); }},
    Key{"http.write_rate", "SIZE", "1KiB",
        "Bytes a second that a client must take; slower: the connection is closed.",
        [](Settings& s, Text v) { s.http.write_rate = rate(v); }},
    Key{"http.write_window", "DURATION", "20s",
        "Time over which the rate of a reading client is measured.",
        [](Settings& s, Text v) { s.http.write_window = deadline(v); }},
    Key{"http.handler", "DURATION", "30s", "Time in which a request must be answered; beyond: 503.",
        [](Settings& s, Text v) { s.http.handler = deadline(v); }},
    Key{"http.hold", "DURATION", "10s",
        "How long a request waits for a plugin that is being changed; beyond: 503.",
        [](Settings& s, Text v) { s.http.hold = deadline(v); }},
    Key{"http.drain", "SIZE", "64KiB",
        "Unread body that is read and dropped; beyond it the connection is closed.",
        [](Settings& s, Text v) { s.http.drain = read_size(v, 0, 64 * mib); }},
    Key{"http.linger", "DURATION", "2s",
        "How long a connection that is cut is still read, so that the client sees its last answer.",
        [](Settings& s, Text v) { s.http.linger = deadline(v); }},
    Key{"http.write_buffer", "SIZE", "256KiB",
        "Part of a streamed answer that may wait for a slow client.",
        [](Settings& s, Text v) { s.http.write_buffer = read_size(v, 4 * kib, 64 * mib); }},
    Key{"http.event_buffer", "SIZE", "256KiB",
        "Events that may wait for a slow client; beyond it the channel is cut.",
        [](Settings& s, Text v) { s.http.event_buffer = read_size(v, 4 * kib, 64 * mib); }},
    Key{"http.event_keep_alive", "DURATION", "15s",
        "Pause between comment lines on a quiet event stream.",
        [](Settings& s, Text v) { s.http.event_keep_alive = deadline(v); }},
    Key{"http.compress_from", "SIZE", "1KiB",
        "Size from which a compressible answer is sent as gzip.",
        [](Settings& s, Text v) { s.http.compress_from = read_size(v, 0, gib); }},
    Key{"http.connections", "COUNT", "20000",
        "Most connections at once; beyond it accepting pauses.",
        [](Settings& s, Text v) { s.http.connections = read_count(v, 1, 1'000'000); }},
    Key{"http.queue", "COUNT", "1024",
        "Requests that wait for workers, of all plugins; beyond: 503.",
        [](Settings& s, Text v) { s.http.queue = read_count(v, 1, 1'000'000); }},
    Key{"http.share_queue", "COUNT", "256",
        "Requests that wait for workers, of one plugin; beyond: 503.",
        [](Settings& s, Text v) { s.http.share_queue = read_count(v, 1, 1'000'000); }},
    Key{"http.pipeline", "COUNT", "16",
        "Requests in flight on one connection; beyond it reading pauses.",
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

A value comes from the first of these that has it:

1. a flag of `tenon serve`: `--http-json-body 2MiB` (or `--http-json-body=2MiB`);
2. an environment variable: `TENON_HTTP_JSON_BODY=2MiB` (an empty one counts as not set);
3. the file `tenon.conf` in the data directory: `http.json_body = 2MiB`;
4. the default.

`tenon.conf` is in the properties format of Poco's PropertyFileConfiguration: a line is `key = value`, lines that begin with `#` or `!` are
comments, a `\` at the end of a line continues it, and a backslash in a value is written `\\`. At most 1 MiB.

```
# tenon.conf
listen = 0.0.0.0:8080
log.level = warning
http.trusted_proxies = 10.0.0.0/8, ::1
```

The URL of a database may hold a password, and flags are seen by everybody who may list processes: set `TENON_DATABASE`, or `database` in `tenon.conf`
(in the data directory, which nobody else may read), or leave the password to libpq's [password file](https://www.postgresql.org/docs/15/libpq-pgpass.html). See
[PostgreSQL](postgresql.md).

A key that is not in this table, a key that stands twice, or a value that is not as expected is an error that names it, and nothing starts. Sizes are bytes
or have a unit (`KiB`, `MiB`, `GiB`), durations always have one (`ms`, `s`, `m`, `h`, `d`). Lists have commas between their
values; their flag may be repeated. Relative paths start from the current directory in flags and environment, from the data
directory in `tenon.conf`, and from the folder of the `tenon` binary in the defaults of `plugins` and `ui`.

| key | flag | environment | default | what |
|---|---|---|---|---|
)";
  for (const Key& key : table) {
    text += "| `" + std::string(key.name) + "`" + (key.in_file ? "" : " (not in the file)") +
            " | `" + flag_with_placeholder(key) + "` | `" + environment_name(key) + "` | " +
            (key.fallback.empty() ? "none" : "`" + std::string(key.fallback) + "`") + " | " +
            std::string(key.description) + " |\n";
  }
  return text;
}

}  // namespace tenon::config
