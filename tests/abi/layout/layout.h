/* All headers, and what is said of them. */
#ifndef TENON_LAYOUT_H
#define TENON_LAYOUT_H

#include <tenon/blobs.h>
#include <tenon/db.h>
#include <tenon/entry.h>
#include <tenon/events.h>
#include <tenon/http.h>
#include <tenon/http_client.h>
#include <tenon/identity.h>
#include <tenon/jobs.h>
#include <tenon/log.h>
#include <tenon/search.h>
#include <tenon/services.h>
#include <tenon/settings.h>
#include <tenon/tables.h>

#if defined(__cplusplus)
#define ASSERT(what) static_assert(what, #what)
#define ALIGNMENT(type) alignof(type)
#else
#define ASSERT(what) _Static_assert(what, #what)
#define ALIGNMENT(type) _Alignof(type)
#endif
#define SIZE(type, bytes, alignment) \
  ASSERT(sizeof(type) == (bytes));   \
  ASSERT(ALIGNMENT(type) == (alignment))
#define AT(type, member, offset, bytes)       \
  ASSERT(offsetof(type, member) == (offset)); \
  ASSERT(sizeof(((type*)0)->member) == (bytes))
#define IS(constant, value) ASSERT((constant) == (value))
#define IS_TEXT(constant, text) ASSERT(sizeof(constant) == sizeof(text))

#endif
