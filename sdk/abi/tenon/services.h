/* tenon.services/1: what one plugin offers to others, by name. The provider is looked up at every
 * call, so that it may be upgraded between two of them; while it is away a call is
 * TENON_E_UNAVAILABLE at once. Requests and answers are bytes, by convention one JSON text each. */
#ifndef TENON_SERVICES_H
#define TENON_SERVICES_H

#include <tenon/db.h>
#include <tenon/entry.h>

TENON_EXTERN_C_BEGIN

#define TENON_SERVICES_ID "tenon.services/1"

/** One call, as its provider sees it. Borrowed: valid until the handler returns; `handle` is over
 * then, too. */
typedef struct tenon_services_request {
  uint32_t size;
  uint32_t
      remaining_ms; /* until whoever called stops waiting; an answer that comes later is lost */
  tenon_handle handle;
  tenon_span caller; /* the id of the plugin that calls: it speaks for whatever user it names */
  tenon_span caller_version; /* semantic */
  tenon_span service;        /* its name, without the plugin's id */
  tenon_span method;
  tenon_span request;
  uint32_t revision; /* the least that the caller needs */
  uint32_t reserved;
} tenon_services_request;

/** Does what a service offers: on the caller's thread, on several at once, and may block. Answers
 * once, through respond, before it returns TENON_OK; or returns a code below 0 and fills `error`,
 * which the caller gets as it is. A method that it does not know is TENON_E_NOT_FOUND. Frozen. */
typedef struct tenon_services_handler {
  tenon_code (*fn)(void* ctx, const tenon_services_request* request,
                   tenon_error* error) TENON_NOEXCEPT;
  void* ctx;
  void (*drop)(void* ctx) TENON_NOEXCEPT; /* may be NULL */
} tenon_services_handler;

/** What is asked of another plugin. */
typedef struct tenon_services_call {
  uint32_t size;
  uint32_t revision;    /* the least that will do; from 1 on */
  tenon_span service;   /* "<plugin>.<name>" */
  tenon_span method;    /* 1…64 of [A-Za-z0-9_.-] */
  tenon_span request;   /* at most 16 MiB */
  uint32_t deadline_ms; /* at most 60,000; 0: 10,000; never later than that of the call inside which
                           it is made */
  uint32_t flags;       /* 0 */
} tenon_services_call;

typedef struct tenon_services {
  uint32_t size;
  uint32_t reserved;

  /**
   * Offers a service to others from when the plugin is active until it quiesces, once a name, at
   * most 32. `name` is 1…48 of [a-z0-9_-]. `revision`, 1…9,999, says how much of it there is: a
   * later one does all that an earlier one did. What would break its callers is another name.
   * [thread] the calling one of create or start [state] created, starting [memory] `name` borrowed; the handler is the host's to drop, also on an error
   */
  tenon_code (*offer)(const tenon_host* host, tenon_span name, uint32_t revision,
                      const tenon_services_handler* handler, tenon_error* error) TENON_NOEXCEPT;

  /**
   * Calls a service of a plugin that plugin.json names under requires or optional, or of one's own,
   * and gives the answer to `sink`, once, where it is TENON_OK. Else what the provider said, or
   * TENON_E_DENIED (plugin.json does not name the plugin), TENON_E_UNAVAILABLE (the plugin is not
   * there, not active, or in a version that plugin.json does not name), TENON_E_NOT_FOUND (it
   * offers no such service), TENON_E_UNSUPPORTED (an earlier revision), TENON_E_STATE (8 calls
   * inside each other; a route that is inline, a queued write and a callback before a write may not
   * wait), TENON_E_BUSY (1,024 calls inside the provider), TENON_E_TIMEOUT (the deadline passed; it
   * may be done all the same), TENON_E_INTERNAL (the provider failed). Nothing interrupts a
   * provider that runs in this process: its handler is waited for beyond the deadline. A
   * transaction that is open meanwhile keeps others from writing.
   * [thread] any that may block [state] starting, active, quiescing [memory] borrowed; the answer is the host's
   */
  tenon_code (*call)(const tenon_host* host, const tenon_services_call* call,
                     const tenon_db_sink* sink, tenon_error* error) TENON_NOEXCEPT;

  /**
   * Answers a call, at most 16 MiB. TENON_E_STATE when it is answered already, TENON_E_HANDLE when
   * it is over or the host gave it up.
   * [thread] any, until the handler returns [state] active, quiescing [memory] borrowed
   */
  tenon_code (*respond)(const tenon_host* host, tenon_handle request,
                        tenon_span response) TENON_NOEXCEPT;
} tenon_services;

TENON_EXTERN_C_END

#endif
