/* Shared by the parts of the probe, the plugin for the tests of bridge and lifecycle. */
#ifndef PROBE_H
#define PROBE_H

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <tenon/db.h>
#include <tenon/http.h>
#include <tenon/identity.h>
#include <tenon/log.h>
#include <tenon/settings.h>

#define MAX_PENDING 256

typedef struct probe {
  tenon_plugin plugin;
  const tenon_host* host;
  const tenon_http* http;
  const tenon_db* db;
  const tenon_settings* settings;
  const tenon_identity* identity;
  const tenon_log* log;
  char journal[256];
  pthread_mutex_t mutex;
  tenon_handle pending[MAX_PENDING];
  unsigned pending_count;
  int gives_up;      /* responds to pending requests when asked to quiesce */
  tenon_handle kept; /* of a request that is long over */
} probe;

typedef struct route_data {
  probe* self;
  char name[32];
} route_data;

/* Writes a line to the journal. */
void note(probe* self, const char* what, const char* about);
tenon_span text(const char* zero_terminated);
/* Appends "name=code " to a list. */
void add(char* list, size_t capacity, const char* name, tenon_code code);
tenon_code respond_with(probe* self, tenon_handle request, uint32_t status, const char* body,
                        uint64_t size);
tenon_code respond_text(probe* self, tenon_handle request, uint32_t status, const char* body);
/* The number after "name=" in a query; 0 if there is none. */
long number_in(tenon_span query, const char* name);

/* Handlers; `ctx` is a route_data. */
tenon_code streams(void* ctx, const tenon_http_request* request);
tenon_code uploads(void* ctx, const tenon_http_request* request);
tenon_code misuses_http(void* ctx, const tenon_http_request* request);
tenon_code competes(void* ctx, const tenon_http_request* request);
tenon_code misuses_db(void* ctx, const tenon_http_request* request);
tenon_code hoards(void* ctx, const tenon_http_request* request);
tenon_code shows_json(void* ctx, const tenon_http_request* request);
tenon_code queues(void* ctx, const tenon_http_request* request);
tenon_code sends_other_sizes(void* ctx, const tenon_http_request* request);

#endif
