/* tenon.search/1: full-text search over the plugin's declared tables with searchable fields, by the
 * indexes and rules that GET /api/<plugin>/<table>?q= has. Pages, filters and whole records of one
 * table are tenon.tables/1. */
#ifndef TENON_SEARCH_H
#define TENON_SEARCH_H

#include <tenon/entry.h>
#include <tenon/tables.h>

TENON_EXTERN_C_BEGIN

#define TENON_SEARCH_ID "tenon.search/1"

/** What is looked for, and where. */
typedef struct tenon_search_query {
  uint32_t size;
  uint32_t flags;           /* 0 */
  tenon_span text;          /* as q: words, "phrases", -exclusions; at most 512 bytes */
  const tenon_span* tables; /* each once */
  uint32_t table_count;     /* 0: all declared tables with searchable fields */
  uint32_t limit;           /* 1…200; 0: 20 */
} tenon_search_query;

typedef struct tenon_search {
  uint32_t size;
  uint32_t reserved;

  /**
   * Gives {"items":[{"table","id","title","highlight"}],"more":…} as JSON to `sink`: what `actor`
   * may see, the best first, over all tables together. `title` is the beginning of the first
   * searchable field, `highlight` the pieces of text around what was found; `more` says that there
   * is more than the limit. Tables that were not named, and where `actor` may see nothing, are left
   * out. On an error `sink` gets the problem as from tenon.tables/1. With TENON_DB_AUTOCOMMIT each
   * table is read as it is then, else as `transaction` sees it.
   * [thread] any that may block, one at a time for a transaction [state] starting, active, quiescing [memory] borrowed; the text is the host's
   */
  tenon_code (*find)(const tenon_host* host, const tenon_tables_actor* actor,
                     tenon_handle transaction, const tenon_search_query* query,
                     const tenon_db_sink* sink, tenon_error* error) TENON_NOEXCEPT;
} tenon_search;

TENON_EXTERN_C_END

#endif
