/* tenon.identity/1: who makes a request, what they may do, and the names of users. */
#ifndef TENON_IDENTITY_H
#define TENON_IDENTITY_H

#include <tenon/entry.h>

TENON_EXTERN_C_BEGIN

#define TENON_IDENTITY_ID "tenon.identity/1"

#define TENON_USER_ADMIN 1u    /* has every permission */
#define TENON_USER_DISABLED 2u /* may not sign in */

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
   * The user who makes a request; TENON_E_NOT_FOUND for nobody.
   * [thread] any [state] active, quiescing [memory] `user` is the caller's
   */
  tenon_code (*requester)(const tenon_host* host, tenon_handle request,
                          tenon_user* user) TENON_NOEXCEPT;

  /**
   * TENON_OK when the requester has a permission that this plugin declared, else TENON_E_DENIED;
   * TENON_E_INVALID when it is not declared.
   * [thread] any [state] active, quiescing [memory] borrowed
   */
  tenon_code (*can)(const tenon_host* host, tenon_handle request,
                    tenon_span permission) TENON_NOEXCEPT;

  /**
   * A user by id; TENON_E_NOT_FOUND.
   * [thread] any [state] starting, active, quiescing [memory] `user` is the caller's
   */
  tenon_code (*find)(const tenon_host* host, tenon_span user_id, tenon_user* user) TENON_NOEXCEPT;

  /**
   * The user after `user_id` in the order of ids (empty: the first), or TENON_DONE.
   * [thread] any [state] starting, active, quiescing [memory] `user` is the caller's
   */
  tenon_code (*next)(const tenon_host* host, tenon_span user_id, tenon_user* user) TENON_NOEXCEPT;

  /**
   * The groups of the user who makes a request, in the order of their ids: the first `capacity` of
   * them in `ids`, in `count` how many there are. None for nobody.
   * [thread] any [state] active, quiescing [memory] `ids` and `count` are the caller's
   */
  tenon_code (*groups)(const tenon_host* host, tenon_handle request, tenon_group_id* ids,
                       uint32_t capacity, uint32_t* count) TENON_NOEXCEPT;
} tenon_identity;

TENON_EXTERN_C_END

#endif
