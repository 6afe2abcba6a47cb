/* tenon.events/1: what happens, told to browsers that listen to GET /api/core/events at that
 * moment. Nothing is kept and nothing told again: what must not be missed is a record, whose
 * changes are told by themselves. */
#ifndef TENON_EVENTS_H
#define TENON_EVENTS_H

#include <tenon/db.h>
#include <tenon/entry.h>

TENON_EXTERN_C_BEGIN

#define TENON_EVENTS_ID "tenon.events/1"

/* Flag of tenon_event: for all who may hear the topic. Without it for those who are named, and for
 * nobody where nobody is. */
#define TENON_EVENTS_TO_ALL 1u

/** A topic of the plugin; browsers listen to "<plugin>.<name>". */
typedef struct tenon_events_topic {
  uint32_t size;
  uint32_t reserved;
  tenon_span name;       /* 1…48 of [a-z0-9_-], and no table of the plugin */
  tenon_span permission; /* of plugin.json: who may hear it; empty: all who may see the plugin */
} tenon_events_topic;

/** What happened, and who is told: those of them who may hear the topic. */
typedef struct tenon_event {
  uint32_t size;
  uint32_t flags;           /* TENON_EVENTS_TO_ALL, and nobody is named then */
  tenon_span topic;         /* the name of one that was declared */
  tenon_span data;          /* one JSON text of at most 16 KiB; empty: null */
  const tenon_span* users;  /* their ids */
  const tenon_span* groups; /* their ids: who is in one of them */
  uint32_t user_count;      /* at most 1,000 */
  uint32_t group_count;     /* at most 100 */
} tenon_event;

typedef struct tenon_events {
  uint32_t size;
  uint32_t reserved;

  /**
   * Declares a topic, once, at most 32. A name that a table of the plugin has keeps the plugin from
   * becoming active.
   * [thread] the calling one of create or start [state] created, starting [memory] borrowed
   */
  tenon_code (*declare)(const tenon_host* host, const tenon_events_topic* topic,
                        tenon_error* error) TENON_NOEXCEPT;

  /**
   * Tells an event, at once with TENON_DB_AUTOCOMMIT, else when `transaction` was committed, and
   * never where that is undone; at most 100 a transaction. Not in the transaction of a write that a
   * callback is asked about: its after_write may. TENON_E_BUSY beyond 100 a second and 200 at once.
   * Does not wait.
   * [thread] any, one at a time for a transaction [state] starting, active, quiescing [memory] borrowed
   */
  tenon_code (*publish)(const tenon_host* host, tenon_handle transaction, const tenon_event* event,
                        tenon_error* error) TENON_NOEXCEPT;
} tenon_events;

TENON_EXTERN_C_END

#endif
