#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <sqlite3.h>

#include "fake_host.hpp"

namespace tenon::test {

inline std::string_view to_view(tenon_span span) {
  return {span.data, static_cast<std::size_t>(span.size)};
}
inline tenon_span to_span(std::string_view text) {
  return {text.data(), text.size()};
}

struct FakeHost::Exchange {
  mutable std::mutex mutex;
  RecordedResponse response;
  std::string user;
  bool has_responded = false;
  bool is_closed = false;
  std::size_t waiting = 0;
  tenon_callback writable{};
  int writable_calls = 0;  ///< under way now
  tenon_http_body_sink sink{};

  /// Calls `writable`, and drops it afterwards if the response ended meanwhile.
  void wake();
  /// Takes `writable` for dropping, unless it is being called: then the last call drops it.
  /// The mutex is held.
  tenon_callback take_writable();

  ~Exchange() {
    if (writable.drop != nullptr) writable.drop(writable.ctx);
    if (sink.drop != nullptr) sink.drop(sink.ctx);
  }
};

struct FakeHost::Cursor {
  FakeHost* host;
  tenon_handle transaction;
  sqlite3_stmt* statement = nullptr;
  bool has_row = false;
  std::vector<std::string> kept;
  std::vector<std::string> column_names;
  std::vector<tenon_cell> cells;
  std::vector<tenon_span> names;

  ~Cursor() {
    sqlite3_finalize(statement);
    --host->open_cursors;
  }
};

/// The tables' functions; each finds its host by `impl`.
struct Functions {
  static void fill(FakeHost& host);
  static void fill_http(tenon_http& table);
  static void fill_database(tenon_db& table);
  static FakeHost& of(const tenon_host* host) { return *static_cast<FakeHost*>(host->impl); }

  static const void* get_interface(const tenon_host* host, tenon_span id,
                                   std::uint32_t need) noexcept;
  static tenon_code log_write(const tenon_host* host, std::uint32_t level, tenon_span message,
                              const tenon_log_field* fields, std::uint32_t count,
                              tenon_handle request) noexcept;
  static tenon_code log_enabled(const tenon_host* host, std::uint32_t level) noexcept;

  static tenon_code add_route(const tenon_host* host, const tenon_http_route* route,
                              tenon_error* error) noexcept;
  static tenon_code respond(const tenon_host* host, tenon_handle request,
                            const tenon_http_response* response) noexcept;
  static tenon_code respond_problem(const tenon_host* host, tenon_handle request,
                                    const tenon_http_problem* problem) noexcept;
  static tenon_code begin(const tenon_host* host, tenon_handle request,
                          const tenon_http_response* head, std::uint64_t length,
                          const tenon_callback* writable) noexcept;
  static tenon_code write(const tenon_host* host, tenon_handle request, tenon_span bytes) noexcept;
  static tenon_code end(const tenon_host* host, tenon_handle request, tenon_code how) noexcept;
  static tenon_code read_body(const tenon_host* host, tenon_handle request,
                              const tenon_http_body_sink* sink) noexcept;
  static tenon_code check(const tenon_host* host, tenon_handle request) noexcept;

  static tenon_code db_begin(const tenon_host* host, std::uint32_t mode, std::uint32_t deadline,
                             tenon_handle* out, tenon_error* error) noexcept;
  static tenon_code db_exec(const tenon_host* host, tenon_handle transaction, tenon_span sql,
                            const tenon_cell* cells, std::uint32_t count, tenon_db_result* result,
                            tenon_error* error) noexcept;
  static tenon_code db_query(const tenon_host* host, tenon_handle transaction, tenon_span sql,
                             const tenon_cell* cells, std::uint32_t count, tenon_handle* cursor,
                             tenon_db_batch* batch, tenon_error* error) noexcept;
  static tenon_code db_next(const tenon_host* host, tenon_handle cursor, tenon_db_batch* batch,
                            tenon_error* error) noexcept;
  static tenon_code db_close(const tenon_host* host, tenon_handle cursor) noexcept;
  static tenon_code db_commit(const tenon_host* host, tenon_handle transaction,
                              tenon_error* error) noexcept;
  static tenon_code db_rollback(const tenon_host* host, tenon_handle transaction) noexcept;
  static tenon_code db_query_json(const tenon_host* host, tenon_handle transaction,
                                  std::uint32_t shape, tenon_span sql, const tenon_cell* cells,
                                  std::uint32_t count, const tenon_text_sink* sink,
                                  tenon_error* error) noexcept;
  static tenon_code db_write(const tenon_host* host, std::uint32_t deadline,
                             const tenon_db_work* work, tenon_error* error) noexcept;
  static tenon_code db_migrate(const tenon_host* host, std::uint32_t number, tenon_span name,
                               const tenon_db_migration* migration, tenon_error* error) noexcept;
  static tenon_code db_engine(const tenon_host* host, std::uint32_t* engine) noexcept;

  static tenon_code get_setting(const tenon_host* host, tenon_span key, char* buffer,
                                std::uint64_t capacity, std::uint64_t* length) noexcept;
  static tenon_code set_setting(const tenon_host* host, tenon_span key, tenon_span json,
                                tenon_error* error) noexcept;
  static tenon_code watch(const tenon_host* host, const tenon_settings_watcher* watcher) noexcept;

  static tenon_code requester(const tenon_host* host, tenon_handle request,
                              tenon_user* user) noexcept;
  static tenon_code can(const tenon_host* host, tenon_handle request,
                        tenon_span permission) noexcept;
  static tenon_code find_user(const tenon_host* host, tenon_span id, tenon_user* user) noexcept;
  static tenon_code next_user(const tenon_host* host, tenon_span id, tenon_user* user) noexcept;
  static tenon_code groups(const tenon_host* host, tenon_handle request, tenon_group_id* ids,
                           std::uint32_t capacity, std::uint32_t* count) noexcept;

  static tenon_code declare_topic(const tenon_host* host, const tenon_events_topic* topic,
                                  tenon_error* error) noexcept;
  static tenon_code publish(const tenon_host* host, tenon_handle transaction,
                            const tenon_event* event, tenon_error* error) noexcept;
  static tenon_code find(const tenon_host* host, const tenon_tables_actor* actor,
                         tenon_handle transaction, const tenon_search_query* query,
                         const tenon_text_sink* sink, tenon_error* error) noexcept;

  static tenon_code offer(const tenon_host* host, tenon_span name, std::uint32_t revision,
                          const tenon_services_handler* handler, tenon_error* error) noexcept;
  static tenon_code call_service(const tenon_host* host, const tenon_services_call* call,
                                 const tenon_text_sink* sink, tenon_error* error) noexcept;
  static tenon_code respond_service(const tenon_host* host, tenon_handle request,
                                    tenon_span response) noexcept;

  static tenon_code say(tenon_error* error, tenon_code code, int status, const char* name,
                        const char* message);
  static tenon_code give_user(const FakeHost& host, const std::string& id, tenon_user* user);
  static tenon_code prepare(FakeHost& host, tenon_span sql, const tenon_cell* cells,
                            std::uint32_t count, sqlite3_stmt** statement, tenon_error* error);
  static void fill_batch(FakeHost::Cursor& cursor, tenon_db_batch* batch);
};

}  // namespace tenon::test
