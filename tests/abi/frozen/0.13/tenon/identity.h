/* tenon.identity/1: the user of a request, the user's permissions and groups, and the names of
 * users. */
#ifndef TENON_IDENTITY_H
#define TENON_IDENTITY_H

#include <tenon/entry.h>

TENON_EXTERN_C_BEGIN

#define TENON_IDENTITY_ID "tenon.identity/1"

#define TENON_USER_ADMIN 1u    /* has all permissions */
#define TENON_USER_DISABLED 2u /* must not sign in */

/** A user, copied into memory of the caller, who sets `size`. Texts are zero-terminated. */
typedef struct tenon_user {
  uint32_t size;
  uint32_t flags;
  char id[40];
  char login[72]; /* at most 64 bytes */
  char name[264]; /* at most 256 bytes */
} tenon_user;

/** The id of a group, zero-terminated. Frozen. */
typedef struct tenon_group_id {
  char id[40];
} tenon_group_id;

typedef struct tenon_identity {
  uint32_t size;
  uint32_t reserved;

  /**
   * Returns the user who makes a request, or TENON_E_NOT_FOUND if the request is anonymous.
   * [thread] any [state] active, quiescing [memory] `user` is the caller's
   */
  tenon_code (*requester)(const tenon_host* host, tenon_handle request,
                          tenon_user* user) TENON_NOEXCEPT;

  /**
   * Checks whether the user of a request has a permission that this plugin declares. Returns
   * TENON_OK if so, else TENON_E_DENIED; TENON_E_INVALID if the permission is not declared.
   * [thread] any [state] active, quiescing [memory] borrowed
   */
  tenon_code (*can)(const tenon_host* host, tenon_handle request,
                    tenon_span permission) TENON_NOEXCEPT;

  /**
   * Returns the user with an id, or TENON_E_NOT_FOUND.
   * [thread] any [state] starting, active, quiescing [memory] `user` is the caller's
   */
  tenon_code (*find)(const tenon_host* host, tenon_span user_id, tenon_user* user) TENON_NOEXCEPT;

  /**
   * Returns the next user in the order of ids after `user_id` (empty: the first user), or
   * TENON_DONE.
   * [thread] any [state] starting, active, quiescing [memory] `user` is the caller's
   */
  tenon_code (*next)(const tenon_host* host, tenon_span user_id, tenon_user* user) TENON_NOEXCEPT;

  /**
   * Returns the groups of the user who makes a request, in the order of their ids. `ids` gets the
   * first `capacity` of them, `count` the total number. An anonymous request has none.
   * [thread] any [state] active, quiescing [memory] `ids` and `count` are the caller's
   */
  tenon_code (*groups)(const tenon_host* host, tenon_handle request, tenon_group_id* ids,
                       uint32_t capacity, uint32_t* count) TENON_NOEXCEPT;
} tenon_identity;

TENON_EXTERN_C_END

#endif
