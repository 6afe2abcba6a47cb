/* tenon.db/1: the plugin's own database. All values are bound parameters. A transaction is on disk
 * when commit returns, or when `done` of a queued write is called. */
#ifndef TENON_DB_H
#define TENON_DB_H

#include <tenon/entry.h>

TENON_EXTERN_C_BEGIN

#define TENON_DB_ID "tenon.db/1"

#define TENON_DB_READ 1u  /* one consistent snapshot; any number may run at the same time */
#define TENON_DB_WRITE 2u /* takes the write lock: one at a time; reads its own writes */

/** Use it instead of a transaction handle to run one statement in its own transaction. */
#define TENON_DB_AUTOCOMMIT UINT64_C(0)

/* Database engines. */
#define TENON_DB_SQLITE 1u
#define TENON_DB_POSTGRESQL 2u

/** The effect of a statement. */
typedef struct tenon_db_result {
  uint32_t size;
  uint32_t reserved;
  int64_t changes;     /* rows inserted, updated or deleted */
  int64_t last_row_id; /* rowid of the last insert into a table with a rowid */
} tenon_db_result;

/** A batch of rows of a query, stored row by row. Borrowed: valid until next or close of the
 * cursor, or until its transaction ends. */
typedef struct tenon_db_batch {
  uint32_t size;
  uint32_t columns;
  uint32_t rows;
  uint32_t more;           /* 0: this is the last batch */
  const tenon_cell* cells; /* rows × columns */
  const tenon_span* names; /* names of the columns */
} tenon_db_batch;

#define TENON_DB_JSON_ROWS 1u /* an array, one object for each row; "[]" if there are none */
#define TENON_DB_JSON_ROW 2u  /* the first row as an object; other rows are ignored */

/** Receives a text that is valid for the duration of this call. It is called on the thread of
 * the function that it was passed to, before that function returns. Frozen. */
typedef struct tenon_text_sink {
  void (*fn)(void* ctx, tenon_span text) TENON_NOEXCEPT;
  void* ctx;
} tenon_text_sink;

/**
 * A queued write transaction, which blocks no thread while it waits.
 *
 * `fn` is called at most once, when it holds the write lock. Its transaction ends when `fn`
 * returns: a code of 0 or above commits it, a code below 0 or rollback rolls it back. All other
 * writers wait while `fn` runs, so `fn` must be quick. It may call exec, query, query_json, next
 * and close for that transaction, and no other function that blocks.
 *
 * `done` is called exactly once after that, when the transaction is on disk or has been rolled
 * back. It gets TENON_OK; or the error code of `fn` without an error; or the host's code and error.
 * `done` must not block. Both functions run on any thread of the host. `done` may be called before
 * write() returns. Frozen.
 */
typedef struct tenon_db_work {
  tenon_code (*fn)(void* ctx, tenon_handle transaction) TENON_NOEXCEPT;
  void (*done)(void* ctx, tenon_code code, const tenon_error* error) TENON_NOEXCEPT;
  void* ctx;
  void (*drop)(void* ctx) TENON_NOEXCEPT; /* may be NULL; called once, after done */
} tenon_db_work;

/** A batch of a migration. It is valid until the migration function returns. */
typedef struct tenon_db_migration_batch {
  uint32_t size;
  uint32_t number;          /* number of the migration */
  tenon_handle transaction; /* transaction of this batch; the host commits it or rolls it back */
  int64_t done;             /* value of the previous batch; 0 for the first */
  int64_t total;
  tenon_span checkpoint; /* value of the previous batch; empty for the first */
} tenon_db_migration_batch;

/** The position at which a batch ends. The host owns the memory and sets `size`. */
typedef struct tenon_db_migration_progress {
  uint32_t size;
  uint32_t checkpoint_size; /* bytes of `checkpoint` */
  int64_t done;             /* progress shown to people */
  int64_t total;            /* 0: unknown */
  char checkpoint[1024];    /* UTF-8; the position for the next batch */
} tenon_db_migration_progress;

/**
 * A migration function. The host calls it once for each batch.
 *
 * Each batch is a transaction, which the host commits together with its progress. TENON_OK: more
 * batches follow. TENON_DONE: the migration is complete. A code below 0 rolls the batch back and
 * keeps the plugin from becoming active; the next start continues with that batch. The function may
 * use exec, query, query_json, next and close of its transaction, for at most 30 s a batch. Frozen.
 */
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
   * Opens a transaction. The host rolls it back if it is still open after `deadline_ms`
   * milliseconds (0: the host's default of 5,000; at most 60,000). With TENON_DB_WRITE it waits for
   * the write lock. Returns TENON_E_BUSY if too many writers are waiting.
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
   * Runs one query and returns its first rows, at most 1,024 rows or about 256 KiB, and a cursor.
   * The caller must close the cursor. With TENON_DB_AUTOCOMMIT the statement must be read-only, and
   * its snapshot lasts as long as the cursor.
   * [thread] any that may block, one at a time for a transaction [state] starting, active, quiescing [memory] the rows are the host's
   */
  tenon_code (*query)(const tenon_host* host, tenon_handle transaction, tenon_span sql,
                      const tenon_cell* cells, uint32_t cell_count, tenon_handle* cursor,
                      tenon_db_batch* batch, tenon_error* error) TENON_NOEXCEPT;

  /**
   * Returns the next rows. Returns TENON_DONE if there are none.
   * [thread] any that may block, one at a time for a cursor [state] starting, active, quiescing [memory] the rows are the host's
   */
  tenon_code (*next)(const tenon_host* host, tenon_handle cursor, tenon_db_batch* batch,
                     tenon_error* error) TENON_NOEXCEPT;

  /**
   * Closes a cursor and releases its rows. The end of a transaction closes its cursors.
   * [thread] any [state] all [memory] the rows are gone
   */
  tenon_code (*close)(const tenon_host* host, tenon_handle cursor) TENON_NOEXCEPT;

  /**
   * Commits a write transaction. Returns after it is on disk. On an error the whole transaction is
   * rolled back. The handle is invalid afterwards in both cases.
   * [thread] any that may block [state] starting, active, quiescing [memory] –
   */
  tenon_code (*commit)(const tenon_host* host, tenon_handle transaction,
                       tenon_error* error) TENON_NOEXCEPT;

  /**
   * Rolls a transaction back. The handle is invalid afterwards.
   * [thread] any [state] all [memory] –
   */
  tenon_code (*rollback)(const tenon_host* host, tenon_handle transaction) TENON_NOEXCEPT;

  /**
   * Runs one query and passes its rows as JSON text, at most 16 MiB, to `sink`. `shape` is
   * TENON_DB_JSON_ROWS or TENON_DB_JSON_ROW. Members have the names and the order of the columns.
   *
   * Integers are written with all digits (JavaScript rounds those beyond 2^53). Numbers use the
   * shortest form, blobs are base64 (RFC 4648, padded), NULL and non-finite numbers are null. Bytes
   * that are not UTF-8 become U+FFFD. A column named "x:boolean" becomes the member x with true or
   * false. A column named "x:json" becomes the member x; its text must be JSON, else the function
   * returns TENON_E_SQL.
   *
   * If TENON_DB_JSON_ROW finds no row, the function returns TENON_DONE and does not call `sink`.
   * [thread] any that may block, one at a time for a transaction [state] starting, active, quiescing [memory] the text is the host's
   */
  tenon_code (*query_json)(const tenon_host* host, tenon_handle transaction, uint32_t shape,
                           tenon_span sql, const tenon_cell* cells, uint32_t cell_count,
                           const tenon_text_sink* sink, tenon_error* error) TENON_NOEXCEPT;

  /**
   * Queues a write transaction and returns without waiting. `deadline_ms` is counted from this
   * call: 0 is the host's default of 5,000, at most 60,000. Returns TENON_E_BUSY if too many
   * writers are waiting. On an error the host calls `drop`, and neither `fn` nor `done`.
   * [thread] any [state] starting, active, quiescing [memory] ctx is the plugin's until drop
   */
  tenon_code (*queue_write)(const tenon_host* host, uint32_t deadline_ms, const tenon_db_work* work,
                            tenon_error* error) TENON_NOEXCEPT;

  /**
   * Registers a migration function under a number from 1 to 9,999. Each number may be used once; a
   * plugin may have at most 100. `name` has 1…64 characters of [a-z0-9_]. The host runs migrations
   * that have not run in this database in the order of their numbers, after it has migrated the
   * tables and before start. The plugin is not active meanwhile.
   * [thread] the calling one of create [state] created [memory] `name` borrowed; the migration is the host's to drop, also on an error
   */
  tenon_code (*migrate)(const tenon_host* host, uint32_t number, tenon_span name,
                        const tenon_db_migration* migration, tenon_error* error) TENON_NOEXCEPT;

  /**
   * Returns the engine of the plugin's database: TENON_DB_SQLITE or TENON_DB_POSTGRESQL. Use it for
   * statements that differ between the engines. The value does not change while the host runs.
   * [thread] any [state] all [memory] `engine` is the caller's
   */
  tenon_code (*engine)(const tenon_host* host, uint32_t* engine) TENON_NOEXCEPT;
} tenon_db;

TENON_EXTERN_C_END

#endif
