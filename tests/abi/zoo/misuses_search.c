/* Searches in every wrong way, and says which code came back. */
#include <stdio.h>
#include <stdlib.h>

#include <tenon/search.h>

#include "zoo.h"

static const tenon_search* search;
static const tenon_db* db;
static char when_made[64];

static const tenon_tables_actor as_plugin = {.size = sizeof(tenon_tables_actor),
                                             .flags = TENON_TABLES_AS_SYSTEM,
                                             .source = 0,
                                             .user = {0, 0}};

static void add(char* list, size_t capacity, const char* name, tenon_code code) {
  const size_t length = strlen(list);
  snprintf(list + length, capacity - length, "%s=%d ", name, code);
}

static void take(void* ctx, tenon_span text) TENON_NOEXCEPT {
  char* to = ctx;
  const size_t size = text.size < 511 ? text.size : 511;
  memcpy(to, text.data, size);
  to[size] = 0;
}

static tenon_search_query query_of(const char* text) {
  tenon_search_query query;
  memset(&query, 0, sizeof query);
  query.size = sizeof query;
  query.text = zoo_span(text);
  return query;
}

static tenon_code handle_try(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT {
  (void)ctx;
  char list[1024] = "";
  char text[512] = "";
  char large[514];
  const tenon_span broken = {NULL, 5};
  const tenon_text_sink sink = {take, text};
  const tenon_text_sink no_sink = {NULL, text};
  tenon_tables_actor who = as_plugin;
  tenon_span tables[101];
  tenon_handle transaction = 0;
  tenon_search_query query = query_of("word");
  memset(large, 'a', 513);
  large[513] = 0;
#define TRY(name, call) add(list, sizeof list, name, call)
#define FIND(name) TRY(name, search->find(zoo_host, &who, TENON_DB_AUTOCOMMIT, &query, &sink, NULL))
  TRY("null_host", search->find(NULL, &who, TENON_DB_AUTOCOMMIT, &query, &sink, NULL));
  TRY("null_who", search->find(zoo_host, NULL, TENON_DB_AUTOCOMMIT, &query, &sink, NULL));
  TRY("null_query", search->find(zoo_host, &who, TENON_DB_AUTOCOMMIT, NULL, &sink, NULL));
  TRY("null_sink", search->find(zoo_host, &who, TENON_DB_AUTOCOMMIT, &query, NULL, NULL));
  TRY("no_sink", search->find(zoo_host, &who, TENON_DB_AUTOCOMMIT, &query, &no_sink, NULL));
  TRY("stale", search->find(zoo_host, &who, 77, &query, &sink, NULL));
  query.size = 8;
  FIND("small");
  query.size = TENON_NEED(tenon_search_query, text);
  query.table_count = 7;
  FIND("short");
  query = query_of("word");
  query.flags = 1;
  FIND("flags");
  query.flags = 0;
  query.text = broken;
  FIND("broken");
  query.text = zoo_span(large);
  FIND("long_text");
  query.text = zoo_span("\xff");
  FIND("no_utf8");
  query.text = zoo_span("\"AND NOT ( *^: ' OR 1=1 --");
  FIND("syntax");
  query.text = zoo_span("");
  FIND("no_words");
  TRY("is_empty", strcmp(text, "{\"items\":[],\"more\":false}"));
  query.text = zoo_span("word");
  query.limit = 201;
  FIND("limit");
  query.limit = 0;
  query.table_count = 1;
  FIND("null_tables");
  query.tables = tables;
  tables[0] = broken;
  FIND("broken_table");
  tables[0] = zoo_span("nothing");
  FIND("no_table");
  TRY("problem", strstr(text, "records.unknown_table") != NULL);
  tables[0] = zoo_span("plain");
  FIND("plain");
  tables[0] = tables[1] = zoo_span("things");
  query.table_count = 2;
  FIND("twice");
  query.table_count = 101;
  FIND("too_many");
  query.table_count = 1;
  FIND("things");
  tables[0] = zoo_span("closed");
  FIND("as_plugin");
  who.flags = 0;
  FIND("closed");
  who.source = request->handle;
  tables[0] = zoo_span("things");
  FIND("no_user");
  query.table_count = 0;
  FIND("unnamed");
  who.flags = 2;
  FIND("who_flags");
  who.flags = 0;
  who.source = 99;
  FIND("who_stale");
  who = as_plugin;
  TRY("begin", db->begin(zoo_host, TENON_DB_READ, 0, &transaction, NULL));
  TRY("inside", search->find(zoo_host, &who, transaction, &query, &sink, NULL));
  TRY("end", db->rollback(zoo_host, transaction));
  TRY("over", search->find(zoo_host, &who, transaction, &query, &sink, NULL));
#undef FIND
#undef TRY
  return zoo_respond(request->handle, list);
}

static tenon_code handle_inline(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT {
  (void)ctx;
  char list[64] = "";
  char text[512];
  const tenon_text_sink sink = {take, text};
  const tenon_search_query query = query_of("word");
  add(list, sizeof list, "find",
      search->find(zoo_host, &as_plugin, TENON_DB_AUTOCOMMIT, &query, &sink, NULL));
  return zoo_respond(request->handle, list);
}

static tenon_code handle_made(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT {
  (void)ctx;
  return zoo_respond(request->handle, when_made);
}

static tenon_code register_routes(tenon_error* error) {
  char text[512];
  const tenon_text_sink sink = {take, text};
  const tenon_search_query query = query_of("word");
  search =
      zoo_host->get_interface(zoo_host, zoo_span(TENON_SEARCH_ID), TENON_NEED(tenon_search, find));
  db = zoo_host->get_interface(zoo_host, zoo_span(TENON_DB_ID), TENON_NEED(tenon_db, rollback));
  if (search == NULL || db == NULL) return TENON_E_UNSUPPORTED;
  when_made[0] = 0;
  add(when_made, sizeof when_made, "early",
      search->find(zoo_host, &as_plugin, TENON_DB_AUTOCOMMIT, &query, &sink, NULL));
  tenon_http_route quick;
  memset(&quick, 0, sizeof quick);
  quick.size = sizeof quick;
  quick.method = TENON_HTTP_GET;
  quick.pattern = zoo_span("/inline");
  quick.access = TENON_HTTP_PUBLIC;
  quick.flags = TENON_HTTP_INLINE;
  quick.handler.fn = handle_inline;
  tenon_code code = zoo_http->add_route(zoo_host, &quick, error);
  if (code >= 0) code = zoo_route("/try", handle_try, error);
  return code < 0 ? code : zoo_route("/made", handle_made, error);
}

ZOO_PLUGIN(register_routes);
