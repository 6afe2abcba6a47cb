/*
 * The Tenon plugin ABI: what every header of it is made of.
 *
 * A plugin is a shared library with one exported data symbol (entry.h). Host and plugin ask each
 * other for interfaces: tables of functions, named and revisioned ("tenon.http/1"), that only ever
 * grow at the end.
 *
 * Rules that hold for everything in these headers:
 *
 * - 64-bit little-endian machines with the System V calling convention; C11 and C++20.
 *
 * - Text is UTF-8 in spans, not zero-terminated. Borrowed memory is valid until the call returns.
 *
 * - Whoever allocates frees. A callback's context is dropped by the host, exactly once.
 *
 * - Functions return a code: 0 and above is success, below 0 an error. They never throw or exit.
 *
 * - Structs that begin with `size` may grow: whoever fills one sets `size` to what it was compiled
 *   with, whoever reads or writes one touches no more than that. All other structs are frozen.
 *
 * - No host lock is held while a callback runs. A callback may come on any thread of the host.
 *
 * Every function ends its comment with one contract line, of three tags: thread (who may call it),
 * state (the states of the plugin's life in which it may be called), memory (who owns what). The
 * states in order: created (inside create), starting (inside start), active, quiescing, stopping.
 */
#ifndef TENON_ABI_H
#define TENON_ABI_H

#include <stdint.h>

#define TENON_ABI_MAJOR 0u
#define TENON_ABI_MINOR 12u

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

/** A borrowed run of bytes; `data` may be NULL when `size` is 0. */
typedef struct tenon_span {
  const char* data;
  uint64_t size; /* bytes */
} tenon_span;

/** What a function did. */
typedef int32_t tenon_code;

#define TENON_OK 0                /* done */
#define TENON_PENDING 1           /* the answer comes later */
#define TENON_FULL 2              /* taken, but wait before giving more */
#define TENON_DONE 3              /* there is no more */
#define TENON_E_INVALID (-1)      /* an argument is wrong */
#define TENON_E_HANDLE (-2)       /* the handle is stale or was never given */
#define TENON_E_STATE (-3)        /* not now: wrong life-cycle state, or already answered */
#define TENON_E_CLOSED (-4)       /* the other end is gone */
#define TENON_E_TOO_LARGE (-5)    /* beyond a limit, or the buffer is too small */
#define TENON_E_BUSY (-6)         /* too much is waiting; try again */
#define TENON_E_TIMEOUT (-7)      /* the deadline passed */
#define TENON_E_DISK_FULL (-8)    /* no room to write */
#define TENON_E_CONSTRAINT (-9)   /* a unique, foreign key, check or not-null constraint */
#define TENON_E_DENIED (-10)      /* not permitted */
#define TENON_E_NOT_FOUND (-11)   /* there is no such thing */
#define TENON_E_SQL (-12)         /* the statement is wrong */
#define TENON_E_MEMORY (-13)      /* out of memory */
#define TENON_E_UNSUPPORTED (-14) /* this host cannot do that */
#define TENON_E_INTERNAL (-15)    /* a bug; the log says more */
#define TENON_E_UNAVAILABLE (-16) /* whoever would do it is away */

/** An error in words, in memory of the caller. `size` is set by the caller, the rest by the callee.
 */
typedef struct tenon_error {
  uint32_t size;
  tenon_code code;
  uint32_t status; /* the HTTP status that fits, 400…599; 0 where none does */
  uint32_t reserved;
  char name[64];     /* stable, zero-terminated, e.g. "data.constraint" */
  char message[432]; /* one or two sentences, zero-terminated, cut where too long */
} tenon_error;

/** A value of a table: what `type` says. */
typedef struct tenon_cell {
  uint32_t type; /* TENON_CELL_… */
  uint32_t reserved;
  union {
    int64_t integer;
    double number;
    const char* bytes; /* text and blob: `size` bytes */
  } as;
  uint64_t size; /* bytes of text and blob; 0 else */
} tenon_cell;

#define TENON_CELL_NULL 0u
#define TENON_CELL_INTEGER 1u
#define TENON_CELL_NUMBER 2u
#define TENON_CELL_TEXT 3u
#define TENON_CELL_BLOB 4u

/** A callback without arguments: the triple that every callback type repeats. */
typedef struct tenon_callback {
  void (*fn)(void* ctx) TENON_NOEXCEPT;
  void* ctx;
  void (*drop)(void* ctx) TENON_NOEXCEPT; /* may be NULL; called once, after the last fn returned */
} tenon_callback;

/** Handles are numbers made of a generation and a slot: a stale one is TENON_E_HANDLE, never a
 * crash. 0 is none. */
typedef uint64_t tenon_handle;

TENON_EXTERN_C_END

/** A span of a string literal. */
#if defined(__cplusplus)
#define TENON_LITERAL(text) (::tenon_span{text, sizeof(text) - 1})
#else
#define TENON_LITERAL(text) ((tenon_span){text, sizeof(text) - 1})
#endif

/** How much of an interface a plugin needs: the end of the last slot it uses. */
#define TENON_NEED(interface, slot) \
  ((uint32_t)(offsetof(interface, slot) + sizeof(((interface*)0)->slot)))

#endif
