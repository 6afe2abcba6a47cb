/* tenon.db/1: the plugin's own database. Every value is bound; every commit is durable when it
 * returns, every write when it is done. */
#ifndef TENON_DB_H
#define TENON_DB_H

#include <tenon/entry.h>

TENON_EXTERN_C_BEGIN

#define TENON_DB_ID "tenon.db/1"

#define TENON_DB_READ 1u  /* one consistent snapshot; any number at a time */
#define TENON_DB_WRITE 2u /* one at a time; reads its own writes */

/** A transaction of its own for one statement, where a transaction's handle is asked for. */
#define TENON_DB_AUTOCOMMIT UINT64_C(0)

/* What keeps a database. */
#define TENON_DB_SQLITE 1u
#define TENON_DB_POSTGRESQL 2u

/** What a statement changed. */
typedef struct tenon_db_result {
  uint32_t size;
  uint32_t reserved;
  int64_t changes;     /* rows inserted, updated or deleted */
  int64_t last_row_id; /* of the last insert into a table with a rowid */
} tenon_db_result;

/** Some rows of a query, row after row. Borrowed: valid until next or close of the cursor, or the
 * end of its transaction. */
typedef struct tenon_db_batch {
  uint32_t size;
  uint32_t columns;
  uint32_t rows;
  uint32_t more;           /* 0: these were the last */
  const tenon_cell* cells; /* rows × columns */
  const tenon_span* names; /* of the columns */
} tenon_db_batch;

#define TENON_DB_JSON_ROWS 1u /* an array of objects, one a row; "[]" when there is none */
#define TENON_DB_JSON_ROW 2u  /* the first row as an object; the rest is left */

/** Takes a text that the host lends for this one call, on the thread of the function that it was
 * given to, before that returns. Frozen. */
typedef struct tenon_db_sink {
  void (*fn)(void* ctx, tenon_span text) TENON_NOEXCEPT;
  void* ctx;
} tenon_db_sink;

/** A write transaction that nobody waits for. `fn` is called at most once, when it has the turn to
 * write, with a transaction that is over when it returns: committed with a code of 0 or above,
 * undone with one below 0 or by rollback. While it runs everybody else who writes waits: it must be
 * quick, and may use exec, query, query_json, next and close of that transaction, and nothing else
 * that waits. `done` is called exactly once after it, when the transaction is on disk or nothing of
 * it is kept: with TENON_OK, with the code that `fn` failed with and no error, or with the host's
 * code and error; it must not wait. Both come on any thread of the host. `done` may be called
 * before write() returns. Frozen. */
typedef struct tenon_db_work {
  tenon_code (*fn)(void* ctx, tenon_handle transaction) TENON_NOEXCEPT;
  void (*done)(void* ctx, tenon_code code, const tenon_error* error) TENON_NOEXCEPT;
  void* ctx;
  void (*drop)(void* ctx) TENON_NOEXCEPT; /* may be NULL; called once, after done */
} tenon_db_work;

/** A batch of a migration, lent to its function. */
typedef struct tenon_db_migration_batch {
  uint32_t size;
  uint32_t number;          /* of the migration */
  tenon_handle transaction; /* the batch's own; the host commits it, or undoes it */
  int64_t done;             /* as the batch before left it; 0 for the first */
  int64_t total;
  tenon_span checkpoint; /* as the batch before left it; empty for the first */
} tenon_db_migration_batch;

/** Where a batch leaves off, in memory of the host, which sets `size`. */
typedef struct tenon_db_migration_progress {
  uint32_t size;
  uint32_t checkpoint_size; /* bytes of `checkpoint` */
  int64_t done;             /* for people: how far it is */
  int64_t total;            /* 0: not known */
  char checkpoint[1024];    /* UTF-8; what the next batch needs to go on */
} tenon_db_migration_progress;

/** A migration that is a function, called for one batch after the other, each a transaction that is
 * committed together with its place: TENON_OK, there is more; TENON_DONE, it is done. Below 0
 * undoes the batch and keeps the plugin from becoming active; the next start goes on with it. It
 * may use exec, query, query_json, next and close of that transaction, for at most 30 s. Frozen. */
typedef struct tenon_db_migration {
  tenon_code (*fn)(void* ctx, const tenon_db_migration_batch* batch,
                   tenon_db_migration_progress* progress, tenon_error* error) TENON_NOEXCEPT;
  void* ctx;
  void (*drop)(void* ctx) TENON_NOEXCEPT; /* may be NULL */
} tenon_db_migration;

typedef struct tenon_db {
  uint32_t size;
  uint32_t reserved;

  /**
   * Opens a transaction. It ends by itself, undone, `deadline_ms` milliseconds from now (0: the
   * host's default of 5,000; at most 60,000). Waits for its turn to write; TENON_E_BUSY when too
   * many wait.
   * [thread] any that may block [state] starting, active, quiescing [memory] out-parameters are the caller's
   */
  tenon_code (*begin)(const tenon_host* host, uint32_t mode, uint32_t deadline_ms,
                      tenon_handle* transaction, tenon_error* error) TENON_NOEXCEPT;

  /**
   * Runs one statement that returns no rows. `result` may be NULL.
   * [thread] any that may block, one at a time for a transaction [state] starting, active, quiescing [memory] borrowed
   */
  tenon_code (*exec)(const tenon_host* host, tenon_handle transaction, tenon_span sql,
                     const tenon_cell* cells, uint32_t cell_count, tenon_db_result* result,
                     tenon_error* error) TENON_NOEXCEPT;

  /**
   * Runs one statement and gives its first rows, at most 1,024 rows or about 256 KiB, and a cursor
   * that must be closed. With TENON_DB_AUTOCOMMIT the statement must only read; its snapshot lives
   * as long as the cursor.
   * [thread] any that may block, one at a time for a transaction [state] starting, active, quiescing [memory] the rows are the host's
   */
  tenon_code (*query)(const tenon_host* host, tenon_handle transaction, tenon_span sql,
                      const tenon_cell* cells, uint32_t cell_count, tenon_handle* cursor,
                      tenon_db_batch* batch, tenon_error* error) TENON_NOEXCEPT;

  /**
   * The next rows, or TENON_DONE.
   * [thread] any that may block, one at a time for a cursor [state] starting, active, quiescing [memory] the rows are the host's
   */
  tenon_code (*next)(const tenon_host* host, tenon_handle cursor, tenon_db_batch* batch,
                     tenon_error* error) TENON_NOEXCEPT;

  /**
   * Releases a cursor and its rows. The end of a transaction closes its cursors.
   * [thread] any [state] all [memory] the rows are gone
   */
  tenon_code (*close)(const tenon_host* host, tenon_handle cursor) TENON_NOEXCEPT;

  /**
   * Makes a write transaction durable; returns when it is on disk. On an error nothing of it is
   * kept. The handle is over either way.
   * [thread] any that may block [state] starting, active, quiescing [memory] –
   */
  tenon_code (*commit)(const tenon_host* host, tenon_handle transaction,
                       tenon_error* error) TENON_NOEXCEPT;

  /**
   * Undoes a transaction. The handle is over.
   * [thread] any [state] all [memory] –
   */
  tenon_code (*rollback)(const tenon_host* host, tenon_handle transaction) TENON_NOEXCEPT;

  /**
   * Runs one statement that reads and gives its rows as JSON text, at most 16 MiB, to `sink`:
   * members are named after the columns, in their order. Integers are written with all their digits
   * (beyond 2^53 JavaScript rounds them), numbers as short as they can be, blobs in base64 (RFC
   * 4648, padded), NULL and what is not finite as null; bytes that are not UTF-8 become U+FFFD. A
   * column named "x:boolean" becomes the member x, true or false; one named "x:json" the member x,
   * whose text is taken as JSON (TENON_E_SQL when it is none). TENON_DONE, and sink is not called,
   * when TENON_DB_JSON_ROW finds no row.
   * [thread] any that may block, one at a time for a transaction [state] starting, active, quiescing [memory] the text is the host's
   */
  tenon_code (*query_json)(const tenon_host* host, tenon_handle transaction, uint32_t shape,
                           tenon_span sql, const tenon_cell* cells, uint32_t cell_count,
                           const tenon_db_sink* sink, tenon_error* error) TENON_NOEXCEPT;

  /**
   * Queues a write transaction and returns at once. `deadline_ms` as in begin, from now on.
   * TENON_E_BUSY when too many wait. On an error neither `fn` nor `done` is called, `drop` is.
   * [thread] any [state] starting, active, quiescing [memory] ctx is the plugin's until drop
   */
  tenon_code (*write)(const tenon_host* host, uint32_t deadline_ms, const tenon_db_work* work,
                      tenon_error* error) TENON_NOEXCEPT;

  /**
   * Adds a migration that is a function, 1 to 9,999, once for a number, at most 100. What has not
   * run in this database runs in the order of the numbers, between the tables' own migration and
   * start; the plugin is not active meanwhile. `name` is 1…64 of [a-z0-9_].
   * [thread] the calling one of create [state] created [memory] `name` borrowed; the migration is the host's to drop, also on an error
   */
  tenon_code (*migrate)(const tenon_host* host, uint32_t number, tenon_span name,
                        const tenon_db_migration* migration, tenon_error* error) TENON_NOEXCEPT;

  /**
   * What keeps the plugin's database: TENON_DB_SQLITE or TENON_DB_POSTGRESQL, for statements that
   * the two write differently. The same as long as the host runs.
   * [thread] any [state] all [memory] `engine` is the caller's
   */
  tenon_code (*engine)(const tenon_host* host, uint32_t* engine) TENON_NOEXCEPT;
} tenon_db;

TENON_EXTERN_C_END

#endif
