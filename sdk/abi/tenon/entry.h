/*
 * How host and plugin meet: the entry, the host's side, the plugin's side.
 *
 * Life of a plugin in the host:
 *   1. the host reads the facts from the ELF section TENON_FACTS_SECTION, before the library is
 * opened
 *   2. the library is opened; its constructors must have no effect outside their own memory
 *   3. entry.create(host, …): ask for interfaces, register routes; the database is not migrated yet
 *   4. the host migrates the plugin's tables
 *   5. plugin.start: the database may be used; then plugin.health
 *   6. active: routes are called
 *   7. plugin.quiesce: no new calls come; calls in flight finish; give up what waits
 *   8. every lease is back: plugin.stop, then the host drops every callback, then plugin.destroy
 *   9. the library is closed
 */
#ifndef TENON_ENTRY_H
#define TENON_ENTRY_H

#include <stddef.h>

#include <tenon/abi.h>

TENON_EXTERN_C_BEGIN

typedef struct tenon_host tenon_host;
typedef struct tenon_plugin tenon_plugin;

/** The host, as one plugin sees it. Valid from create until destroy returned. */
struct tenon_host {
  uint32_t size;
  uint16_t abi_major;
  uint16_t abi_minor;
  void* impl;           /* the host's own */
  tenon_span version;   /* of the host, semantic */
  tenon_span plugin_id; /* of this plugin */
  uint64_t instance;    /* this run of the host */
  uint64_t generation;  /* this activation of the plugin; ascends */

  /**
   * The table of an interface ("tenon.http/1"), at least `need` bytes of it (TENON_NEED); NULL
   * where this host does not know it or knows less. Valid as long as the host.
   * [thread] any [state] all [memory] the host's
   */
  const void* (*get_interface)(const tenon_host* host, tenon_span id, uint32_t need)TENON_NOEXCEPT;
};

/** The plugin, as the host sees it. Made by entry.create, in memory of the plugin, valid until
 * destroy. */
struct tenon_plugin {
  uint32_t size;
  uint32_t flags; /* 0 */
  void* impl;     /* the plugin's own */

  /**
   * Begin to work. An error keeps the plugin from becoming active; destroy follows, stop does not.
   * [thread] one of the host's [state] starting [memory] `error` is the host's
   */
  tenon_code (*start)(tenon_plugin* plugin, tenon_error* error) TENON_NOEXCEPT;

  /**
   * No new calls come. Answer or give up what is pending, within `deadline_ms` milliseconds. May be
   * NULL.
   * [thread] one of the host's [state] quiescing [memory] –
   */
  tenon_code (*quiesce)(tenon_plugin* plugin, uint32_t deadline_ms) TENON_NOEXCEPT;

  /**
   * Every call has returned. End threads, release what was opened. May be NULL.
   * [thread] one of the host's [state] stopping [memory] –
   */
  tenon_code (*stop)(tenon_plugin* plugin) TENON_NOEXCEPT;

  /**
   * Free the plugin. The host struct is gone afterwards.
   * [thread] one of the host's [state] stopping, or after a failed create or start [memory] `plugin` is freed
   */
  void (*destroy)(tenon_plugin* plugin) TENON_NOEXCEPT;

  /**
   * An interface that the plugin offers to the host, or NULL. May be NULL.
   * [thread] any [state] starting, active [memory] the plugin's
   */
  const void* (*get_interface)(tenon_plugin* plugin, tenon_span id, uint32_t need)TENON_NOEXCEPT;

  /**
   * Whether it can do its work: TENON_OK, or an error whose message tells the admin why not. Asked
   * once behind start, before requests come; an error keeps the plugin from becoming active, stop
   * and destroy follow, and where it was to take the place of another version that one goes on.
   * Asked again from time to time while it is active, beside requests; an error is shown then, and
   * changes nothing. Within seconds, and it changes nothing. May be NULL.
   * [thread] one of the host's [state] starting, active [memory] `error` is the host's
   */
  tenon_code (*health)(tenon_plugin* plugin, tenon_error* error) TENON_NOEXCEPT;
};

/** The one symbol that a plugin exports, named TENON_ENTRY_SYMBOL. */
typedef struct tenon_plugin_entry {
  uint64_t magic; /* TENON_ENTRY_MAGIC */
  uint32_t size;
  uint16_t abi_major;        /* the plugin was built against */
  uint16_t abi_minor;        /* the plugin was built against */
  uint16_t needs_host_minor; /* the oldest minor of the host that will do */
  uint16_t reserved;
  uint32_t flags;     /* 0 */
  tenon_span id;      /* as in plugin.json */
  tenon_span version; /* as in plugin.json */

  /**
   * Makes the plugin. On an error nothing is left behind and `*plugin` stays as it is.
   * [thread] one of the host's [state] created [memory] `*plugin` is the plugin's until destroy
   */
  tenon_code (*create)(const tenon_host* host, tenon_plugin** plugin,
                       tenon_error* error) TENON_NOEXCEPT;
} tenon_plugin_entry;

#define TENON_ENTRY_SYMBOL "tenon_plugin_entry_v1"
#define TENON_ENTRY_MAGIC UINT64_C(0x314e4f4e4554007f) /* bytes 7f 00 'T' 'E' 'N' 'O' 'N' '1' */

/** The section that holds the facts as one JSON object, zero-terminated:
 *  {"id","version","abi":{"major","minor"},"needs_host_minor"} */
#define TENON_FACTS_SECTION ".tenon.plugin"

#define TENON_TEXT_(x) #x
#define TENON_TEXT(x) TENON_TEXT_(x)

/** Places the facts; once in a plugin. tenon_add_plugin() of the SDK does it for you. */
#define TENON_PLUGIN_FACTS(id_text, version_text, needs_minor)              \
  __attribute__((section(TENON_FACTS_SECTION), used, visibility("hidden"))) \
  const char tenon_plugin_facts[] =                                         \
      "{\"id\":\"" id_text "\",\"version\":\"" version_text                 \
      "\",\"abi\":{\"major\":0,\"minor\":12},\"needs_host_minor\":" TENON_TEXT(needs_minor) "}"

/** Marks the entry for export. */
#define TENON_EXPORT __attribute__((visibility("default")))

TENON_EXTERN_C_END

#endif
