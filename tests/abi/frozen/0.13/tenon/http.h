/* tenon.http/1: routes under /api/<plugin> and their responses: immediate, deferred or streamed. */
#ifndef TENON_HTTP_H
#define TENON_HTTP_H

#include <tenon/entry.h>

TENON_EXTERN_C_BEGIN

#define TENON_HTTP_ID "tenon.http/1"

#define TENON_HTTP_GET 1u
#define TENON_HTTP_HEAD 2u /* handled by the GET route; cannot be registered */
#define TENON_HTTP_POST 3u
#define TENON_HTTP_PUT 4u
#define TENON_HTTP_PATCH 5u
#define TENON_HTTP_DELETE 6u

/* Values that define who may call a route. A value is required; 0 is rejected. The host checks the
 * access before it calls the plugin. */
#define TENON_HTTP_PUBLIC 1u     /* everyone, signed in or not */
#define TENON_HTTP_SIGNED_IN 2u  /* all signed-in users */
#define TENON_HTTP_PERMISSION 3u /* users with `permission`, declared in plugin.json */

/* How a route treats a request body. */
#define TENON_HTTP_BODY_NONE 0u     /* a body is rejected */
#define TENON_HTTP_BODY_WHOLE 1u    /* in memory, up to body_limit */
#define TENON_HTTP_BODY_JSON 2u     /* whole, and checked: application/json, valid, within limits */
#define TENON_HTTP_BODY_STREAMED 3u /* delivered in pieces through read_body, up to body_limit */

/* Flag of a route that never blocks and responds within microseconds: it runs on an I/O thread. */
#define TENON_HTTP_INLINE 1u

#define TENON_HTTP_NO_LENGTH UINT64_MAX

/** A header field. Names are lower case in requests. Frozen. */
typedef struct tenon_http_field {
  tenon_span name;
  tenon_span value;
} tenon_http_field;

/** A request. Borrowed: valid until the handler returns. Only `handle` is valid longer. */
typedef struct tenon_http_request {
  uint32_t size;
  uint32_t method;         /* TENON_HTTP_GET … (HEAD arrives as GET) */
  tenon_handle handle;     /* identifies the request in all functions below */
  tenon_span path;         /* full path, decoded: /api/notes/tags */
  tenon_span query;        /* as sent, without '?' */
  tenon_span body;         /* for whole and JSON bodies */
  uint64_t content_length; /* declared length in bytes; TENON_HTTP_NO_LENGTH if chunked */
  const tenon_http_field* fields;
  const tenon_span* params; /* values of the pattern's {names}, in order */
  uint32_t field_count;
  uint32_t param_count;
  tenon_span request_id; /* as in the log and in problem documents */
  tenon_span peer;       /* address of the client */
  tenon_span user_id;    /* id of the signed-in user; empty: anonymous */
} tenon_http_request;

/** Handles a request. Returns TENON_OK if it responded, or TENON_PENDING if the response comes
 * later. On an error the host responds with 500. The host drops the handler when the plugin is
 * stopped. Frozen. */
typedef struct tenon_http_handler {
  tenon_code (*fn)(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT;
  void* ctx;
  void (*drop)(void* ctx) TENON_NOEXCEPT; /* may be NULL */
} tenon_http_handler;

typedef struct tenon_http_route {
  uint32_t size;
  uint32_t method;
  tenon_span pattern; /* below /api/<plugin>: "/notes/{id}"; a final "{rest...}" matches the rest of
                         the path */
  tenon_span permission; /* with TENON_HTTP_PERMISSION */
  uint64_t body_limit;   /* bytes; 0: 1 MiB for whole and JSON; required for streamed */
  uint32_t access;       /* TENON_HTTP_PUBLIC … */
  uint32_t body;         /* TENON_HTTP_BODY_… */
  uint32_t flags;
  uint32_t reserved;
  tenon_http_handler handler;
  tenon_span summary; /* one line for the API description; may be empty */
  /* Further API description; may be empty. One JSON object of at most 64 KiB with members of an
   * OpenAPI 3.1 Operation: description, parameters, requestBody, responses; and x-components, an
   * object like Components with the definitions that these refer to. Its names begin with the
   * plugin's id and a dot. Any other text is rejected. */
  tenon_span operation;
} tenon_http_route;

/** A response, or the head of a streamed response. */
typedef struct tenon_http_response {
  uint32_t size;
  uint32_t status;         /* 200…599 */
  tenon_span content_type; /* may be empty */
  /* Must not contain Content-Length, Connection, Date, Transfer-Encoding, Set-Cookie. Policies of
   * the origin are dropped unless response_headers of the manifest names them: Access-Control-…,
   * Content-Security-Policy, Cross-Origin-…-Policy, Clear-Site-Data. Service-Worker-Allowed is
   * always dropped. */
  const tenon_http_field* fields;
  uint32_t field_count;
  uint32_t reserved;
  tenon_span body;
} tenon_http_response;

/** An error of one field of the body. Frozen. */
typedef struct tenon_http_field_error {
  tenon_span field;
  tenon_span code;
  tenon_span message;
} tenon_http_field_error;

/** An error response, sent as application/problem+json (RFC 9457). */
typedef struct tenon_http_problem {
  uint32_t size;
  uint32_t status; /* 400…599 */
  tenon_span code; /* stable error code, e.g. "notes.conflict" */
  tenon_span message;
  const tenon_http_field_error* errors;
  uint32_t error_count;
  uint32_t reserved;
  tenon_span extra;               /* one JSON object with additional members, or empty */
  const tenon_http_field* fields; /* limits of tenon_http_response apply; no Content-Type */
  uint32_t field_count;
  uint32_t reserved_too;
} tenon_http_problem;

/** Receives a body in pieces: `data` any number of times, then `end` once. The host makes one call
 * at a time, in order, on its worker threads, where the callbacks may block. Frozen. */
typedef struct tenon_http_body_sink {
  tenon_code (*data)(void* ctx, tenon_span bytes) TENON_NOEXCEPT; /* an error aborts the body */
  void (*end)(void* ctx,
              tenon_code how) TENON_NOEXCEPT; /* TENON_OK, or _CLOSED, _TIMEOUT, _TOO_LARGE */
  void* ctx;
  void (*drop)(void* ctx) TENON_NOEXCEPT; /* may be NULL */
} tenon_http_body_sink;

typedef struct tenon_http {
  uint32_t size;
  uint32_t reserved;

  /**
   * Registers a route. The route is published after start has returned. On an error the handler is
   * not taken and not dropped.
   * [thread] the calling one of create or start [state] created, starting [memory] `route` borrowed; the handler is the host's to drop
   */
  tenon_code (*add_route)(const tenon_host* host, const tenon_http_route* route,
                          tenon_error* error) TENON_NOEXCEPT;

  /**
   * Sends a complete response. Returns TENON_E_HANDLE if the request already has a response or has
   * ended.
   * [thread] any [state] active, quiescing [memory] borrowed
   */
  tenon_code (*respond)(const tenon_host* host, tenon_handle request,
                        const tenon_http_response* response) TENON_NOEXCEPT;

  /**
   * Sends an error response. Returns TENON_E_HANDLE if the request already has a response or has
   * ended.
   * [thread] any [state] active, quiescing [memory] borrowed
   */
  tenon_code (*respond_problem)(const tenon_host* host, tenon_handle request,
                                const tenon_http_problem* problem) TENON_NOEXCEPT;

  /**
   * Begins a streamed response of `content_length` bytes (TENON_HTTP_NO_LENGTH: unknown).
   *
   * The host calls `writable` on a worker thread, where it may block: each time a stream that
   * returned TENON_FULL can take more data, and once when the stream is closed. The call on close
   * may run while another thread is in write. `writable->fn` may be NULL.
   * [thread] any [state] active, quiescing [memory] borrowed; `writable` is the host's to drop, also on an error
   */
  tenon_code (*begin)(const tenon_host* host, tenon_handle request, const tenon_http_response* head,
                      uint64_t content_length, const tenon_callback* writable) TENON_NOEXCEPT;

  /**
   * Sends a piece of a streamed response, at most 1 MiB. TENON_OK: continue. TENON_FULL: the piece
   * was accepted; wait for `writable`. TENON_E_CLOSED: the client has disconnected.
   * [thread] any, one at a time for a request [state] active, quiescing [memory] borrowed
   */
  tenon_code (*write)(const tenon_host* host, tenon_handle request,
                      tenon_span bytes) TENON_NOEXCEPT;

  /**
   * Ends a streamed response. If `how` is below 0, the host cuts the connection, so that the client
   * sees that the response is incomplete. The handle is invalid afterwards.
   * [thread] any [state] active, quiescing [memory] –
   */
  tenon_code (*end)(const tenon_host* host, tenon_handle request, tenon_code how) TENON_NOEXCEPT;

  /**
   * Starts the delivery of a TENON_HTTP_BODY_STREAMED body. May be called once for each request.
   * [thread] the handler's [state] active [memory] the sink is the host's to drop, also on an error
   */
  tenon_code (*read_body)(const tenon_host* host, tenon_handle request,
                          const tenon_http_body_sink* sink) TENON_NOEXCEPT;

  /**
   * Checks whether the client still waits for the response. Returns TENON_OK if it does,
   * TENON_E_CLOSED if the client has disconnected, TENON_E_HANDLE if the request has ended.
   * [thread] any [state] active, quiescing [memory] –
   */
  tenon_code (*check)(const tenon_host* host, tenon_handle request) TENON_NOEXCEPT;
} tenon_http;

TENON_EXTERN_C_END

#endif
