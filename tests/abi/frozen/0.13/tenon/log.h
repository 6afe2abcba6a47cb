/* tenon.log/1: writes lines to the host's log, labelled with the plugin. */
#ifndef TENON_LOG_H
#define TENON_LOG_H

#include <tenon/entry.h>

TENON_EXTERN_C_BEGIN

#define TENON_LOG_ID "tenon.log/1"

#define TENON_LOG_DEBUG 0u
#define TENON_LOG_INFO 1u
#define TENON_LOG_WARNING 2u
#define TENON_LOG_ERROR 3u

/** A named value of a log line. Frozen. */
typedef struct tenon_log_field {
  tenon_span name;
  tenon_span value;
} tenon_log_field;

typedef struct tenon_log {
  uint32_t size;
  uint32_t reserved;

  /**
   * Writes one log line. Messages longer than 4 KiB are truncated; fields after the first 16 are
   * dropped. `request` is the handle of the request that the line belongs to, or 0. Never blocks:
   * if the plugin logs too fast, lines are dropped and counted.
   * [thread] any [state] all [memory] borrowed
   */
  tenon_code (*write)(const tenon_host* host, uint32_t level, tenon_span message,
                      const tenon_log_field* fields, uint32_t field_count,
                      tenon_handle request) TENON_NOEXCEPT;

  /**
   * Checks whether lines of a level are logged. Returns 1 if so, 0 if they are dropped.
   * [thread] any [state] all [memory] –
   */
  tenon_code (*enabled)(const tenon_host* host, uint32_t level) TENON_NOEXCEPT;
} tenon_log;

TENON_EXTERN_C_END

#endif
