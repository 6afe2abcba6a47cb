/* tenon.settings/1: the plugin's settings, one JSON value for each key, stored by the host. */
#ifndef TENON_SETTINGS_H
#define TENON_SETTINGS_H

#include <tenon/entry.h>

TENON_EXTERN_C_BEGIN

#define TENON_SETTINGS_ID "tenon.settings/1"

/** Receives each change after it is stored. `json` is empty if the key was removed. Frozen. */
typedef struct tenon_settings_watcher {
  void (*fn)(void* ctx, tenon_span key, tenon_span json) TENON_NOEXCEPT;
  void* ctx;
  void (*drop)(void* ctx) TENON_NOEXCEPT; /* may be NULL */
} tenon_settings_watcher;

typedef struct tenon_settings {
  uint32_t size;
  uint32_t reserved;

  /**
   * Copies the JSON text of a value into `buffer`. `*length` gets its length in bytes. Returns
   * TENON_E_TOO_LARGE and copies nothing if `capacity` is less than `*length`. Returns
   * TENON_E_NOT_FOUND if the key has neither a value nor a default in plugin.json.
   * [thread] any [state] all [memory] `buffer` and `length` are the caller's
   */
  tenon_code (*get)(const tenon_host* host, tenon_span key, char* buffer, uint64_t capacity,
                    uint64_t* length) TENON_NOEXCEPT;

  /**
   * Stores a value: JSON text of at most 64 KiB. The value is on disk when the function returns. An
   * empty `json` removes the key. A key has 1…64 characters of [a-z0-9_.-].
   * [thread] any that may block [state] starting, active, quiescing [memory] borrowed
   */
  tenon_code (*set)(const tenon_host* host, tenon_span key, tenon_span json,
                    tenon_error* error) TENON_NOEXCEPT;

  /**
   * Registers a callback for changes of all keys.
   * [thread] the calling one of create or start [state] created, starting [memory] the host's to drop, also on an error
   */
  tenon_code (*watch)(const tenon_host* host, const tenon_settings_watcher* watcher) TENON_NOEXCEPT;
} tenon_settings;

TENON_EXTERN_C_END

#endif
