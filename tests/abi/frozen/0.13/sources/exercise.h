/* Declarations that the parts of the exercise in plain C share. */
#ifndef EXERCISE_H
#define EXERCISE_H

#include <pthread.h>
#include <stdatomic.h>

#include <tenon/blobs.h>
#include <tenon/db.h>
#include <tenon/entry.h>
#include <tenon/events.h>
#include <tenon/http.h>
#include <tenon/http_client.h>
#include <tenon/identity.h>
#include <tenon/jobs.h>
#include <tenon/log.h>
#include <tenon/search.h>
#include <tenon/services.h>
#include <tenon/settings.h>
#include <tenon/tables.h>

#define EXERCISE_MOST_WAITING 64

/* One activation of the plugin. */
typedef struct exercise {
  tenon_plugin plugin;
  const tenon_host* host;
  const tenon_log* log;
  const tenon_http* http;
  const tenon_db* db;
  const tenon_settings* settings;
  const tenon_identity* identity;
  const tenon_blobs* blobs; /* this and what follows: NULL where the host has none */
  const tenon_jobs* jobs;
  const tenon_tables* tables;
  const tenon_events* events;
  const tenon_search* search;
  const tenon_services* services;
  const tenon_http_client* http_client;
  pthread_mutex_t mutex;
  tenon_handle waiting[EXERCISE_MOST_WAITING];
  uint32_t waiting_count;
  char change[160];
  atomic_int change_count; /* changes of cards; a deletion counts a hundred */
} exercise;

/* Text that grows; what does not fit is left out. */
typedef struct text {
  char bytes[8192];
  uint64_t size;
} text;

void text_add(text* to, const char* zero_terminated);
void text_add_span(text* to, tenon_span span);
/* As a JSON string, with its quotes. */
void text_add_json(text* to, tenon_span span);
void text_add_number(text* to, int64_t number);
tenon_span text_span(const text* from);
tenon_span zero_terminated(const char* bytes);

tenon_code respond_text(exercise* self, const tenon_http_request* request, uint32_t status,
                        const char* type, const text* body);
tenon_code respond_problem(exercise* self, tenon_handle request, uint32_t status, const char* code,
                           const char* message);
tenon_error no_error(void);
tenon_code respond_error(exercise* self, const tenon_http_request* request,
                         const tenon_error* error);
tenon_cell text_cell(tenon_span value);
/* The value of a query parameter as a number, or `fallback`. */
int64_t query_number(const tenon_http_request* request, const char* name, int64_t fallback);

tenon_code handle_stream(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT;
tenon_code handle_upload(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT;
tenon_code handle_users(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT;
tenon_code handle_who(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT;
tenon_code handle_list_items(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT;
tenon_code handle_add_item(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT;
tenon_code handle_get_setting(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT;
tenon_code handle_set_setting(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT;
void handle_setting_change(void* ctx, tenon_span key, tenon_span json) TENON_NOEXCEPT;

typedef struct listed_route {
  const char* pattern;
  const char* permission;
  tenon_code (*fn)(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT;
  uint64_t body_limit;
  uint32_t method;
  uint32_t access;
  uint32_t body;
  uint32_t flags;
} listed_route;

tenon_code add_listed(exercise* self, const listed_route* routes, uint64_t count,
                      tenon_error* error);
/* Adds what needs the data platform, where the host has it; its second half. */
tenon_code add_data(exercise* self, tenon_error* error);
tenon_code add_work(exercise* self, tenon_error* error);
/* Adds what needs services, where the host has them. */
tenon_code add_services(exercise* self, tenon_error* error);
/* Adds what sends requests, where the host can. */
tenon_code add_client(exercise* self, tenon_error* error);
/* Adds every route and watcher. */
tenon_code add_routes(exercise* self, tenon_error* error);
/* Responds to waiting requests: with 200, or with a problem of `status`. */
int wake_waiting(exercise* self, uint32_t status);

#endif
