/* Uses records and their callbacks in every wrong way, and says which code came back. */
#include <stdatomic.h>
#include <stdio.h>

#include <tenon/tables.h>

#include "zoo.h"

static const tenon_tables* tables;
static const tenon_db* db;
static char when_made[1024];
static char inside[1024];
static char on_page[512];
static int drops;
static _Atomic tenon_handle saved_write;
static _Atomic tenon_handle kept_page;
static _Atomic tenon_handle kept_transaction;

static const tenon_tables_actor as_plugin = {.size = sizeof(tenon_tables_actor),
                                             .flags = TENON_TABLES_AS_SYSTEM,
                                             .source = 0,
                                             .user = {0, 0}};

static void add(char* list, size_t capacity, const char* name, tenon_code code) {
  const size_t length = strlen(list);
  snprintf(list + length, capacity - length, "%s=%d ", name, code);
}

static void count_drop(void* ctx) TENON_NOEXCEPT {
  (void)ctx;
  ++drops;
}

static int texts; /* that the sink got */

static void take(void* ctx, tenon_span text) TENON_NOEXCEPT {
  char* to = ctx;
  ++texts;
  const size_t size = text.size < 255 ? text.size : 255;
  memcpy(to, text.data, size);
  to[size] = 0;
}

static int has(tenon_span text, const char* part) {
  const size_t size = strlen(part);
  for (size_t at = 0; at + size <= text.size; ++at) {
    if (memcmp(text.data + at, part, size) == 0) return 1;
  }
  return 0;
}

static tenon_code look_at(void* ctx, const tenon_tables_write* write,
                          tenon_error* error) TENON_NOEXCEPT {
  (void)ctx;
  const tenon_span broken = {NULL, 5};
  if (write->operation == TENON_TABLES_DELETE)
    return tables->set(zoo_host, write->handle, zoo_span("{\"count\":1}"), NULL);
  if (has(write->change, "nonsense")) {
    memset(error, '\xff', sizeof *error);
    return -77;
  }
  if (has(write->change, "commits")) return db->commit(zoo_host, write->transaction, error);
  if (has(write->change, "refuses")) {
    int refused = 0;
    tenon_code code = TENON_OK;
    while (refused < 200 && code >= 0) {
      code = tables->reject_field(zoo_host, write->handle, zoo_span("name"), zoo_span("no"),
                                  zoo_span(""));
      refused += code >= 0;
    }
    inside[0] = 0;
    add(inside, sizeof inside, "refused", refused);
    add(inside, sizeof inside, "more", code);
    return TENON_OK;
  }
  if (!has(write->change, "misuse")) return TENON_OK;
  char text[256];
  tenon_handle cursor = 0;
  tenon_db_batch batch = {.size = sizeof batch};
  const tenon_text_sink sink = {take, text};
  const tenon_tables_actor by_id = {
      .size = sizeof by_id, .flags = 0, .source = 0, .user = zoo_span("a-user")};
  inside[0] = 0;
#define TRY(name, call) add(inside, sizeof inside, name, call)
  TRY("broken", tables->set(zoo_host, write->handle, broken, NULL));
  TRY("no_json", tables->set(zoo_host, write->handle, zoo_span("{"), NULL));
  TRY("no_object", tables->set(zoo_host, write->handle, zoo_span("[]"), NULL));
  TRY("unknown", tables->set(zoo_host, write->handle, zoo_span("{\"nope\":1}"), NULL));
  TRY("id", tables->set(zoo_host, write->handle, zoo_span("{\"id\":\"x\"}"), NULL));
  TRY("type", tables->set(zoo_host, write->handle, zoo_span("{\"count\":\"x\"}"), NULL));
  TRY("set", tables->set(zoo_host, write->handle, zoo_span("{\"count\":1}"), NULL));
  TRY("twice", tables->set(zoo_host, write->handle, zoo_span("{\"count\":2}"), NULL));
  TRY("other", tables->set(zoo_host, write->handle + 1, zoo_span("{}"), NULL));
  TRY("as_page", tables->add_extra(zoo_host, write->handle, 0, zoo_span("{}"), NULL));
  TRY("no_code",
      tables->reject_field(zoo_host, write->handle, zoo_span("name"), zoo_span(""), zoo_span("x")));
  TRY("no_utf8", tables->reject_field(zoo_host, write->handle, zoo_span("name"), zoo_span("\xff"),
                                      zoo_span("x")));
  TRY("own", tables->insert(zoo_host, &as_plugin, TENON_DB_AUTOCOMMIT, zoo_span("things"),
                            zoo_span("{\"name\":\"x\"}"), NULL, NULL));
  TRY("own_db",
      db->exec(zoo_host, TENON_DB_AUTOCOMMIT, zoo_span("DELETE FROM hidden"), NULL, 0, NULL, NULL));
  TRY("own_read", tables->get(zoo_host, &as_plugin, TENON_DB_AUTOCOMMIT, zoo_span("things"),
                              write->id, &sink, NULL));
  TRY("user", tables->get(zoo_host, &by_id, write->transaction, zoo_span("things"), write->id,
                          &sink, NULL));
  TRY("own_tx", tables->insert(zoo_host, &as_plugin, write->transaction, zoo_span("hidden"),
                               zoo_span("{\"name\":\"extra\"}"), NULL, NULL));
  TRY("query", db->query(zoo_host, write->transaction, zoo_span("SELECT name FROM hidden"), NULL, 0,
                         &cursor, &batch, NULL));
  TRY("late", tables->before_write(zoo_host, zoo_span("hidden"), 1, NULL, NULL));
#undef TRY
  saved_write = write->handle;
  kept_transaction = write->transaction;
  return TENON_OK;
}

static tenon_code extend_things(void* ctx, const tenon_tables_page* page,
                                tenon_error* error) TENON_NOEXCEPT {
  (void)ctx;
  (void)error;
  static char large[70 * 1024];
  const tenon_span broken = {NULL, 5};
  if (has(page->records[0], "nonsense")) return -77;
  memset(large, ' ', sizeof large);
  large[0] = '{';
  large[sizeof large - 1] = '}';
  on_page[0] = 0;
#define TRY(name, call) add(on_page, sizeof on_page, name, tables->call)
  TRY("broken", add_extra(zoo_host, page->handle, 0, broken, NULL));
  TRY("no_json", add_extra(zoo_host, page->handle, 0, zoo_span("{"), NULL));
  TRY("array", add_extra(zoo_host, page->handle, 0, zoo_span("[]"), NULL));
  TRY("large", add_extra(zoo_host, page->handle, 0, (tenon_span){large, sizeof large}, NULL));
  TRY("past_end", add_extra(zoo_host, page->handle, page->count, zoo_span("{}"), NULL));
  TRY("other", add_extra(zoo_host, page->handle + 1, 0, zoo_span("{}"), NULL));
  TRY("as_write", set(zoo_host, page->handle, zoo_span("{}"), NULL));
  TRY("add", add_extra(zoo_host, page->handle, 0, zoo_span("{\"x\":1}"), NULL));
  TRY("again", add_extra(zoo_host, page->handle, 0, zoo_span(" {\"x\":2} "), NULL));
#undef TRY
  kept_page = page->handle;
  return TENON_OK;
}

static tenon_code hear_of(void* ctx, tenon_span table, const tenon_tables_change* const* changes,
                          uint32_t count, tenon_error* error) TENON_NOEXCEPT {
  (void)ctx;
  (void)table;
  (void)changes;
  (void)count;
  (void)error;
  return TENON_OK;
}

static tenon_code handle_inside(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT {
  (void)ctx;
  return zoo_respond(request->handle, inside);
}

static tenon_code handle_page(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT {
  (void)ctx;
  return zoo_respond(request->handle, on_page);
}

static tenon_code handle_after(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT {
  (void)ctx;
  char list[256] = "";
  char text[256];
  const tenon_text_sink sink = {take, text};
  const tenon_tables_actor stale = {
      .size = sizeof stale, .flags = 0, .source = saved_write, .user = {0, 0}};
#define TRY(name, call) add(list, sizeof list, name, call)
  TRY("set", tables->set(zoo_host, saved_write, zoo_span("{}"), NULL));
  TRY("refuse",
      tables->reject_field(zoo_host, saved_write, zoo_span("a"), zoo_span("b"), zoo_span("c")));
  TRY("add", tables->add_extra(zoo_host, kept_page, 0, zoo_span("{}"), NULL));
  TRY("write", tables->insert(zoo_host, &as_plugin, kept_transaction, zoo_span("things"),
                              zoo_span("{\"name\":\"x\"}"), NULL, NULL));
  TRY("sql",
      db->exec(zoo_host, kept_transaction, zoo_span("DELETE FROM hidden"), NULL, 0, NULL, NULL));
  TRY("who", tables->get(zoo_host, &stale, TENON_DB_AUTOCOMMIT, zoo_span("things"), zoo_span("x"),
                         &sink, NULL));
#undef TRY
  return zoo_respond(request->handle, list);
}

static tenon_code handle_try(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT {
  (void)ctx;
  char list[1500] = "";
  char text[256] = "";
  static const char large[64 * 1024 + 1];
  const tenon_text_sink sink = {take, text};
  const tenon_text_sink no_sink = {NULL, NULL};
  const tenon_span broken = {NULL, 5};
  const tenon_span things = zoo_span("things");
  const tenon_span sound = zoo_span("{\"name\":\"sound\"}");
  tenon_tables_actor who = as_plugin;
  tenon_tables_query query;
  tenon_cell cells[2];
  tenon_handle transaction = 0;
  memset(&query, 0, sizeof query);
  memset(cells, 0, sizeof cells);
#define TRY(name, call) add(list, sizeof list, name, call)
  TRY("null_host", tables->get(NULL, &who, TENON_DB_AUTOCOMMIT, things, things, &sink, NULL));
  TRY("null_who", tables->get(zoo_host, NULL, TENON_DB_AUTOCOMMIT, things, things, &sink, NULL));
  TRY("null_sink", tables->get(zoo_host, &who, TENON_DB_AUTOCOMMIT, things, things, NULL, NULL));
  TRY("no_sink", tables->get(zoo_host, &who, TENON_DB_AUTOCOMMIT, things, things, &no_sink, NULL));
  TRY("broken", tables->get(zoo_host, &who, TENON_DB_AUTOCOMMIT, broken, things, &sink, NULL));
  TRY("no_table",
      tables->get(zoo_host, &who, TENON_DB_AUTOCOMMIT, zoo_span("nope"), things, &sink, NULL));
  TRY("no_record", tables->get(zoo_host, &who, TENON_DB_AUTOCOMMIT, things, things, &sink, NULL));
  TRY("problem", strstr(text, "records.not_found") != NULL);
  TRY("no_transaction", tables->get(zoo_host, &who, 77, things, things, &sink, NULL));
  who.flags = 2;
  TRY("flags", tables->insert(zoo_host, &who, TENON_DB_AUTOCOMMIT, things, sound, NULL, NULL));
  who.flags = 0;
  who.size = 8;
  TRY("small", tables->insert(zoo_host, &who, TENON_DB_AUTOCOMMIT, things, sound, NULL, NULL));
  who.size = sizeof who;
  who.user = zoo_span("a-user");
  TRY("no_user", tables->insert(zoo_host, &who, TENON_DB_AUTOCOMMIT, things, sound, NULL, NULL));
  who.source = request->handle;
  TRY("both", tables->insert(zoo_host, &who, TENON_DB_AUTOCOMMIT, things, sound, NULL, NULL));
  who.user = zoo_span("");
  texts = 0;
  TRY("requester", tables->insert(zoo_host, &who, TENON_DB_AUTOCOMMIT, things, sound, &sink, NULL));
  TRY("record", strstr(text, "\"sound\"") != NULL);
  TRY("texts", texts);
  texts = 0;
  TRY("no_rule",
      tables->insert(zoo_host, &who, TENON_DB_AUTOCOMMIT, zoo_span("hidden"), sound, &sink, NULL));
  TRY("problem", strstr(text, "identity.signed_out") != NULL && strstr(text, "\"sound\"") == NULL);
  TRY("texts", texts);
  TRY("no_json",
      tables->insert(zoo_host, &as_plugin, TENON_DB_AUTOCOMMIT, things, zoo_span("{"), NULL, NULL));
  TRY("no_name", tables->insert(zoo_host, &as_plugin, TENON_DB_AUTOCOMMIT, things, zoo_span("{}"),
                                NULL, NULL));
  TRY("null_query", tables->list(zoo_host, &who, TENON_DB_AUTOCOMMIT, NULL, &sink, NULL));
  query.size = 8;
  TRY("small_query", tables->list(zoo_host, &who, TENON_DB_AUTOCOMMIT, &query, &sink, NULL));
  query.size = sizeof query;
  query.flags = 2;
  query.table = things;
  TRY("query_flags", tables->list(zoo_host, &who, TENON_DB_AUTOCOMMIT, &query, &sink, NULL));
  query.flags = 0;
  query.filter = zoo_span("name = ?");
  TRY("few", tables->list(zoo_host, &who, TENON_DB_AUTOCOMMIT, &query, &sink, NULL));
  query.value_count = 2;
  TRY("null_values", tables->list(zoo_host, &who, TENON_DB_AUTOCOMMIT, &query, &sink, NULL));
  query.values = cells;
  cells[0].type = TENON_CELL_TEXT;
  cells[0].size = 9;
  TRY("broken_value", tables->list(zoo_host, &who, TENON_DB_AUTOCOMMIT, &query, &sink, NULL));
  cells[0].as.bytes = "' or true";
  TRY("many", tables->list(zoo_host, &who, TENON_DB_AUTOCOMMIT, &query, &sink, NULL));
  query.value_count = 101;
  TRY("too_many", tables->list(zoo_host, &who, TENON_DB_AUTOCOMMIT, &query, &sink, NULL));
  query.value_count = 1;
  TRY("list", tables->list(zoo_host, &who, TENON_DB_AUTOCOMMIT, &query, &sink, NULL));
  TRY("is_bound", strcmp(text, "{\"items\":[],\"next\":null}") == 0);
  cells[0].type = 9;
  TRY("value_type", tables->list(zoo_host, &who, TENON_DB_AUTOCOMMIT, &query, &sink, NULL));
  cells[0].type = TENON_CELL_BLOB;
  TRY("blob", tables->list(zoo_host, &who, TENON_DB_AUTOCOMMIT, &query, &sink, NULL));
  query.value_count = 0;
  query.filter = zoo_span("");
  query.sort = (tenon_span){large, sizeof large};
  TRY("long_text", tables->list(zoo_host, &who, TENON_DB_AUTOCOMMIT, &query, &sink, NULL));
  query.sort = zoo_span("");
  query.limit = 201;
  TRY("limit", tables->list(zoo_host, &who, TENON_DB_AUTOCOMMIT, &query, &sink, NULL));
  TRY("begin", db->begin(zoo_host, TENON_DB_WRITE, 0, &transaction, NULL));
  TRY("fails",
      tables->insert(zoo_host, &as_plugin, transaction, things, zoo_span("{}"), NULL, NULL));
  TRY("undone", tables->insert(zoo_host, &as_plugin, transaction, things, sound, NULL, NULL));
  TRY("commit", db->commit(zoo_host, transaction, NULL));
  TRY("over", tables->insert(zoo_host, &as_plugin, transaction, things, sound, NULL, NULL));
#undef TRY
  return zoo_respond(request->handle, list);
}

static tenon_code handle_inline(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT {
  (void)ctx;
  char list[64] = "";
  add(list, sizeof list, "insert",
      tables->insert(zoo_host, &as_plugin, TENON_DB_AUTOCOMMIT, zoo_span("things"), zoo_span("{}"),
                     NULL, NULL));
  return zoo_respond(request->handle, list);
}

static tenon_code handle_made(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT {
  (void)ctx;
  return zoo_respond(request->handle, when_made);
}

static void register_wrongly(void) {
  const tenon_span broken = {NULL, 5};
  const tenon_span things = zoo_span("things");
  tenon_tables_before before = {look_at, NULL, count_drop};
  const tenon_tables_before empty = {NULL, NULL, count_drop};
  const tenon_tables_after after = {hear_of, NULL, count_drop};
  const tenon_tables_extender extender = {extend_things, NULL, count_drop};
  char name[64];
  drops = 0;
#define TRY(name, call) add(when_made, sizeof when_made, name, tables->call)
  TRY("early", insert(zoo_host, &as_plugin, TENON_DB_AUTOCOMMIT, things, things, NULL, NULL));
  TRY("null", before_write(zoo_host, things, 1, NULL, NULL));
  TRY("no_fn", before_write(zoo_host, things, 1, &empty, NULL));
  TRY("broken", before_write(zoo_host, broken, 1, &before, NULL));
  TRY("no_name", before_write(zoo_host, zoo_span(""), 1, &before, NULL));
  TRY("no_operation", before_write(zoo_host, things, 0, &before, NULL));
  TRY("operation", before_write(zoo_host, things, TENON_TABLES_GAP, &before, NULL));
  TRY("before", before_write(zoo_host, things, 7, &before, NULL));
  TRY("twice", before_write(zoo_host, things, 7, &before, NULL));
  TRY("after", after_write(zoo_host, things, &after, NULL));
  TRY("after_twice", after_write(zoo_host, things, &after, NULL));
  TRY("extend", extend(zoo_host, things, &extender, NULL));
  TRY("extend_twice", extend(zoo_host, things, &extender, NULL));
#undef TRY
  add(when_made, sizeof when_made, "drops", drops);
  /* The table is not declared: the plugin cannot become active. */
  memset(name, 'x', sizeof name);
  add(when_made, sizeof when_made, "long_name",
      tables->before_write(zoo_host, (tenon_span){name, 49}, 1, &before, NULL));
}

static tenon_code register_routes(tenon_error* error) {
  tables = zoo_host->get_interface(zoo_host, zoo_span(TENON_TABLES_ID),
                                   TENON_NEED(tenon_tables, remove));
  db = zoo_host->get_interface(zoo_host, zoo_span(TENON_DB_ID), TENON_NEED(tenon_db, queue_write));
  if (tables == NULL || db == NULL) return TENON_E_UNSUPPORTED;
  when_made[0] = 0;
  register_wrongly();
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
  if (code >= 0) code = zoo_route("/inside", handle_inside, error);
  if (code >= 0) code = zoo_route("/page", handle_page, error);
  if (code >= 0) code = zoo_route("/after", handle_after, error);
  return code < 0 ? code : zoo_route("/made", handle_made, error);
}

ZOO_PLUGIN(register_routes);
