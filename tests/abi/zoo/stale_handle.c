/* Uses handles that have ended, or never existed. */
#include <stdio.h>

#include "zoo.h"

static tenon_code handle_try(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT {
  (void)ctx;
  const tenon_db* const db =
      zoo_host->get_interface(zoo_host, zoo_span(TENON_DB_ID), TENON_NEED(tenon_db, rollback));
  const tenon_handle mine = request->handle;
  tenon_error error = {.size = sizeof error};
  tenon_handle over = 0;
  if (db->begin(zoo_host, TENON_DB_READ, 0, &over, &error) < 0 ||
      db->rollback(zoo_host, over) < 0) {
    return TENON_E_INTERNAL;
  }
  const tenon_handle handles[] = {0, 1, UINT64_MAX, mine + 1, mine ^ (UINT64_C(1) << 63), over};
  int refused = 0;
  int tried = 0;
  for (unsigned i = 0; i < sizeof handles / sizeof handles[0]; ++i) {
    const tenon_handle handle = handles[i];
    const tenon_http_response head = {.size = sizeof head, .status = 200};
    const tenon_callback nothing = {NULL, NULL, NULL};
    tenon_db_batch batch = {.size = sizeof batch};
    const tenon_code codes[] = {
        zoo_respond(handle, "stray"),
        zoo_http->begin(zoo_host, handle, &head, TENON_HTTP_NO_LENGTH, &nothing),
        zoo_http->write(zoo_host, handle, zoo_span("stray")),
        zoo_http->end(zoo_host, handle, TENON_OK),
        zoo_http->check(zoo_host, handle),
        db->next(zoo_host, handle, &batch, &error),
        db->close(zoo_host, handle),
        db->commit(zoo_host, handle, &error),
        db->rollback(zoo_host, handle),
    };
    for (unsigned j = 0; j < sizeof codes / sizeof codes[0]; ++j) {
      ++tried;
      if (codes[j] == TENON_E_HANDLE) ++refused;
    }
  }
  char text[64];
  snprintf(text, sizeof text, "%d of %d refused", refused, tried);
  zoo_respond(mine, text);
  return TENON_OK;
}

static tenon_handle kept;

static tenon_code handle_keep(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT {
  (void)ctx;
  kept = request->handle;
  zoo_respond(kept, "kept");
  return TENON_OK;
}

/* The slot of a handle that has ended may serve another request by now. */
static tenon_code handle_use(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT {
  (void)ctx;
  const tenon_code code = zoo_respond(kept, "stray");
  zoo_respond(request->handle, code == TENON_E_HANDLE ? "refused" : "taken");
  return TENON_OK;
}

static tenon_code register_routes(tenon_error* error) {
  tenon_code code = zoo_route("/try", handle_try, error);
  if (code >= 0) code = zoo_route("/keep", handle_keep, error);
  return code < 0 ? code : zoo_route("/use", handle_use, error);
}

ZOO_PLUGIN(register_routes);
