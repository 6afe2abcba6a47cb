/* tenon.search/1: full-text search over the plugin's declared tables with searchable fields. It
 * uses the indexes and rules of GET /api/<plugin>/<table>?q=. For pages, filters and whole records
 * of one table use tenon.tables/1. */
#ifndef TENON_SEARCH_H
#define TENON_SEARCH_H

#include <tenon/entry.h>
#include <tenon/tables.h>

TENON_EXTERN_C_BEGIN

#define TENON_SEARCH_ID "tenon.search/1"

/** The search text and the tables to search. */
typedef struct tenon_search_query {
  uint32_t size;
  uint32_t flags;           /* must be 0 */
  tenon_span text;          /* like parameter q: words, "phrases", -exclusions; at most 512 bytes */
  const tenon_span* tables; /* each name once */
  uint32_t table_count;     /* 0: all declared tables with searchable fields */
  uint32_t limit;           /* 1…200; 0: 20 */
} tenon_search_query;

typedef struct tenon_search {
  uint32_t size;
  uint32_t reserved;

  /**
   * Searches tables and passes the hits as JSON to `sink`:
   * {"items":[{"table","id","title","highlight"}],"more":…}. The hits are the records that `actor`
   * may see, sorted by rank across all tables. `title` is the beginning of the first searchable
   * field, `highlight` contains the text around the matches, `more` is true if there are more hits
   * than the limit. Tables that are not listed, or of which `actor` may see nothing, are skipped.
   *
   * With TENON_DB_AUTOCOMMIT each table is read in its own snapshot, otherwise in `transaction`. On
   * an error `sink` may get a problem document (RFC 9457) as JSON.
   * [thread] any that may block, one at a time for a transaction [state] starting, active, quiescing [memory] borrowed; the text is the host's
   */
  tenon_code (*find)(const tenon_host* host, const tenon_tables_actor* actor,
                     tenon_handle transaction, const tenon_search_query* query,
                     const tenon_text_sink* sink, tenon_error* error) TENON_NOEXCEPT;
} tenon_search;

TENON_EXTERN_C_END

#endif
