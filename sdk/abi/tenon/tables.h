/* tenon.tables/1: records of the plugin's declared tables, with the rules, checks, files and events
 * that HTTP requests have; and callbacks that run when requests write and read records. Tables
 * without callbacks run no plugin code. tenon.db/1 is the lower level: its SQL checks no rules and
 * runs no callbacks except those after a write. */
#ifndef TENON_TABLES_H
#define TENON_TABLES_H

#include <tenon/db.h>
#include <tenon/entry.h>

TENON_EXTERN_C_BEGIN

#define TENON_TABLES_ID "tenon.tables/1"

/* Operations on records. `operations` is a set of these flags. */
#define TENON_TABLES_CREATE 1u
#define TENON_TABLES_UPDATE 2u
#define TENON_TABLES_DELETE 4u
/* Operation of tenon_tables_change only: some changes of this table were lost. Read the whole table
 * again. */
#define TENON_TABLES_GAP 8u

/* Flag of tenon_tables_actor and tenon_tables_write: no rules are checked. All declared fields that
 * are not computed may be written, including hidden and read-only ones. */
#define TENON_TABLES_AS_SYSTEM 1u
/* Flag of tenon_tables_query: the response contains the total number of records. */
#define TENON_TABLES_COUNT 1u

/** The user on whose behalf records are read and written: the value of @user, and the author of
 * changes. */
typedef struct tenon_tables_actor {
  uint32_t size;
  uint32_t flags;      /* TENON_TABLES_AS_SYSTEM */
  tenon_handle source; /* handle of a request or a write, whose user is the actor; 0: use `user` */
  tenon_span user;     /* id of a user; empty: anonymous */
} tenon_tables_actor;

/** A pending write that has passed all earlier rules. Borrowed: valid until the callback returns.
 * Both handles are invalid afterwards. */
typedef struct tenon_tables_write {
  uint32_t size;
  uint32_t operation;       /* one of TENON_TABLES_CREATE, _UPDATE and _DELETE */
  tenon_handle handle;      /* for set, refuse and tenon_tables_actor.source */
  tenon_handle transaction; /* transaction of the write: for tenon.db/1 and for get to remove */
  tenon_span table;
  tenon_span id;
  tenon_span before; /* JSON of the current record with all fields; empty for a create */
  tenon_span change; /* JSON of the fields that are set; empty for a delete */
  tenon_span user;   /* id of the requesting user; empty: anonymous */
  uint32_t flags;    /* TENON_TABLES_AS_SYSTEM */
  uint32_t reserved;
} tenon_tables_write;

/**
 * Runs before a write, inside its transaction, which holds the write lock. All other writers wait,
 * so the callback must be quick: after 1 s the write is rolled back. It must not block, and may use
 * only this transaction.
 *
 * A code of 0 or above lets the write continue, with the fields that were set. A code below 0 rolls
 * it back. The client then gets `error` if its status is 400…499, else status 500. Writes that the
 * callback makes do not run before-write callbacks. Frozen.
 */
typedef struct tenon_tables_before {
  tenon_code (*fn)(void* ctx, const tenon_tables_write* write, tenon_error* error) TENON_NOEXCEPT;
  void* ctx;
  void (*drop)(void* ctx) TENON_NOEXCEPT; /* may be NULL */
} tenon_tables_before;

/** A change of a record. */
typedef struct tenon_tables_change {
  uint32_t size;
  uint32_t operation; /* one of TENON_TABLES_CREATE, _UPDATE, _DELETE and _GAP */
  int64_t sequence;   /* position in the plugin's change log; increases */
  tenon_span id;      /* empty for TENON_TABLES_GAP */
} tenon_tables_change;

/** Receives committed changes of a table, from all writers, in order and at least once. The host
 * delivers changes again if the callback fails or the host ends before it returns. May block and
 * write. A code below 0 makes the host deliver the same changes again later; all later changes
 * wait. Frozen. */
typedef struct tenon_tables_after {
  tenon_code (*fn)(void* ctx, tenon_span table, const tenon_tables_change* const* changes,
                   uint32_t change_count, tenon_error* error) TENON_NOEXCEPT;
  void* ctx;
  void (*drop)(void* ctx) TENON_NOEXCEPT; /* may be NULL */
} tenon_tables_after;

/** The records of one response. Borrowed: valid until the callback returns. `handle` is invalid
 * afterwards. */
typedef struct tenon_tables_page {
  uint32_t size;
  uint32_t count;      /* number of records: 1…200 */
  tenon_handle handle; /* for add */
  tenon_span table;
  const tenon_span* records; /* JSON of each record with its id, as the reader sees it */
  tenon_span user;           /* id of the reader; empty: anonymous */
} tenon_tables_page;

/** Adds data to the records of a response, in one call for all of them. May block. On a code below
 * 0 the response is sent without the added data. Frozen. */
typedef struct tenon_tables_extender {
  tenon_code (*fn)(void* ctx, const tenon_tables_page* page, tenon_error* error) TENON_NOEXCEPT;
  void* ctx;
  void (*drop)(void* ctx) TENON_NOEXCEPT; /* may be NULL */
} tenon_tables_extender;

/** Selects records. Empty texts are ignored. All texts have the syntax of GET
 * /api/<plugin>/<table>. */
typedef struct tenon_tables_query {
  uint32_t size;
  uint32_t flags; /* TENON_TABLES_COUNT */
  tenon_span table;
  tenon_span filter;        /* an expression; each ? outside of texts is a value */
  const tenon_cell* values; /* null, integer, number or text; one for each ? */
  uint32_t value_count;     /* at most 100 */
  uint32_t limit;           /* 1…200; 0: 50 */
  tenon_span search;        /* search words, as parameter q */
  tenon_span sort;
  tenon_span fields;
  tenon_span expand;
  tenon_span cursor; /* "next" of an earlier response */
} tenon_tables_query;

typedef struct tenon_tables {
  uint32_t size;
  uint32_t reserved;

  /**
   * Registers a callback that runs before writes of a declared table, once for each table. It does
   * not run for writes by SQL, or for records that are deleted together with another record. An
   * unknown table keeps the plugin from becoming active.
   * [thread] the calling one of create [state] created [memory] `table` borrowed; the callback is the host's to drop, also on an error
   */
  tenon_code (*before_write)(const tenon_host* host, tenon_span table, uint32_t operations,
                             const tenon_tables_before* before, tenon_error* error) TENON_NOEXCEPT;

  /**
   * Registers a callback that receives changes of a published table, once for each table. It gets
   * all changes since the plugin was first active with such a callback, including those made while
   * the plugin was not active. TENON_TABLES_GAP replaces changes that are no longer in the change
   * log.
   * [thread] the calling one of create [state] created [memory] `table` borrowed; the callback is the host's to drop, also on an error
   */
  tenon_code (*after_write)(const tenon_host* host, tenon_span table,
                            const tenon_tables_after* after, tenon_error* error) TENON_NOEXCEPT;

  /**
   * Registers a callback that adds data to lists and single records of a published table when they
   * are read over HTTP, once for each table. The added data is in the member "extra" of the record.
   * [thread] the calling one of create [state] created [memory] `table` borrowed; the callback is the host's to drop, also on an error
   */
  tenon_code (*extend)(const tenon_host* host, tenon_span table,
                       const tenon_tables_extender* extender, tenon_error* error) TENON_NOEXCEPT;

  /**
   * Sets fields of a pending create or update. `fields` is a JSON object. The host checks it like a
   * request body, but does not check the rules of the fields. File fields cannot be set. On
   * TENON_E_INVALID the error names the problem and nothing is set. Returns TENON_E_STATE for a
   * delete.
   * [thread] any, inside the callback [state] starting, active, quiescing [memory] borrowed
   */
  tenon_code (*set)(const tenon_host* host, tenon_handle write, tenon_span fields,
                    tenon_error* error) TENON_NOEXCEPT;

  /**
   * Reports an invalid field. The write is then rolled back and the client gets 422
   * records.validation, regardless of the code that the callback returns. At most 100 for each
   * write.
   * [thread] any, inside the callback [state] starting, active, quiescing [memory] borrowed
   */
  tenon_code (*reject_field)(const tenon_host* host, tenon_handle write, tenon_span field,
                             tenon_span code, tenon_span message) TENON_NOEXCEPT;

  /**
   * Adds data to the record at `index` of a page: a JSON object of at most 64 KiB. It replaces an
   * object that was added before.
   * [thread] any, inside the callback [state] starting, active, quiescing [memory] borrowed
   */
  tenon_code (*add_extra)(const tenon_host* host, tenon_handle page, uint32_t index,
                          tenon_span extra, tenon_error* error) TENON_NOEXCEPT;

  /**
   * Passes a record as JSON to `sink`. Returns TENON_E_NOT_FOUND also if `actor` may not see the
   * record. With TENON_DB_AUTOCOMMIT the call uses its own transaction. `sink` gets at most one
   * text: the record, or on an error a problem document (RFC 9457) as JSON, which can be sent to
   * the client unchanged.
   * [thread] any that may block, one at a time for a transaction [state] starting, active, quiescing [memory] borrowed; the text is the host's
   */
  tenon_code (*get)(const tenon_host* host, const tenon_tables_actor* actor,
                    tenon_handle transaction, tenon_span table, tenon_span id,
                    const tenon_text_sink* sink, tenon_error* error) TENON_NOEXCEPT;

  /**
   * Passes a page of records as JSON to `sink`: {"items":[…],"next":…}. With TENON_DB_AUTOCOMMIT
   * the call uses its own transaction. `sink` gets at most one text: the page, or on an error a
   * problem document (RFC 9457) as JSON.
   * [thread] any that may block, one at a time for a transaction [state] starting, active, quiescing [memory] borrowed; the text is the host's
   */
  tenon_code (*list)(const tenon_host* host, const tenon_tables_actor* actor,
                     tenon_handle transaction, const tenon_tables_query* query,
                     const tenon_text_sink* sink, tenon_error* error) TENON_NOEXCEPT;

  /**
   * Creates a record from a JSON object and passes it to `sink` as `actor` sees it. `sink` may be
   * NULL. With TENON_DB_AUTOCOMMIT the call uses its own transaction; uploaded files can be
   * attached only then. If the write fails in a given transaction, that whole transaction is rolled
   * back, because rules are checked after the record is written. `sink` gets at most one
   * text: the record after the call has succeeded, or on an error a problem document (RFC 9457) as
   * JSON.
   * [thread] any that may block, one at a time for a transaction [state] starting, active, quiescing [memory] borrowed; the text is the host's
   */
  tenon_code (*insert)(const tenon_host* host, const tenon_tables_actor* actor,
                       tenon_handle transaction, tenon_span table, tenon_span record,
                       const tenon_text_sink* sink, tenon_error* error) TENON_NOEXCEPT;

  /**
   * Changes the fields of a record that the JSON object `fields` contains, and passes the record to
   * `sink` as `actor` sees it. `sink` may be NULL. `if_match` is the value of the header field
   * If-Match, empty for any version; a mismatch is 412 records.conflict. With TENON_DB_AUTOCOMMIT
   * the call uses its own transaction; uploaded files can be attached only then. If the write fails
   * in a given transaction, that whole transaction is rolled back. `sink` gets at most one text, as
   * for insert().
   * [thread] any that may block, one at a time for a transaction [state] starting, active, quiescing [memory] borrowed; the text is the host's
   */
  tenon_code (*update)(const tenon_host* host, const tenon_tables_actor* actor,
                       tenon_handle transaction, tenon_span table, tenon_span id, tenon_span fields,
                       tenon_span if_match, const tenon_text_sink* sink,
                       tenon_error* error) TENON_NOEXCEPT;

  /**
   * Deletes a record. `if_match` is the value of the header field If-Match, empty for any version;
   * a mismatch is 412 records.conflict. With TENON_DB_AUTOCOMMIT the call uses its own transaction.
   * If the write fails in a given transaction, that whole transaction is rolled back. `sink` may be
   * NULL; on an error it may get a problem document (RFC 9457) as JSON, and nothing otherwise.
   * [thread] any that may block, one at a time for a transaction [state] starting, active, quiescing [memory] borrowed; the text is the host's
   */
  tenon_code (*remove)(const tenon_host* host, const tenon_tables_actor* actor,
                       tenon_handle transaction, tenon_span table, tenon_span id,
                       tenon_span if_match, const tenon_text_sink* sink,
                       tenon_error* error) TENON_NOEXCEPT;
} tenon_tables;

TENON_EXTERN_C_END

#endif
