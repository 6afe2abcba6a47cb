/* tenon.http/1: routes under /api/<plugin>, and their answers: at once, later, or streamed. */
#ifndef TENON_HTTP_H
#define TENON_HTTP_H

#include <tenon/entry.h>

TENON_EXTERN_C_BEGIN

#define TENON_HTTP_ID "tenon.http/1"

#define TENON_HTTP_GET 1u
#define TENON_HTTP_HEAD 2u /* answered by the GET route; never registered */
#define TENON_HTTP_POST 3u
#define TENON_HTTP_PUT 4u
#define TENON_HTTP_PATCH 5u
#define TENON_HTTP_DELETE 6u

/* Who may call a route. It must be said: 0 is refused. The host checks it before the plugin is
 * entered. */
#define TENON_HTTP_PUBLIC 1u     /* everybody, signed in or not */
#define TENON_HTTP_SIGNED_IN 2u  /* every user */
#define TENON_HTTP_PERMISSION 3u /* who has `permission`, declared in plugin.json */

/* What a route does with a request body. */
#define TENON_HTTP_BODY_NONE 0u     /* a body is refused */
#define TENON_HTTP_BODY_WHOLE 1u    /* in memory, up to body_limit */
#define TENON_HTTP_BODY_JSON 2u     /* whole, and checked: application/json, valid, within limits */
#define TENON_HTTP_BODY_STREAMED 3u /* taken in pieces through read_body, up to body_limit */

/* Flag of a route that never blocks and answers in microseconds: it runs on an I/O thread. */
#define TENON_HTTP_INLINE 1u

#define TENON_HTTP_NO_LENGTH UINT64_MAX

/** A header field. Frozen. Names are lower case in requests. */
typedef struct tenon_http_field {
  tenon_span name;
  tenon_span value;
} tenon_http_field;

/** A request. Borrowed: valid until the handler returns; afterwards only `handle` is. */
typedef struct tenon_http_request {
  uint32_t size;
  uint32_t method;         /* TENON_HTTP_GET … (HEAD arrives as GET) */
  tenon_handle handle;     /* names the request in every call below */
  tenon_span path;         /* decoded, whole: /api/notes/tags */
  tenon_span query;        /* as sent, without '?' */
  tenon_span body;         /* whole and JSON bodies */
  uint64_t content_length; /* declared, bytes; TENON_HTTP_NO_LENGTH when chunked */
  const tenon_http_field* fields;
  const tenon_span* params; /* values of the pattern's {names}, in order */
  uint32_t field_count;
  uint32_t param_count;
  tenon_span request_id; /* as in the log and in problem documents */
  tenon_span peer;       /* address of the client */
  tenon_span user_id;    /* of the signed-in user; empty for nobody */
} tenon_http_request;

/** Answers a request: TENON_OK when it was answered before the return, TENON_PENDING when that
 * comes later; an error is answered by the host with 500. Dropped when the plugin is stopped.
 * Frozen. */
typedef struct tenon_http_handler {
  tenon_code (*fn)(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT;
  void* ctx;
  void (*drop)(void* ctx) TENON_NOEXCEPT; /* may be NULL */
} tenon_http_handler;

typedef struct tenon_http_route {
  uint32_t size;
  uint32_t method;
  tenon_span
      pattern; /* below /api/<plugin>: "/notes/{id}"; a last "{rest...}" takes all that follows */
  tenon_span permission; /* with TENON_HTTP_PERMISSION */
  uint64_t body_limit;   /* bytes; 0: 1 MiB for whole and JSON; must be given for streamed */
  uint32_t access;       /* TENON_HTTP_PUBLIC … */
  uint32_t body;         /* TENON_HTTP_BODY_… */
  uint32_t flags;
  uint32_t reserved;
  tenon_http_handler handler;
  tenon_span summary; /* one line for the API's description; may be empty */
  /* More of it; may be empty. One JSON object of at most 64 KiB with members of an OpenAPI 3.1
   * Operation: description, parameters, requestBody, responses; and x-components, an object like
   * Components whose names begin with the plugin's id and a dot, for what those refer to. Another
   * text is refused. */
  tenon_span operation;
} tenon_http_route;

/** The answer, or its head when it is streamed. */
typedef struct tenon_http_response {
  uint32_t size;
  uint32_t status;         /* 200…599 */
  tenon_span content_type; /* may be empty */
  /* Not Content-Length, Connection, Date, Transfer-Encoding, Set-Cookie. Policies of the origin are
     dropped unless the manifest's response_headers names them: Access-Control-…,
     Content-Security-Policy, Cross-Origin-…-Policy, Clear-Site-Data. Service-Worker-Allowed is
     always dropped. */
  const tenon_http_field* fields;
  uint32_t field_count;
  uint32_t reserved;
  tenon_span body;
} tenon_http_response;

/** What is wrong with one field of the body. Frozen. */
typedef struct tenon_http_field_error {
  tenon_span field;
  tenon_span code;
  tenon_span message;
} tenon_http_field_error;

/** An error answer, sent as application/problem+json (RFC 9457). */
typedef struct tenon_http_problem {
  uint32_t size;
  uint32_t status; /* 400…599 */
  tenon_span code; /* stable: "notes.conflict" */
  tenon_span message;
  const tenon_http_field_error* errors;
  uint32_t error_count;
  uint32_t reserved;
  tenon_span extra;               /* one JSON object whose members are added, or empty */
  const tenon_http_field* fields; /* as of tenon_http_response, and not Content-Type */
  uint32_t field_count;
  uint32_t reserved_too;
} tenon_http_problem;

/** Takes a body in pieces: `data` any number of times, then `end` once; one call at a time, in
 *  order, on workers of the host, where they may block. Frozen. */
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
   * Adds a route. It is published when start has returned. On an error the handler is not taken
   * (not dropped).
   * [thread] the calling one of create or start [state] created, starting [memory] `route` borrowed; the handler is the host's to drop
   */
  tenon_code (*add_route)(const tenon_host* host, const tenon_http_route* route,
                          tenon_error* error) TENON_NOEXCEPT;

  /**
   * Gives the whole answer. TENON_E_HANDLE when the request was answered already or is over.
   * [thread] any [state] active, quiescing [memory] borrowed
   */
  tenon_code (*respond)(const tenon_host* host, tenon_handle request,
                        const tenon_http_response* response) TENON_NOEXCEPT;

  /**
   * Gives an error answer.
   * [thread] any [state] active, quiescing [memory] borrowed
   */
  tenon_code (*respond_problem)(const tenon_host* host, tenon_handle request,
                                const tenon_http_problem* problem) TENON_NOEXCEPT;

  /**
   * Begins a streamed answer of `content_length` bytes (TENON_HTTP_NO_LENGTH: unknown). `writable`
   * is called each time a stream that was TENON_FULL has room again, and once when it is closed, on
   * a worker of the host, where it may block; when it is closed, perhaps while another thread is in
   * write. Its fn may be NULL.
   * [thread] any [state] active, quiescing [memory] borrowed; `writable` is the host's to drop, also on an error
   */
  tenon_code (*begin)(const tenon_host* host, tenon_handle request, const tenon_http_response* head,
                      uint64_t content_length, const tenon_callback* writable) TENON_NOEXCEPT;

  /**
   * Sends a piece, at most 1 MiB. TENON_OK: go on. TENON_FULL: taken, wait for `writable`.
   * TENON_E_CLOSED: nobody reads.
   * [thread] any, one at a time for a request [state] active, quiescing [memory] borrowed
   */
  tenon_code (*write)(const tenon_host* host, tenon_handle request,
                      tenon_span bytes) TENON_NOEXCEPT;

  /**
   * Completes a streamed answer; with `how` below 0 the connection is cut, so that the client sees
   * it is incomplete. The handle is over.
   * [thread] any [state] active, quiescing [memory] –
   */
  tenon_code (*end)(const tenon_host* host, tenon_handle request, tenon_code how) TENON_NOEXCEPT;

  /**
   * Starts delivery of a TENON_HTTP_BODY_STREAMED body. Once.
   * [thread] the handler's [state] active [memory] the sink is the host's to drop, also on an error
   */
  tenon_code (*read_body)(const tenon_host* host, tenon_handle request,
                          const tenon_http_body_sink* sink) TENON_NOEXCEPT;

  /**
   * TENON_OK while somebody waits for the answer, TENON_E_CLOSED when the client is gone,
   * TENON_E_HANDLE when it is over.
   * [thread] any [state] active, quiescing [memory] –
   */
  tenon_code (*check)(const tenon_host* host, tenon_handle request) TENON_NOEXCEPT;
} tenon_http;

TENON_EXTERN_C_END

#endif
