/*
 * The Tenon plugin ABI: rules and basic types that every other header uses.
 *
 * A plugin is a shared library that exports one data symbol (entry.h). The host and the plugin get
 * interfaces from each other. An interface is a table of functions with a name and a revision
 * ("tenon.http/1"). New functions are only appended at its end.
 *
 * These rules apply to all ABI headers:
 *
 * - The ABI supports 64-bit little-endian machines with the System V calling convention. The
 *   headers compile as C11 and C++20.
 *
 * - Text is UTF-8 in spans and is not zero-terminated. Borrowed memory is valid until the call
 *   returns.
 *
 * - The side that allocates memory frees it. The host drops the context of a callback exactly once.
 *
 * - Functions return a code: 0 and above is success, below 0 is an error. They never throw or exit.
 *
 * - A struct that begins with `size` may grow. The side that fills such a struct sets `size` to the
 *   size that it was compiled with. The other side reads or writes no more than `size` bytes. All
 *   other structs are frozen.
 *
 * - The host holds no lock while a callback runs. It may run a callback on any of its threads.
 *
 * The comment of each function ends with one contract line of three tags. "thread" states which
 * threads may call the function. "state" lists the plugin states in which the call is allowed.
 * "memory" states who owns the arguments and results. The states, in order: created (inside
 * create), starting (inside start), active, quiescing, stopping.
 */
#ifndef TENON_ABI_H
#define TENON_ABI_H

#include <stdint.h>

#define TENON_ABI_MAJOR 0u
#define TENON_ABI_MINOR 13u

#if defined(__cplusplus)
#define TENON_NOEXCEPT noexcept
#define TENON_EXTERN_C_BEGIN extern "C" {
#define TENON_EXTERN_C_END }
#else
#define TENON_NOEXCEPT
#define TENON_EXTERN_C_BEGIN
#define TENON_EXTERN_C_END
#endif

TENON_EXTERN_C_BEGIN

/** A borrowed range of bytes. `data` may be NULL if `size` is 0. */
typedef struct tenon_span {
  const char* data;
  uint64_t size; /* bytes */
} tenon_span;

/** The result code of a function. */
typedef int32_t tenon_code;

#define TENON_OK 0                /* success */
#define TENON_PENDING 1           /* accepted; the response comes later */
#define TENON_FULL 2              /* accepted, but wait before sending more */
#define TENON_DONE 3              /* no more data */
#define TENON_E_INVALID (-1)      /* an argument is invalid */
#define TENON_E_HANDLE (-2)       /* the handle is stale or was never issued */
#define TENON_E_STATE (-3)        /* not allowed in this state, or already responded */
#define TENON_E_CLOSED (-4)       /* the other end has disconnected */
#define TENON_E_TOO_LARGE (-5)    /* a limit is exceeded, or the buffer is too small */
#define TENON_E_BUSY (-6)         /* too many requests are queued; retry later */
#define TENON_E_TIMEOUT (-7)      /* the deadline passed */
#define TENON_E_DISK_FULL (-8)    /* not enough free disk space, or a quota is reached */
#define TENON_E_CONSTRAINT (-9)   /* a unique, foreign key, check or not-null constraint failed */
#define TENON_E_DENIED (-10)      /* permission denied */
#define TENON_E_NOT_FOUND (-11)   /* the object does not exist */
#define TENON_E_SQL (-12)         /* the SQL statement is invalid */
#define TENON_E_MEMORY (-13)      /* out of memory */
#define TENON_E_UNSUPPORTED (-14) /* this host does not support the operation */
#define TENON_E_INTERNAL (-15)    /* a bug; the log has details */
#define TENON_E_UNAVAILABLE (-16) /* the provider of a service is not available */

/** Describes an error. The caller owns the memory and sets `size`; the callee sets the other
 * members. */
typedef struct tenon_error {
  uint32_t size;
  tenon_code code;
  uint32_t status; /* matching HTTP status, 400…599; 0 if none */
  uint32_t reserved;
  char name[64];     /* stable error name, zero-terminated, e.g. "data.constraint" */
  char message[432]; /* one or two sentences, zero-terminated, truncated if too long */
} tenon_error;

/** A database value. `type` selects the valid member of `as`. */
typedef struct tenon_cell {
  uint32_t type; /* TENON_CELL_… */
  uint32_t reserved;
  union {
    int64_t integer;
    double number;
    const char* bytes; /* text and blob: `size` bytes */
  } as;
  uint64_t size; /* length of text and blobs in bytes; 0 for other types */
} tenon_cell;

#define TENON_CELL_NULL 0u
#define TENON_CELL_INTEGER 1u
#define TENON_CELL_NUMBER 2u
#define TENON_CELL_TEXT 3u
#define TENON_CELL_BLOB 4u

/** A callback without arguments. All callback types consist of these three members. */
typedef struct tenon_callback {
  void (*fn)(void* ctx) TENON_NOEXCEPT;
  void* ctx;
  void (*drop)(void* ctx) TENON_NOEXCEPT; /* may be NULL; called once, after the last fn returned */
} tenon_callback;

/** A handle consists of a generation and a slot. 0 is never a valid handle. A call with a stale
 * handle returns TENON_E_HANDLE and never crashes. */
typedef uint64_t tenon_handle;

TENON_EXTERN_C_END

/** Makes a span of a string literal. */
#if defined(__cplusplus)
#define TENON_LITERAL(text) (::tenon_span{text, sizeof(text) - 1})
#else
#define TENON_LITERAL(text) ((tenon_span){text, sizeof(text) - 1})
#endif

/** Computes how many bytes of an interface a plugin needs: the end of the last function it uses. */
#define TENON_NEED(interface, slot) \
  ((uint32_t)(offsetof(interface, slot) + sizeof(((interface*)0)->slot)))

#endif
