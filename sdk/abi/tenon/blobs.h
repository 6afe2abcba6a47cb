/* tenon.blobs/1: files of the plugin, named by the SHA-256 of their content, and uploads from
 * browsers. A plugin reaches its own only. A blob that nothing claims is removed after a time of
 * grace (a day, where the admin sets no other). */
#ifndef TENON_BLOBS_H
#define TENON_BLOBS_H

#include <tenon/entry.h>

TENON_EXTERN_C_BEGIN

#define TENON_BLOBS_ID "tenon.blobs/1"

/* Flag of respond: a file to be saved, also where browsers could show it. */
#define TENON_BLOBS_ATTACHMENT 1u

/** What is known of a blob, copied into memory of the caller, who sets `size`. Texts are
 * zero-terminated. */
typedef struct tenon_blob {
  uint32_t size;
  uint32_t claims;
  uint64_t bytes;     /* of the content */
  int64_t created_ms; /* since 1970 */
  char id[72];        /* SHA-256, 64 lower-case hex digits */
  char type[64];      /* image/png, -jpeg, -gif, -webp or -avif, found in its content; empty else */
} tenon_blob;

/** Who may upload what. */
typedef struct tenon_blobs_uploads {
  uint32_t size;
  uint32_t access;         /* TENON_HTTP_SIGNED_IN or TENON_HTTP_PERMISSION */
  tenon_span permission;   /* with TENON_HTTP_PERMISSION */
  uint64_t max_bytes;      /* of one upload; 0: as many as the host takes */
  const tenon_span* types; /* what tenon_blob.type must be one of; none: any content */
  uint32_t type_count;     /* at most 16 */
  uint32_t reserved;
} tenon_blobs_uploads;

typedef struct tenon_blobs {
  uint32_t size;
  uint32_t reserved;

  /**
   * Begins a blob. `writer` must be finished or aborted. TENON_E_BUSY when too many are open.
   * [thread] any that may block [state] starting, active, quiescing [memory] `writer` is the caller's
   */
  tenon_code (*create)(const tenon_host* host, tenon_handle* writer,
                       tenon_error* error) TENON_NOEXCEPT;

  /**
   * Appends to it. TENON_E_TOO_LARGE beyond the largest blob, TENON_E_DISK_FULL when there is no
   * room, on the disk or of the plugin's own. After an error it can only be aborted.
   * [thread] any that may block, one at a time for a writer [state] starting, active, quiescing [memory] borrowed
   */
  tenon_code (*write)(const tenon_host* host, tenon_handle writer, tenon_span bytes,
                      tenon_error* error) TENON_NOEXCEPT;

  /**
   * Makes it a blob; on disk at the return. Nothing claims it yet. On an error nothing of it is
   * kept. The handle is over either way. `blob` may be NULL.
   * [thread] any that may block [state] starting, active, quiescing [memory] `blob` is the caller's
   */
  tenon_code (*finish)(const tenon_host* host, tenon_handle writer, tenon_blob* blob,
                       tenon_error* error) TENON_NOEXCEPT;

  /**
   * Drops what was written. The handle is over.
   * [thread] any [state] all [memory] –
   */
  tenon_code (*abort)(const tenon_host* host, tenon_handle writer) TENON_NOEXCEPT;

  /**
   * Opens a blob, which must be closed; it stays readable when it is removed meanwhile.
   * TENON_E_NOT_FOUND. `blob` may be NULL.
   * [thread] any that may block [state] starting, active, quiescing [memory] `id` borrowed; out-parameters are the caller's
   */
  tenon_code (*open)(const tenon_host* host, tenon_span id, tenon_handle* reader, tenon_blob* blob,
                     tenon_error* error) TENON_NOEXCEPT;

  /**
   * Reads at most `capacity` bytes from `offset` on, at most 16 MiB at once; `size` is how many
   * came. TENON_DONE, and 0 bytes, at the end.
   * [thread] any that may block [state] starting, active, quiescing [memory] `buffer` and `size` are the caller's
   */
  tenon_code (*read)(const tenon_host* host, tenon_handle reader, uint64_t offset, char* buffer,
                     uint64_t capacity, uint64_t* size, tenon_error* error) TENON_NOEXCEPT;

  /**
   * Closes a reader.
   * [thread] any [state] all [memory] –
   */
  tenon_code (*close)(const tenon_host* host, tenon_handle reader) TENON_NOEXCEPT;

  /**
   * Keeps a blob for `key` (1 to 200 bytes, such as "notes/17"), which the plugin chooses; durable
   * at the return. Any number of keys may claim a blob, a key up to 10,000 blobs; claiming twice is
   * claiming once. TENON_E_NOT_FOUND.
   * [thread] any that may block [state] starting, active, quiescing [memory] borrowed
   */
  tenon_code (*claim)(const tenon_host* host, tenon_span id, tenon_span key,
                      tenon_error* error) TENON_NOEXCEPT;

  /**
   * Ends a claim; with an empty `id` all claims of the key. What is not claimed is no error.
   * [thread] any that may block [state] starting, active, quiescing [memory] borrowed
   */
  tenon_code (*release)(const tenon_host* host, tenon_span id, tenon_span key,
                        tenon_error* error) TENON_NOEXCEPT;

  /**
   * What is known of a blob. TENON_E_NOT_FOUND.
   * [thread] any that may block [state] starting, active, quiescing [memory] `id` borrowed; `blob` is the caller's
   */
  tenon_code (*stat)(const tenon_host* host, tenon_span id, tenon_blob* blob,
                     tenon_error* error) TENON_NOEXCEPT;

  /**
   * Answers a request with a blob, which the host sends from its file, with ranges and an immutable
   * ETag, for this client's cache alone. Images are shown, all else is saved under `name` (at most
   * 255 bytes; may be empty). Who may read it the plugin has decided. On an error the request is
   * not answered: TENON_E_NOT_FOUND, TENON_E_HANDLE.
   * [thread] any that may block [state] active, quiescing [memory] borrowed
   */
  tenon_code (*respond)(const tenon_host* host, tenon_handle request, tenon_span id,
                        tenon_span name, uint32_t flags, tenon_error* error) TENON_NOEXCEPT;

  /**
   * Has the host take resumable uploads (tus 1.0.0) at /api/<plugin>/blobs. Once.
   * [thread] the calling one of create or start [state] created, starting [memory] borrowed
   */
  tenon_code (*accept_uploads)(const tenon_host* host, const tenon_blobs_uploads* uploads,
                               tenon_error* error) TENON_NOEXCEPT;

  /**
   * TENON_OK when that user uploaded that content within the life of an upload (a day), else
   * TENON_E_DENIED. To be asked before what a browser names is claimed: an id is no proof that who
   * names it ever had the content.
   * [thread] any that may block [state] starting, active, quiescing [memory] borrowed
   */
  tenon_code (*check_uploader)(const tenon_host* host, tenon_span id, tenon_span user_id,
                               tenon_error* error) TENON_NOEXCEPT;
} tenon_blobs;

TENON_EXTERN_C_END

#endif
