/* tenon.events/1: sends events to the browsers that are connected to GET /api/core/events. Events
 * are not stored and not repeated. Store data that a client must not miss as a record; changes of
 * records are published automatically. */
#ifndef TENON_EVENTS_H
#define TENON_EVENTS_H

#include <tenon/db.h>
#include <tenon/entry.h>

TENON_EXTERN_C_BEGIN

#define TENON_EVENTS_ID "tenon.events/1"

/* Flag of tenon_event: send the event to all users who have access to the topic. Without the flag
 * it goes to the named users and groups only. */
#define TENON_EVENTS_TO_ALL 1u

/** A topic of the plugin. Browsers subscribe to "<plugin>.<name>". */
typedef struct tenon_events_topic {
  uint32_t size;
  uint32_t reserved;
  tenon_span name;       /* 1…48 of [a-z0-9_-]; not the name of a table of the plugin */
  tenon_span permission; /* permission of plugin.json that is required; empty: all who may see the
                            plugin */
} tenon_events_topic;

/** An event and its recipients. Only recipients with access to the topic get it. */
typedef struct tenon_event {
  uint32_t size;
  uint32_t flags;           /* TENON_EVENTS_TO_ALL; `users` and `groups` must be empty then */
  tenon_span topic;         /* name of a declared topic */
  tenon_span data;          /* one JSON text of at most 16 KiB; empty: null */
  const tenon_span* users;  /* ids of users */
  const tenon_span* groups; /* ids of groups; their members get the event */
  uint32_t user_count;      /* at most 1,000 */
  uint32_t group_count;     /* at most 100 */
} tenon_event;

typedef struct tenon_events {
  uint32_t size;
  uint32_t reserved;

  /**
   * Declares a topic, once for each name, at most 32. If a table of the plugin has the same name,
   * the plugin does not become active.
   * [thread] the calling one of create or start [state] created, starting [memory] borrowed
   */
  tenon_code (*declare)(const tenon_host* host, const tenon_events_topic* topic,
                        tenon_error* error) TENON_NOEXCEPT;

  /**
   * Publishes an event. With TENON_DB_AUTOCOMMIT the event is sent at once. Otherwise it is sent
   * after `transaction` commits, and never if it is rolled back; at most 100 events in one
   * transaction. The transaction of a before-write callback is not allowed; publish from
   * after_write instead. Returns TENON_E_BUSY beyond 100 events a second with bursts of 200. Does
   * not block.
   * [thread] any, one at a time for a transaction [state] starting, active, quiescing [memory] borrowed
   */
  tenon_code (*publish)(const tenon_host* host, tenon_handle transaction, const tenon_event* event,
                        tenon_error* error) TENON_NOEXCEPT;
} tenon_events;

TENON_EXTERN_C_END

#endif
