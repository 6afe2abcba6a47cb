/* tenon.blobs/1: files of the plugin, identified by the SHA-256 of their content, and uploads from
 * browsers. A plugin can access only its own blobs. The host deletes a blob without claims after a
 * grace period (one day by default; the admin can change it). */
#ifndef TENON_BLOBS_H
#define TENON_BLOBS_H

#include <tenon/entry.h>

TENON_EXTERN_C_BEGIN

#define TENON_BLOBS_ID "tenon.blobs/1"

/* Flag of respond: the browser saves the file even if it could show it. */
#define TENON_BLOBS_ATTACHMENT 1u

/** Describes a blob. The data is copied into memory of the caller, who sets `size`. Texts are
 * zero-terminated. */
typedef struct tenon_blob {
  uint32_t size;
  uint32_t claims;
  uint64_t bytes;     /* size of the content */
  int64_t created_ms; /* since 1970 */
  char id[72];        /* SHA-256, 64 lower-case hex digits */
  char type[64]; /* image/png, -jpeg, -gif, -webp or -avif, detected from the content; else empty */
} tenon_blob;

/** Defines who may upload, and which content. */
typedef struct tenon_blobs_uploads {
  uint32_t size;
  uint32_t access;         /* TENON_HTTP_SIGNED_IN or TENON_HTTP_PERMISSION */
  tenon_span permission;   /* with TENON_HTTP_PERMISSION */
  uint64_t max_bytes;      /* limit of one upload; 0: limit of the host */
  const tenon_span* types; /* accepted values of tenon_blob.type; none: any content */
  uint32_t type_count;     /* at most 16 */
  uint32_t reserved;
} tenon_blobs_uploads;

typedef struct tenon_blobs {
  uint32_t size;
  uint32_t reserved;

  /**
   * Creates a writer of a new blob. The caller must finish or abort it. Returns TENON_E_BUSY if too
   * many writers are open.
   * [thread] any that may block [state] starting, active, quiescing [memory] `writer` is the caller's
   */
  tenon_code (*create)(const tenon_host* host, tenon_handle* writer,
                       tenon_error* error) TENON_NOEXCEPT;

  /**
   * Appends bytes to a blob. Returns TENON_E_TOO_LARGE if the blob exceeds the size limit,
   * TENON_E_DISK_FULL if the disk is full or the plugin's quota is reached. After an error the
   * writer can only be aborted.
   * [thread] any that may block, one at a time for a writer [state] starting, active, quiescing [memory] borrowed
   */
  tenon_code (*write)(const tenon_host* host, tenon_handle writer, tenon_span bytes,
                      tenon_error* error) TENON_NOEXCEPT;

  /**
   * Completes a blob and closes the writer. The blob is on disk when the function returns, and has
   * no claims yet. On an error nothing is kept. The handle is invalid afterwards in both cases.
   * `blob` may be NULL.
   * [thread] any that may block [state] starting, active, quiescing [memory] `blob` is the caller's
   */
  tenon_code (*finish)(const tenon_host* host, tenon_handle writer, tenon_blob* blob,
                       tenon_error* error) TENON_NOEXCEPT;

  /**
   * Closes a writer and discards its data. The handle is invalid afterwards.
   * [thread] any [state] all [memory] –
   */
  tenon_code (*abort)(const tenon_host* host, tenon_handle writer) TENON_NOEXCEPT;

  /**
   * Opens a blob for reading. The caller must close the reader. The content stays readable even if
   * the blob is deleted meanwhile. Returns TENON_E_NOT_FOUND if there is no such blob. `blob` may
   * be NULL.
   * [thread] any that may block [state] starting, active, quiescing [memory] `id` borrowed; out-parameters are the caller's
   */
  tenon_code (*open)(const tenon_host* host, tenon_span id, tenon_handle* reader, tenon_blob* blob,
                     tenon_error* error) TENON_NOEXCEPT;

  /**
   * Reads up to `capacity` bytes from `offset`, at most 16 MiB in one call. `size` gets the number
   * of bytes read. At the end it returns TENON_DONE and 0 bytes.
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
   * Claims a blob under `key` (1 to 200 bytes, such as "notes/17"), which the plugin chooses. The
   * host keeps a blob while it has claims. The claim is on disk when the function returns. Any
   * number of keys may claim a blob; one key may claim up to 10,000 blobs. Repeating a claim has no
   * effect. Returns TENON_E_NOT_FOUND if there is no such blob.
   * [thread] any that may block [state] starting, active, quiescing [memory] borrowed
   */
  tenon_code (*claim)(const tenon_host* host, tenon_span id, tenon_span key,
                      tenon_error* error) TENON_NOEXCEPT;

  /**
   * Releases a claim, or all claims of the key if `id` is empty. A missing claim is not an error.
   * [thread] any that may block [state] starting, active, quiescing [memory] borrowed
   */
  tenon_code (*release)(const tenon_host* host, tenon_span id, tenon_span key,
                        tenon_error* error) TENON_NOEXCEPT;

  /**
   * Returns the description of a blob, or TENON_E_NOT_FOUND.
   * [thread] any that may block [state] starting, active, quiescing [memory] `id` borrowed; `blob` is the caller's
   */
  tenon_code (*stat)(const tenon_host* host, tenon_span id, tenon_blob* blob,
                     tenon_error* error) TENON_NOEXCEPT;

  /**
   * Responds to a request with a blob. The host sends it from its file, with support for ranges and
   * an immutable ETag, and allows caching by this client only. The browser shows images and saves
   * all other files as `name` (at most 255 bytes; may be empty). The plugin must check that the
   * user may read the blob. On an error the request has no response yet: TENON_E_NOT_FOUND,
   * TENON_E_HANDLE.
   * [thread] any that may block [state] active, quiescing [memory] borrowed
   */
  tenon_code (*respond)(const tenon_host* host, tenon_handle request, tenon_span id,
                        tenon_span name, uint32_t flags, tenon_error* error) TENON_NOEXCEPT;

  /**
   * Enables resumable uploads (tus 1.0.0) at /api/<plugin>/blobs. May be called once.
   * [thread] the calling one of create or start [state] created, starting [memory] borrowed
   */
  tenon_code (*accept_uploads)(const tenon_host* host, const tenon_blobs_uploads* uploads,
                               tenon_error* error) TENON_NOEXCEPT;

  /**
   * Checks whether a user has uploaded a content within the lifetime of an upload (one day).
   * Returns TENON_OK if so, else TENON_E_DENIED. Call it before you claim a blob that a browser
   * names: knowing the id does not prove that the user ever had the content.
   * [thread] any that may block [state] starting, active, quiescing [memory] borrowed
   */
  tenon_code (*check_uploader)(const tenon_host* host, tenon_span id, tenon_span user_id,
                               tenon_error* error) TENON_NOEXCEPT;
} tenon_blobs;

TENON_EXTERN_C_END

#endif
