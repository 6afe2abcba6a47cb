/*
 * The entry point of a plugin, and the structs through which host and plugin call each other.
 *
 * The life cycle of a plugin:
 *
 * 1. The host reads the plugin facts from the ELF section TENON_FACTS_SECTION, before it opens the
 *    library.
 *
 * 2. The host opens the library. Constructors of the library must have no effect outside its own
 *    memory.
 *
 * 3. entry.create(host, …): the plugin gets interfaces and registers routes. The database is not
 *    migrated yet.
 *
 * 4. The host migrates the plugin's tables.
 *
 * 5. plugin.start: the plugin may use the database. plugin.health follows.
 *
 * 6. The plugin is active. The host calls its routes.
 *
 * 7. plugin.quiesce: no new calls arrive and calls in progress finish. The plugin cancels pending
 *    work.
 *
 * 8. When all calls have returned, the host calls plugin.stop, drops all callbacks and calls
 *    plugin.destroy.
 *
 * 9. The host closes the library.
 */
#ifndef TENON_ENTRY_H
#define TENON_ENTRY_H

#include <stddef.h>

#include <tenon/abi.h>

TENON_EXTERN_C_BEGIN

typedef struct tenon_host tenon_host;
typedef struct tenon_plugin tenon_plugin;

/** The host, as one plugin sees it. Valid from create until destroy has returned. */
struct tenon_host {
  uint32_t size;
  uint16_t abi_major;
  uint16_t abi_minor;
  void* impl;           /* private to the host */
  tenon_span version;   /* semantic version of the host */
  tenon_span plugin_id; /* id of this plugin */
  uint64_t instance;    /* identifies this run of the host */
  uint64_t generation;  /* number of this activation of the plugin; increases */

  /**
   * Returns the function table of the interface `id` ("tenon.http/1"), with at least `need` bytes
   * (TENON_NEED). Returns NULL if this host does not have the interface or has fewer bytes of it.
   * The table is valid as long as the host.
   * [thread] any [state] all [memory] the host's
   */
  const void* (*get_interface)(const tenon_host* host, tenon_span id, uint32_t need)TENON_NOEXCEPT;
};

/** The plugin, as the host sees it. entry.create makes it in the plugin's memory. Valid until
 * destroy. */
struct tenon_plugin {
  uint32_t size;
  uint32_t flags; /* must be 0 */
  void* impl;     /* private to the plugin */

  /**
   * Starts the plugin. On an error the plugin does not become active: the host calls destroy, but
   * not stop.
   * [thread] one of the host's [state] starting [memory] `error` is the host's
   */
  tenon_code (*start)(tenon_plugin* plugin, tenon_error* error) TENON_NOEXCEPT;

  /**
   * Prepares the plugin for stop. No new calls arrive. Respond to pending requests or cancel them
   * within `deadline_ms` milliseconds. May be NULL.
   * [thread] one of the host's [state] quiescing [memory] –
   */
  tenon_code (*quiesce)(tenon_plugin* plugin, uint32_t deadline_ms) TENON_NOEXCEPT;

  /**
   * Stops the plugin. All calls have returned. End threads and release resources here. May be NULL.
   * [thread] one of the host's [state] stopping [memory] –
   */
  tenon_code (*stop)(tenon_plugin* plugin) TENON_NOEXCEPT;

  /**
   * Frees the plugin. The host struct is invalid afterwards.
   * [thread] one of the host's [state] stopping, or after a failed create or start [memory] `plugin` is freed
   */
  void (*destroy)(tenon_plugin* plugin) TENON_NOEXCEPT;

  /**
   * Returns an interface that the plugin offers to the host, or NULL. May be NULL.
   * [thread] any [state] starting, active [memory] the plugin's
   */
  const void* (*get_interface)(tenon_plugin* plugin, tenon_span id, uint32_t need)TENON_NOEXCEPT;

  /**
   * Checks whether the plugin can work. Returns TENON_OK, or an error whose message explains the
   * problem to the admin. The function must return within seconds and must change nothing.
   *
   * The host calls it once after start, before requests arrive. An error then keeps the plugin from
   * becoming active: stop and destroy follow. If the plugin was to replace another version, that
   * version continues to run. While the plugin is active, the host calls it periodically,
   * concurrently with requests. An error then is shown to the admin and has no other effect. May be
   * NULL.
   * [thread] one of the host's [state] starting, active [memory] `error` is the host's
   */
  tenon_code (*health)(tenon_plugin* plugin, tenon_error* error) TENON_NOEXCEPT;
};

/** The only symbol that a plugin exports, named TENON_ENTRY_SYMBOL. */
typedef struct tenon_plugin_entry {
  uint64_t magic; /* TENON_ENTRY_MAGIC */
  uint32_t size;
  uint16_t abi_major;        /* ABI version that the plugin was built against */
  uint16_t abi_minor;        /* ABI version that the plugin was built against */
  uint16_t needs_host_minor; /* lowest minor ABI version that the host must offer */
  uint16_t reserved;
  uint32_t flags;     /* must be 0 */
  tenon_span id;      /* must match plugin.json */
  tenon_span version; /* must match plugin.json */

  /**
   * Creates the plugin. On an error it must release everything that it acquired and must not change
   * `*plugin`.
   * [thread] one of the host's [state] created [memory] `*plugin` is the plugin's until destroy
   */
  tenon_code (*create)(const tenon_host* host, tenon_plugin** plugin,
                       tenon_error* error) TENON_NOEXCEPT;
} tenon_plugin_entry;

#define TENON_ENTRY_SYMBOL "tenon_plugin_entry_v1"
#define TENON_ENTRY_MAGIC UINT64_C(0x314e4f4e4554007f) /* bytes 7f 00 'T' 'E' 'N' 'O' 'N' '1' */

/** The ELF section with the plugin facts, one zero-terminated JSON object:
 * {"id","version","abi":{"major","minor"},"needs_host_minor"} */
#define TENON_FACTS_SECTION ".tenon.plugin"

#define TENON_TEXT_(x) #x
#define TENON_TEXT(x) TENON_TEXT_(x)

/** Writes the plugin facts into their section. Use it once in a plugin; tenon_add_plugin() of the
 * SDK does this for you. */
#define TENON_PLUGIN_FACTS(id_text, version_text, needs_minor)              \
  __attribute__((section(TENON_FACTS_SECTION), used, visibility("hidden"))) \
  const char tenon_plugin_facts[] =                                         \
      "{\"id\":\"" id_text "\",\"version\":\"" version_text                 \
      "\",\"abi\":{\"major\":0,\"minor\":13},\"needs_host_minor\":" TENON_TEXT(needs_minor) "}"

/** Marks the entry for export. */
#define TENON_EXPORT __attribute__((visibility("default")))

TENON_EXTERN_C_END

#endif
