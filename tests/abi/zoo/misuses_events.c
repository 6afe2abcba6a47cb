/* Publishes events in every wrong way, and says which code came back. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include <tenon/events.h>

#include "zoo.h"

static const tenon_events* events;
static const tenon_db* db;
static char when_made[1024];

static void add(char* list, size_t capacity, const char* name, tenon_code code) {
  const size_t length = strlen(list);
  snprintf(list + length, capacity - length, "%s=%d ", name, code);
}

static tenon_code declare(const char* name, const char* permission) {
  tenon_events_topic topic;
  memset(&topic, 0, sizeof topic);
  topic.size = sizeof topic;
  topic.name = zoo_span(name);
  topic.permission = zoo_span(permission);
  return events->declare(zoo_host, &topic, NULL);
}

static tenon_event event_of(const char* topic, tenon_span data) {
  tenon_event event;
  memset(&event, 0, sizeof event);
  event.size = sizeof event;
  event.flags = TENON_EVENTS_TO_ALL;
  event.topic = zoo_span(topic);
  event.data = data;
  return event;
}

static tenon_code publish(const char* topic, const char* data) {
  const tenon_event event = event_of(topic, zoo_span(data));
  return events->publish(zoo_host, TENON_DB_AUTOCOMMIT, &event, NULL);
}

/* Event after event until one is refused; how many were taken is in `count`. */
static tenon_code publish_many(tenon_handle transaction, uint32_t* count) {
  const tenon_event event = event_of("news", zoo_span("1"));
  tenon_code code = TENON_OK;
  for (*count = 0; *count < 10000000; ++*count) {
    code = events->publish(zoo_host, transaction, &event, NULL);
    if (code < 0) break;
  }
  return code;
}

static tenon_code handle_try(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT {
  (void)ctx;
  char list[1024] = "";
  const tenon_span broken = {NULL, 5};
  const tenon_span empty = {"", 0};
  char* const large = malloc(16386);
  tenon_span ids[1001];
  tenon_event event = event_of("news", zoo_span("1"));
  if (large == NULL) return TENON_E_MEMORY;
  memset(large, '1', 16386);
#define TRY(name, call) add(list, sizeof list, name, call)
#define PUBLISH(name) TRY(name, events->publish(zoo_host, TENON_DB_AUTOCOMMIT, &event, NULL))
  TRY("null_host", events->publish(NULL, TENON_DB_AUTOCOMMIT, &event, NULL));
  TRY("null_event", events->publish(zoo_host, TENON_DB_AUTOCOMMIT, NULL, NULL));
  event.size = 16;
  PUBLISH("small");
  event.size = sizeof event;
  event.flags = 6;
  PUBLISH("flags");
  event.flags = TENON_EVENTS_TO_ALL;
  event.topic = broken;
  PUBLISH("broken");
  event.topic = zoo_span("news");
  event.data = broken;
  PUBLISH("broken_data");
  TRY("undeclared", publish("olds", "1"));
  TRY("whole_name", publish("misuses-events.news", "1"));
  TRY("no_json", publish("news", "{"));
  TRY("two_values", publish("news", "1 2"));
  TRY("no_utf8", publish("news", "\"\xff\""));
  TRY("line_breaks", publish("news", "{\n\"a\":\r\n1}"));
  TRY("nothing", publish("news", ""));
  large[0] = large[16383] = '"';
  event = event_of("news", empty);
  event.data.data = large;
  event.data.size = 16384;
  PUBLISH("largest");
  event.data.size = 16385;
  PUBLISH("too_large");
  event = event_of("news", zoo_span("1"));
  event.users = ids;
  event.user_count = 1;
  ids[0] = zoo_span("a-user");
  PUBLISH("all_and_named");
  event.flags = 0;
  PUBLISH("named");
  event.user_count = 1001;
  for (int i = 1; i <= 1000; ++i)
    ids[i] = ids[0];
  PUBLISH("too_many");
  event.user_count = 1000;
  PUBLISH("many");
  event.user_count = 0;
  event.users = NULL;
  PUBLISH("no_user");
  event.group_count = 1;
  PUBLISH("null_groups");
  event.groups = ids;
  ids[0] = empty;
  PUBLISH("no_id");
  ids[0] = broken;
  PUBLISH("broken_id");
  ids[0] = zoo_span("no group has an id of more than sixty-four bytes, nor has any user");
  PUBLISH("long_id");
  event.group_count = 101;
  PUBLISH("groups");
  event = event_of("news", zoo_span("1"));
  TRY("stale", events->publish(zoo_host, 77, &event, NULL));
  TRY("no_transaction", events->publish(zoo_host, request->handle, &event, NULL));
  TRY("late", declare("late", ""));
#undef PUBLISH
#undef TRY
  free(large);
  return zoo_respond(request->handle, list);
}

/* A shorter struct: missing members count as empty, so the event has no audience. */
static tenon_code handle_short(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT {
  (void)ctx;
  tenon_event event = event_of("news", zoo_span("\"short\""));
  event.size = TENON_NEED(tenon_event, data);
  event.user_count = 7;
  event.users = (const tenon_span*)8;
  char list[32] = "";
  add(list, sizeof list, "short", events->publish(zoo_host, TENON_DB_AUTOCOMMIT, &event, NULL));
  return zoo_respond(request->handle, list);
}

static tenon_code handle_held(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT {
  (void)ctx;
  char list[128] = "";
  tenon_handle transaction = 0;
  uint32_t count = 0;
  tenon_event event = event_of("news", zoo_span("1"));
  tenon_code code = db->begin(zoo_host, TENON_DB_WRITE, 0, &transaction, NULL);
  if (code < 0) return code;
  code = publish_many(transaction, &count);
  add(list, sizeof list, "held", (tenon_code)count);
  add(list, sizeof list, "more", code);
  add(list, sizeof list, "rollback", db->rollback(zoo_host, transaction));
  add(list, sizeof list, "over", events->publish(zoo_host, transaction, &event, NULL));
  return zoo_respond(request->handle, list);
}

static tenon_code handle_flood(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT {
  (void)ctx;
  char list[64] = "";
  uint32_t count = 0;
  const tenon_code code = publish_many(TENON_DB_AUTOCOMMIT, &count);
  add(list, sizeof list, "enough", count >= 200);
  add(list, sizeof list, "more", code);
  return zoo_respond(request->handle, list);
}

static void* declare_elsewhere(void* ctx) {
  *(tenon_code*)ctx = declare("elsewhere", "");
  return NULL;
}

static tenon_code handle_made(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT {
  (void)ctx;
  return zoo_respond(request->handle, when_made);
}

static void declare_wrongly(void) {
  tenon_events_topic topic;
  tenon_code elsewhere = TENON_OK;
  pthread_t thread;
  char name[24];
  memset(&topic, 0, sizeof topic);
#define TRY(name, call) add(when_made, sizeof when_made, name, call)
  TRY("early", publish("news", "1"));
  TRY("null_host", events->declare(NULL, &topic, NULL));
  TRY("null", events->declare(zoo_host, NULL, NULL));
  TRY("small", events->declare(zoo_host, &topic, NULL));
  TRY("empty", declare("", ""));
  TRY("bad", declare("A b", ""));
  TRY("dot", declare("a.b", ""));
  TRY("long", declare("a234567890123456789012345678901234567890123456789", ""));
  TRY("undeclared", declare("news", "misuses-events.other"));
  TRY("news", declare("news", ""));
  TRY("twice", declare("news", ""));
  TRY("permitted", declare("inside", "misuses-events.use"));
  if (pthread_create(&thread, NULL, declare_elsewhere, &elsewhere) == 0) pthread_join(thread, NULL);
  TRY("thread", elsewhere);
  int topics = 2;
  tenon_code code = TENON_OK;
  while (topics < 100 && code >= 0) {
    snprintf(name, sizeof name, "topic%d", topics);
    code = declare(name, "");
    topics += code >= 0;
  }
  TRY("topics", topics);
  TRY("more", code);
#undef TRY
}

static tenon_code register_routes(tenon_error* error) {
  events = zoo_host->get_interface(zoo_host, zoo_span(TENON_EVENTS_ID),
                                   TENON_NEED(tenon_events, publish));
  db = zoo_host->get_interface(zoo_host, zoo_span(TENON_DB_ID), TENON_NEED(tenon_db, rollback));
  if (events == NULL || db == NULL) return TENON_E_UNSUPPORTED;
  when_made[0] = 0;
  declare_wrongly();
  tenon_code code = zoo_route("/try", handle_try, error);
  if (code >= 0) code = zoo_route("/short", handle_short, error);
  if (code >= 0) code = zoo_route("/held", handle_held, error);
  if (code >= 0) code = zoo_route("/flood", handle_flood, error);
  return code < 0 ? code : zoo_route("/made", handle_made, error);
}

/* Too late: it fails where it is refused as it should be, which the host logs. */
static tenon_code stop(tenon_plugin* plugin) TENON_NOEXCEPT {
  (void)plugin;
  return publish("news", "1") == TENON_E_STATE ? TENON_E_INTERNAL : TENON_OK;
}

ZOO_PLUGIN_THAT_STOPS(register_routes, stop);
