/* tenon.services/1: named services that plugins offer to other plugins. The host finds the provider
 * at each call, so the provider may be upgraded between calls. While the provider is not active, a
 * call returns TENON_E_UNAVAILABLE at once. Requests and responses are bytes, by convention one
 * JSON text each. */
#ifndef TENON_SERVICES_H
#define TENON_SERVICES_H

#include <tenon/db.h>
#include <tenon/entry.h>

TENON_EXTERN_C_BEGIN

#define TENON_SERVICES_ID "tenon.services/1"

/** A call, as the provider sees it. Borrowed: valid until the handler returns. `handle` is invalid
 * afterwards. */
typedef struct tenon_services_request {
  uint32_t size;
  uint32_t remaining_ms; /* time until the caller stops waiting; a later response is discarded */
  tenon_handle handle;
  tenon_span caller;         /* id of the calling plugin, which vouches for any user it names */
  tenon_span caller_version; /* semantic version */
  tenon_span service;        /* name of the service, without the id of the plugin */
  tenon_span method;
  tenon_span request;
  uint32_t revision; /* the lowest revision that the caller accepts */
  uint32_t reserved;
} tenon_services_request;

/** Handles calls of a service. It runs on the thread of the caller, concurrently on several
 * threads, and may block. It responds once through respond and then returns TENON_OK, or it
 * returns a code below 0 and fills `error`, which the caller gets unchanged. It returns
 * TENON_E_NOT_FOUND for an unknown method. Frozen. */
typedef struct tenon_services_handler {
  tenon_code (*fn)(void* ctx, const tenon_services_request* request,
                   tenon_error* error) TENON_NOEXCEPT;
  void* ctx;
  void (*drop)(void* ctx) TENON_NOEXCEPT; /* may be NULL */
} tenon_services_handler;

/** A call of a service of another plugin. */
typedef struct tenon_services_call {
  uint32_t size;
  uint32_t revision;    /* the lowest accepted revision; 1 or above */
  tenon_span service;   /* "<plugin>.<name>" */
  tenon_span method;    /* 1…64 of [A-Za-z0-9_.-] */
  tenon_span request;   /* at most 16 MiB */
  uint32_t deadline_ms; /* at most 60,000; 0: 10,000; never later than the deadline of an enclosing
                           call */
  uint32_t flags;       /* must be 0 */
} tenon_services_call;

typedef struct tenon_services {
  uint32_t size;
  uint32_t reserved;

  /**
   * Offers a service to other plugins, once for each name, at most 32. It can be called while the
   * plugin is active, until it quiesces. `name` has 1…48 characters of [a-z0-9_-]. `revision` is
   * 1…9,999. A later revision supports everything that earlier ones did; offer an incompatible
   * service under another name.
   * [thread] the calling one of create or start [state] created, starting [memory] `name` borrowed; the handler is the host's to drop, also on an error
   */
  tenon_code (*offer)(const tenon_host* host, tenon_span name, uint32_t revision,
                      const tenon_services_handler* handler, tenon_error* error) TENON_NOEXCEPT;

  /**
   * Calls a service and passes the response to `sink` once, if the code is TENON_OK. The provider
   * must be named in plugin.json under requires or optional, or be this plugin. Returns the
   * provider's code on its errors, or one of these:
   *
   * - TENON_E_DENIED: plugin.json does not name the provider
   *
   * - TENON_E_UNAVAILABLE: the provider is not installed, not active, or has a version that
   *   plugin.json does not allow
   *
   * - TENON_E_NOT_FOUND: the provider has no such service
   *
   * - TENON_E_UNSUPPORTED: the provider has an earlier revision only
   *
   * - TENON_E_STATE: 8 calls are nested already; or the call comes from an inline route, a queued
   *   write or a before-write callback, which must not block
   *
   * - TENON_E_BUSY: 1,024 calls are running in the provider
   *
   * - TENON_E_TIMEOUT: the deadline passed; the provider may have done the work nevertheless
   *
   * - TENON_E_INTERNAL: the provider failed
   *
   * The host cannot interrupt a provider in this process: the call waits for its handler even after
   * the deadline. If the caller has a write transaction open, other writers wait during the call.
   * [thread] any that may block [state] starting, active, quiescing [memory] borrowed; the response is the host's
   */
  tenon_code (*call)(const tenon_host* host, const tenon_services_call* call,
                     const tenon_text_sink* sink, tenon_error* error) TENON_NOEXCEPT;

  /**
   * Responds to a call with at most 16 MiB. Returns TENON_E_STATE if the call already has a
   * response, TENON_E_HANDLE if the call has ended or the host has abandoned it.
   * [thread] any, until the handler returns [state] active, quiescing [memory] borrowed
   */
  tenon_code (*respond)(const tenon_host* host, tenon_handle request,
                        tenon_span response) TENON_NOEXCEPT;
} tenon_services;

TENON_EXTERN_C_END

#endif
