/* A plugin with one fault, chosen by a definition on the command line; without any it is sound and
 * does nothing. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <tenon/entry.h>
#include <tenon/http.h>

#ifndef ENTRY_ID
#define ENTRY_ID PLUGIN_ID
#endif
#ifndef ENTRY_MAGIC
#define ENTRY_MAGIC TENON_ENTRY_MAGIC
#endif
#ifndef ENTRY_SIZE
#define ENTRY_SIZE sizeof(tenon_plugin_entry)
#endif
#ifndef ENTRY_FLAGS
#define ENTRY_FLAGS 0
#endif
#ifndef NEEDS_MINOR
#define NEEDS_MINOR 13
#endif

#ifdef UNRESOLVED
extern int no_library_defines_this(void);
#endif

__attribute__((unused)) static void sleep_for_ever(void) {
  for (;;)
    pause();
}

#ifdef RESPONDS_LATE
/* Says that it has begun, and returns when it is released, by files next to the one that is named.
 */
static tenon_code late(void* ctx, const tenon_http_request* request) {
  const char* name = getenv("BROKEN_LATE");
  char file[512];
  int tries;
  (void)ctx;
  (void)request;
  snprintf(file, sizeof(file), "%s.begun", name);
  close(open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  snprintf(file, sizeof(file), "%s.over", name);
  for (tries = 0; access(file, F_OK) != 0 && tries < 6000; ++tries)
    usleep(10000);
  return TENON_OK;
}
#endif

static tenon_code start(tenon_plugin* plugin, tenon_error* error) {
  (void)plugin;
  (void)error;
#ifdef START_HANGS
  sleep_for_ever();
#endif
#ifdef START_FAILS
  error->code = TENON_E_INTERNAL;
  strcpy(error->name, "broken.start");
  strcpy(error->message, "No way to start");
  return TENON_E_INTERNAL;
#else
  return TENON_OK;
#endif
}

/* Hangs once it has been asked as often as the definition says. */
static tenon_code health(tenon_plugin* plugin, tenon_error* error) {
  (void)plugin;
  (void)error;
#ifdef UNHEALTHY
  error->code = TENON_E_INTERNAL;
  strcpy(error->name, "broken.ill");
  strcpy(error->message, "It has no water");
  return TENON_E_INTERNAL;
#else
#ifdef HEALTH_HANGS
  {
    static int asked;
    if (++asked > HEALTH_HANGS) sleep_for_ever();
  }
#endif
  return TENON_OK;
#endif
}

static tenon_code quiesce(tenon_plugin* plugin, uint32_t deadline_ms) {
  (void)plugin;
  (void)deadline_ms;
#ifdef QUIESCE_HANGS
  sleep_for_ever();
#endif
  return TENON_OK;
}

static tenon_code stop(tenon_plugin* plugin) {
  (void)plugin;
#ifdef STOP_HANGS
  sleep_for_ever();
#endif
  return TENON_OK;
}

static void destroy(tenon_plugin* plugin) {
  free(plugin);
}

/* A plugin that the host has no way to destroy. */
__attribute__((unused)) static tenon_plugin unowned;

static tenon_code create(const tenon_host* host, tenon_plugin** plugin, tenon_error* error) {
  tenon_plugin* made;
  (void)host;
  (void)error;
#ifdef UNRESOLVED
  if (no_library_defines_this()) return TENON_E_INTERNAL;
#endif
#ifdef CREATE_HANGS
  sleep_for_ever();
#endif
#ifdef CREATE_FAILS
  memset(error->message, 'x', sizeof(error->message)); /* without an end */
  return TENON_E_INTERNAL;
#endif
#ifdef CREATES_NOTHING
  return TENON_OK;
#endif
#if defined(NO_DESTROY) || defined(TINY_PLUGIN)
  made = &unowned;
#else
  made = calloc(1, sizeof(*made));
#endif
  made->size = sizeof(*made);
  made->start = start;
  made->quiesce = quiesce;
  made->stop = stop;
  made->destroy = destroy;
  made->health = health;
#ifdef RESPONDS_LATE
  {
    const tenon_http* http =
        host->get_interface(host, TENON_LITERAL(TENON_HTTP_ID), TENON_NEED(tenon_http, add_route));
    tenon_http_route route;
    memset(&route, 0, sizeof(route));
    route.size = sizeof(route);
    route.method = TENON_HTTP_GET;
    route.pattern = TENON_LITERAL("/late");
    route.access = TENON_HTTP_PUBLIC;
    route.handler.fn = late;
    if (http->add_route(host, &route, error) != TENON_OK) return TENON_E_INTERNAL;
  }
#endif
#ifdef NO_DESTROY
  made->destroy = NULL;
#endif
#ifdef OLDER_PLUGIN
  /* Built before get_interface and health were there, with garbage after its own end. */
  made->size = TENON_NEED(tenon_plugin, destroy);
  memset((char*)made + made->size, 0xaa, sizeof(*made) - made->size);
#endif
#ifdef TINY_PLUGIN
  made->size = 16;
#endif
  *plugin = made;
  return TENON_OK;
}

#ifdef NO_FACTS
#elif defined(BAD_FACTS)
__attribute__((section(TENON_FACTS_SECTION), used)) static const char facts[] =
    "{\"id\":\"" PLUGIN_ID "\"";
#elif defined(FUTURE_MAJOR)
__attribute__((section(TENON_FACTS_SECTION), used)) static const char facts[] =
    "{\"id\":\"" PLUGIN_ID "\",\"version\":\"" PLUGIN_VERSION
    "\",\"abi\":{\"major\":7,\"minor\":0},\"needs_host_minor\":0}";
#else
TENON_PLUGIN_FACTS(PLUGIN_ID, PLUGIN_VERSION, NEEDS_MINOR);
#endif

#ifdef NO_SYMBOL
#define ENTRY tenon_plugin_entry_v99
#else
#define ENTRY tenon_plugin_entry_v1
#endif

extern const tenon_plugin_entry ENTRY;
TENON_EXPORT const tenon_plugin_entry ENTRY = {
    ENTRY_MAGIC,
    ENTRY_SIZE,
    TENON_ABI_MAJOR,
    TENON_ABI_MINOR,
    NEEDS_MINOR,
    0,
    ENTRY_FLAGS,
    {ENTRY_ID, sizeof(ENTRY_ID) - 1},
    {PLUGIN_VERSION, sizeof(PLUGIN_VERSION) - 1},
    create,
};
