/* tenon.tables/1: records of the plugin's declared tables as requests meet them, with rules,
 * checks, files and all that follows from a change; and code of the plugin where requests write and
 * read them. Where nothing is registered no code of the plugin runs. tenon.db/1 is below all of it:
 * its SQL asks no rule and calls no callback but those after a write. */
#ifndef TENON_TABLES_H
#define TENON_TABLES_H

#include <tenon/db.h>
#include <tenon/entry.h>

TENON_EXTERN_C_BEGIN

#define TENON_TABLES_ID "tenon.tables/1"

/* What is done to a record; a set of them where it says operations. */
#define TENON_TABLES_CREATE 1u
#define TENON_TABLES_UPDATE 2u
#define TENON_TABLES_DELETE 4u
/* Of tenon_tables_change: changes of this table are not known any more. Look at all of it. */
#define TENON_TABLES_GAP 8u

/* Flag of tenon_tables_actor and tenon_tables_write: no rule is asked; every declared field that is
 * not computed may be written, hidden and read-only ones too. */
#define TENON_TABLES_AS_SYSTEM 1u
/* Flag of tenon_tables_query: the answer says how many there are. */
#define TENON_TABLES_COUNT 1u

/** For whom records are read and written: what @user is, and who is named as author. */
typedef struct tenon_tables_actor {
  uint32_t size;
  uint32_t flags;      /* TENON_TABLES_AS_SYSTEM */
  tenon_handle source; /* a request or a write: whoever makes it; 0: see user */
  tenon_span user;     /* an id; empty: nobody */
} tenon_tables_actor;

/** A write that is about to be made, and that all rules before it let through. Borrowed: valid
 * until the callback returns; both handles are over then. */
typedef struct tenon_tables_write {
  uint32_t size;
  uint32_t operation;       /* one of TENON_TABLES_CREATE, _UPDATE and _DELETE */
  tenon_handle handle;      /* for set, refuse and tenon_tables_actor.source */
  tenon_handle transaction; /* the one that it is made in: for tenon.db/1 and for get to remove */
  tenon_span table;
  tenon_span id;
  tenon_span before; /* all fields of the record as it is, JSON; empty for a create */
  tenon_span change; /* the fields that are set, JSON; empty for a delete */
  tenon_span user;   /* id of who asks; empty: nobody */
  uint32_t flags;    /* TENON_TABLES_AS_SYSTEM */
  uint32_t reserved;
} tenon_tables_write;

/** Runs inside the transaction of a write, which has the turn to write: everybody else who writes
 * waits, so it must be quick (after 1 s the write is undone), must not wait, and may use that
 * transaction only. With a code of 0 or above the write goes on, with what was set; below 0 it is
 * undone, and `error` answers whoever asked where its status is 400…499, else 500. What is written
 * in here calls no callback before a write. Frozen. */
typedef struct tenon_tables_before {
  tenon_code (*fn)(void* ctx, const tenon_tables_write* write, tenon_error* error) TENON_NOEXCEPT;
  void* ctx;
  void (*drop)(void* ctx) TENON_NOEXCEPT; /* may be NULL */
} tenon_tables_before;

/** What was done to a record. */
typedef struct tenon_tables_change {
  uint32_t size;
  uint32_t operation; /* one of TENON_TABLES_CREATE, _UPDATE, _DELETE and _GAP */
  int64_t sequence;   /* of the change in the plugin's log; ascends */
  tenon_span id;      /* empty for TENON_TABLES_GAP */
} tenon_tables_change;

/** Is told of changes of a table that are on disk, whoever made them, in their order, at least
 * once: where it fails, or the host ends before it returned, they come again. May block and write.
 * A code below 0 has the same changes told again later, and all that follow wait. Frozen. */
typedef struct tenon_tables_after {
  tenon_code (*fn)(void* ctx, tenon_span table, const tenon_tables_change* const* changes,
                   uint32_t change_count, tenon_error* error) TENON_NOEXCEPT;
  void* ctx;
  void (*drop)(void* ctx) TENON_NOEXCEPT; /* may be NULL */
} tenon_tables_after;

/** The records of one answer. Borrowed: valid until the callback returns; `handle` is over then. */
typedef struct tenon_tables_page {
  uint32_t size;
  uint32_t count;      /* of records: 1…200 */
  tenon_handle handle; /* for add */
  tenon_span table;
  const tenon_span* records; /* each as its reader sees it, JSON, with its id */
  tenon_span user;           /* id of the reader; empty: nobody */
} tenon_tables_page;

/** Adds to the records of an answer, all of them at once; may block. On a code below 0 the answer
 * goes out without. Frozen. */
typedef struct tenon_tables_extender {
  tenon_code (*fn)(void* ctx, const tenon_tables_page* page, tenon_error* error) TENON_NOEXCEPT;
  void* ctx;
  void (*drop)(void* ctx) TENON_NOEXCEPT; /* may be NULL */
} tenon_tables_extender;

/** Which records. Empty texts ask for nothing; they are as in GET /api/<plugin>/<table>. */
typedef struct tenon_tables_query {
  uint32_t size;
  uint32_t flags; /* TENON_TABLES_COUNT */
  tenon_span table;
  tenon_span filter;        /* an expression; each ? outside of texts is a value */
  const tenon_cell* values; /* null, integer, number or text, as many as there are ? */
  uint32_t value_count;     /* at most 100 */
  uint32_t limit;           /* 1…200; 0: 50 */
  tenon_span search;        /* as q */
  tenon_span sort;
  tenon_span fields;
  tenon_span expand;
  tenon_span cursor; /* "next" of an earlier answer */
} tenon_tables_query;

typedef struct tenon_tables {
  uint32_t size;
  uint32_t reserved;

  /**
   * Asks `before` about writes of a declared table, once for a table. Writes by SQL, and what goes
   * with a record that is deleted, ask nobody. An unknown table keeps the plugin from becoming
   * active.
   * [thread] the calling one of create [state] created [memory] `table` borrowed; the callback is the host's to drop, also on an error
   */
  tenon_code (*before_write)(const tenon_host* host, tenon_span table, uint32_t operations,
                             const tenon_tables_before* before, tenon_error* error) TENON_NOEXCEPT;

  /**
   * Tells `after` of changes of a published table, once for a table: of all since the plugin was
   * first active with such a callback, also of those that were made while nobody was told. A change
   * that is older than the log of changes reaches is not forgotten silently: TENON_TABLES_GAP
   * stands for it.
   * [thread] the calling one of create [state] created [memory] `table` borrowed; the callback is the host's to drop, also on an error
   */
  tenon_code (*after_write)(const tenon_host* host, tenon_span table,
                            const tenon_tables_after* after, tenon_error* error) TENON_NOEXCEPT;

  /**
   * Has `extender` add to lists and single records of a published table as they are read over HTTP,
   * once for a table. What it adds stands in the record's member "extra".
   * [thread] the calling one of create [state] created [memory] `table` borrowed; the callback is the host's to drop, also on an error
   */
  tenon_code (*extend)(const tenon_host* host, tenon_span table,
                       const tenon_tables_extender* extender, tenon_error* error) TENON_NOEXCEPT;

  /**
   * Sets fields of a record that is about to be created or changed: a JSON object, checked as a
   * body of a request, and not asked for the rules of fields. Files cannot be set. TENON_E_INVALID
   * names what is wrong, and sets nothing; TENON_E_STATE for a delete.
   * [thread] any, inside the callback [state] starting, active, quiescing [memory] borrowed
   */
  tenon_code (*set)(const tenon_host* host, tenon_handle write, tenon_span fields,
                    tenon_error* error) TENON_NOEXCEPT;

  /**
   * Says what is wrong with a field; the write is then undone and answered with 422
   * records.validation, whatever the callback returns. At most 100.
   * [thread] any, inside the callback [state] starting, active, quiescing [memory] borrowed
   */
  tenon_code (*refuse)(const tenon_host* host, tenon_handle write, tenon_span field,
                       tenon_span code, tenon_span message) TENON_NOEXCEPT;

  /**
   * Adds to the record at `index` of a page: a JSON object of at most 64 KiB, which takes the place
   * of one that was added before.
   * [thread] any, inside the callback [state] starting, active, quiescing [memory] borrowed
   */
  tenon_code (*add)(const tenon_host* host, tenon_handle page, uint32_t index, tenon_span extra,
                    tenon_error* error) TENON_NOEXCEPT;

  /**
   * Gives a record as JSON to `sink`; TENON_E_NOT_FOUND also where `actor` may not see it. On an
   * error of these five `sink` gets the problem (RFC 9457) as JSON, where there is one: it may be
   * answered as it is. With TENON_DB_AUTOCOMMIT they have a transaction of their own.
   * [thread] any that may block, one at a time for a transaction [state] starting, active, quiescing [memory] borrowed; the text is the host's
   */
  tenon_code (*get)(const tenon_host* host, const tenon_tables_actor* actor,
                    tenon_handle transaction, tenon_span table, tenon_span id,
                    const tenon_db_sink* sink, tenon_error* error) TENON_NOEXCEPT;

  /**
   * Gives {"items":[…],"next":…} as JSON to `sink`.
   * [thread] any that may block, one at a time for a transaction [state] starting, active, quiescing [memory] borrowed; the text is the host's
   */
  tenon_code (*list)(const tenon_host* host, const tenon_tables_actor* actor,
                     tenon_handle transaction, const tenon_tables_query* query,
                     const tenon_db_sink* sink, tenon_error* error) TENON_NOEXCEPT;

  /**
   * Makes a record of a JSON object and gives it as `actor` sees it; `sink` may be NULL. Files of
   * uploads are taken with TENON_DB_AUTOCOMMIT only. Where a write fails in a transaction that was
   * given, that is undone as a whole, for rules are asked of what is written already.
   * [thread] any that may block, one at a time for a transaction [state] starting, active, quiescing [memory] borrowed; the text is the host's
   */
  tenon_code (*insert)(const tenon_host* host, const tenon_tables_actor* actor,
                       tenon_handle transaction, tenon_span table, tenon_span record,
                       const tenon_db_sink* sink, tenon_error* error) TENON_NOEXCEPT;

  /**
   * Changes the fields of a record that stand in a JSON object; as insert. `if_match` as the header
   * field, empty for any: 412 records.conflict.
   * [thread] any that may block, one at a time for a transaction [state] starting, active, quiescing [memory] borrowed; the text is the host's
   */
  tenon_code (*update)(const tenon_host* host, const tenon_tables_actor* actor,
                       tenon_handle transaction, tenon_span table, tenon_span id, tenon_span fields,
                       tenon_span if_match, const tenon_db_sink* sink,
                       tenon_error* error) TENON_NOEXCEPT;

  /**
   * Deletes a record; as update. `sink` gets a problem only.
   * [thread] any that may block, one at a time for a transaction [state] starting, active, quiescing [memory] borrowed; the text is the host's
   */
  tenon_code (*remove)(const tenon_host* host, const tenon_tables_actor* actor,
                       tenon_handle transaction, tenon_span table, tenon_span id,
                       tenon_span if_match, const tenon_db_sink* sink,
                       tenon_error* error) TENON_NOEXCEPT;
} tenon_tables;

TENON_EXTERN_C_END

#endif
