#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tenon/db.h>
#include <tenon/events.h>
#include <tenon/http.h>
#include <tenon/identity.h>
#include <tenon/log.h>
#include <tenon/search.h>
#include <tenon/services.h>
#include <tenon/settings.h>

struct sqlite3;

namespace tenon::test {

/// The response to one request, as the plugin sent it.
struct RecordedResponse {
  tenon_code returned = TENON_OK;  ///< of the handler
  int status = 0;                  ///< 0: nothing yet
  std::string content_type;
  std::string body;  ///< of a stream: all pieces so far
  std::vector<std::pair<std::string, std::string>> headers;
  std::string code;  ///< of a problem
  std::string extra;
  std::vector<std::string> problem_fields;
  bool is_streaming = false;
  std::optional<tenon_code> ended;  ///< what end() said
  std::uint64_t length = 0;
};

/// An event that the plugin published.
struct PublishedEvent {
  tenon_handle transaction = 0;
  std::string topic;
  std::string data;
  bool is_for_all = false;
  std::vector<std::string> users;
  std::vector<std::string> groups;
};

struct Call {
  std::uint32_t method = TENON_HTTP_GET;
  std::string pattern = {};
  std::vector<std::string> params = {};
  std::string query = {};
  std::string body = {};
  std::vector<std::pair<std::string, std::string>> headers = {};
  std::string user = {};
};

/// The host's side of the ABI in memory, with SQLite below tenon.db/1: enough to run a plugin of
/// the SDK's own tests. Strict where the real one is: stale handles are refused, callbacks are
/// dropped once.
class FakeHost {
 public:
  /// `plugin_id`: the plugin's id, with which its permissions begin.
  explicit FakeHost(std::string plugin_id = "test");
  ~FakeHost();
  FakeHost(const FakeHost&) = delete;
  FakeHost& operator=(const FakeHost&) = delete;

  const tenon_host* raw() const { return &host_; }

  /// An interface as an older host would have it: its table ends at `bytes`, or it is unknown (0).
  void limit(std::string_view id, std::uint32_t bytes) { limits_[std::string(id)] = bytes; }

  /// Runs a route's handler. The handle stays valid until the plugin responds.
  tenon_handle start(const Call& call);
  RecordedResponse response(tenon_handle request) const;
  /// start() and response() in one.
  RecordedResponse get(const std::string& pattern, std::vector<std::string> params = {},
                       std::string query = {}, std::string user = {});

  /// How many bytes a stream takes before it says TENON_FULL; 0: without end.
  void set_room(std::size_t bytes) { room_ = bytes; }
  /// The client read everything: room again.
  void drain(tenon_handle request);
  void hang_up(tenon_handle request);

  bool has_sink(tenon_handle request) const;
  tenon_code push_body(tenon_handle request, std::string_view bytes);
  void end_body(tenon_handle request, tenon_code how);

  std::size_t route_count() const { return routes_.size(); }
  const tenon_http_route& route(std::size_t index) const { return routes_[index]->raw; }
  std::size_t dropped_handlers() const { return dropped_; }
  /// As the real host after stop: every callback is dropped.
  void drop_callbacks();

  std::vector<std::string> log_lines() const;
  bool logged(std::string_view part) const;

  std::map<std::string, std::string> settings;
  std::map<std::string, std::string> users;                ///< id → name
  std::map<std::string, std::vector<std::string>> groups;  ///< of a user
  std::vector<std::string> permissions;                    ///< that everybody has
  std::map<std::string, std::string> topics;               ///< declared; their permissions
  std::vector<PublishedEvent> published;
  std::string search_result;       ///< returned by each search
  std::vector<std::string> asked;  ///< of the last search: text, limit, tables
  tenon_code away = TENON_OK;      ///< what calls of other plugins' services are refused with
  int open_transactions = 0;
  int open_cursors = 0;
  std::uint32_t batch_rows = 2;  ///< small, so that tests cross batches
  sqlite3* sqlite() const { return db_; }
  bool is_busy = false;                    ///< queued writes are refused
  std::uint32_t engine = TENON_DB_SQLITE;  ///< what it says, not what it is
  /// Runs the writes that are queued; reports `failure` instead of a commit if it is an error.
  void run_writes(tenon_code failure = TENON_OK);

 private:
  friend struct Functions;
  struct Route {
    tenon_http_route raw;
    std::string pattern;
  };
  struct Offered {
    std::uint32_t revision;
    tenon_services_handler handler;
  };
  struct Exchange;
  struct Cursor;

  std::shared_ptr<Exchange> exchange(tenon_handle handle) const;

  std::string plugin_id_;
  tenon_host host_;
  tenon_log log_;
  tenon_http http_;
  tenon_db database_;
  tenon_settings settings_table_;
  tenon_identity identity_;
  tenon_events events_;
  tenon_search search_;
  tenon_services services_;
  std::map<std::string, std::uint32_t, std::less<>> limits_;
  std::vector<std::unique_ptr<char[]>> shortened_;
  std::vector<std::unique_ptr<Route>> routes_;
  std::vector<tenon_settings_watcher> watchers_;
  std::map<std::string, Offered> offered_;
  std::map<tenon_handle, std::string> service_responses_;  ///< of calls that run
  mutable std::mutex mutex_;
  std::map<tenon_handle, std::shared_ptr<Exchange>> exchanges_;
  std::vector<std::string> lines_;
  std::size_t dropped_ = 0;
  std::size_t room_ = 0;
  tenon_handle next_handle_ = (std::uint64_t{7} << 32) + 1;
  sqlite3* db_ = nullptr;
  std::map<tenon_handle, std::unique_ptr<Cursor>> cursors_;
  std::map<tenon_handle, std::uint32_t> transactions_;
  std::vector<tenon_db_work> queued_;
};

}  // namespace tenon::test
