/* tenon.settings/1: the plugin's settings, one JSON value a key, kept by the host. */
#ifndef TENON_SETTINGS_H
#define TENON_SETTINGS_H

#include <tenon/entry.h>

TENON_EXTERN_C_BEGIN

#define TENON_SETTINGS_ID "tenon.settings/1"

/** Told of a change after it is kept; `json` is empty when the key was removed. Frozen. */
typedef struct tenon_settings_watcher {
  void (*fn)(void* ctx, tenon_span key, tenon_span json) TENON_NOEXCEPT;
  void* ctx;
  void (*drop)(void* ctx) TENON_NOEXCEPT; /* may be NULL */
} tenon_settings_watcher;

typedef struct tenon_settings {
  uint32_t size;
  uint32_t reserved;

  /**
   * Copies the JSON text of a value into `buffer`; `*length` is its length in bytes.
   * TENON_E_TOO_LARGE: `capacity` is below `*length`, nothing is copied. TENON_E_NOT_FOUND: neither
   * set nor given a default in plugin.json.
   * [thread] any [state] all [memory] `buffer` and `length` are the caller's
   */
  tenon_code (*get)(const tenon_host* host, tenon_span key, char* buffer, uint64_t capacity,
                    uint64_t* length) TENON_NOEXCEPT;

  /**
   * Keeps a value: JSON text of at most 64 KiB, durable at the return. An empty `json` removes the
   * key. Keys are 1…64 of [a-z0-9_.-].
   * [thread] any that may block [state] starting, active, quiescing [memory] borrowed
   */
  tenon_code (*set)(const tenon_host* host, tenon_span key, tenon_span json,
                    tenon_error* error) TENON_NOEXCEPT;

  /**
   * Registers a watcher of every key.
   * [thread] the calling one of create or start [state] created, starting [memory] the host's to drop, also on an error
   */
  tenon_code (*watch)(const tenon_host* host, const tenon_settings_watcher* watcher) TENON_NOEXCEPT;
} tenon_settings;

TENON_EXTERN_C_END

#endif
