/* tenon.http_client/1: HTTP requests to other servers. plugin.json lists the servers under
 * "outgoing"; the admin sees the list before the plugin is installed. The host refuses addresses
 * that are not public, unless its configuration allows them, and checks every redirect. */
#ifndef TENON_HTTP_CLIENT_H
#define TENON_HTTP_CLIENT_H

#include <tenon/http.h>

TENON_EXTERN_C_BEGIN

#define TENON_HTTP_CLIENT_ID "tenon.http_client/1"

/* Flag of a request: return a redirect as the response. */
#define TENON_HTTP_CLIENT_NO_REDIRECTS 1u

/** A request to another server. */
typedef struct tenon_http_client_request {
  uint32_t size;
  uint32_t flags;    /* TENON_HTTP_CLIENT_NO_REDIRECTS */
  tenon_span method; /* "GET"; any but CONNECT and TRACE */
  tenon_span url;    /* http:// or https://, at most 8 KiB, without a user name */
  /* At most 64 of 8 KiB. The host sets Host, Content-Length, Connection and other fields of the
   * connection, and refuses them here. User-Agent, Accept and Accept-Encoding have defaults. */
  const tenon_http_field* fields;
  uint32_t field_count;
  uint32_t timeout_ms; /* for the whole call with its redirects; 0: 10 s; by default at most 60 s */
  tenon_span body;     /* at most 16 MiB */
  uint64_t max_response_bytes; /* of the body; 0: 1 MiB; by default at most 16 MiB */
} tenon_http_client_request;

/** The response of another server. Borrowed: valid until the sink returns. */
typedef struct tenon_http_client_response {
  uint32_t size;
  uint32_t status; /* 200…999 */
  tenon_span url;  /* of the response, after redirects */
  const tenon_http_field* fields;
  uint32_t field_count;
  uint32_t reserved;
  tenon_span body;
} tenon_http_client_response;

/** Receives a response. Runs on the thread that called send. Frozen. */
typedef struct tenon_http_client_sink {
  void (*fn)(void* ctx, const tenon_http_client_response* response) TENON_NOEXCEPT;
  void* ctx;
} tenon_http_client_sink;

typedef struct tenon_http_client {
  uint32_t size;
  uint32_t reserved;

  /**
   * Sends a request and passes the response to `sink` once, whatever its status, if the code is
   * TENON_OK. The host follows up to 5 redirects, none from https to http, and sends Authorization
   * and Cookie to no other origin. It verifies TLS certificates and uses no proxy. Returns one of
   * these on errors:
   *
   * - TENON_E_INVALID: the URL, the method or a field is invalid, or a limit is exceeded
   *
   * - TENON_E_DENIED: plugin.json does not list the server, or its address is not public
   *
   * - TENON_E_UNAVAILABLE: the server cannot be reached, or its response is not valid
   *
   * - TENON_E_TOO_LARGE: the body of the request or of the response exceeds its limit
   *
   * - TENON_E_TIMEOUT: the time is up; the server may have done the work nevertheless
   *
   * - TENON_E_BUSY: too many calls are running, 8 of one plugin by default
   *
   * - TENON_E_CLOSED: the plugin stops. Calls of jobs and of the plugin's threads end when it
   *   quiesces; calls of requests end when its time to quiesce is up
   *
   * - TENON_E_STATE: the call comes from an inline route, a queued write or a before-write
   *   callback, which must not block
   *
   * If the caller has a write transaction open, other writers wait during the call.
   * [thread] any that may block [state] starting, active, quiescing [memory] borrowed; the response is the host's
   */
  tenon_code (*send)(const tenon_host* host, const tenon_http_client_request* request,
                     const tenon_http_client_sink* sink, tenon_error* error) TENON_NOEXCEPT;
} tenon_http_client;

TENON_EXTERN_C_END

#endif
