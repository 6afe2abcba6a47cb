/* Calls of the host: users, the database, settings. */
#include <stdio.h>
#include <string.h>

#include "exercise.h"

tenon_error no_error(void) {
  tenon_error error;
  memset(&error, 0, sizeof error);
  error.size = sizeof error;
  return error;
}

tenon_code respond_error(exercise* self, const tenon_http_request* request,
                         const tenon_error* error) {
  return respond_problem(self, request->handle, error->status == 0 ? 500 : error->status,
                         error->name, error->message);
}

tenon_code handle_who(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT {
  exercise* const self = ctx;
  tenon_user user;
  memset(&user, 0, sizeof user);
  user.size = sizeof user;
  self->identity->requester(self->host, request->handle, &user);
  const int can_read = self->identity->can(self->host, request->handle,
                                           TENON_LITERAL(TENON_PLUGIN_ID ".read")) == TENON_OK;
  const int can_write = self->identity->can(self->host, request->handle,
                                            TENON_LITERAL(TENON_PLUGIN_ID ".write")) == TENON_OK;
  text body = {.size = 0};
  text_add(&body, "{\"login\":");
  text_add_json(&body, zero_terminated(user.login));
  text_add(&body, can_read ? ",\"read\":true" : ",\"read\":false");
  text_add(&body, can_write ? ",\"write\":true}" : ",\"write\":false}");
  return respond_text(self, request, 200, "application/json", &body);
}

tenon_code handle_users(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT {
  exercise* const self = ctx;
  text body = {.size = 0};
  text_add(&body, "{\"logins\":[");
  tenon_user user;
  memset(&user, 0, sizeof user);
  user.size = sizeof user;
  for (int i = 0; self->identity->next(self->host, zero_terminated(user.id), &user) == TENON_OK;
       ++i) {
    if (i != 0) text_add(&body, ",");
    text_add_json(&body, zero_terminated(user.login));
  }
  text_add(&body, "]}");
  return respond_text(self, request, 200, "application/json", &body);
}

tenon_code handle_list_items(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT {
  exercise* const self = ctx;
  tenon_error error = no_error();
  tenon_handle cursor = 0;
  tenon_db_batch batch = {.size = sizeof batch};
  tenon_code code = self->db->query(self->host, TENON_DB_AUTOCOMMIT,
                                    TENON_LITERAL("SELECT name FROM items ORDER BY name"), NULL, 0,
                                    &cursor, &batch, &error);
  if (code < 0) return respond_error(self, request, &error);
  text body = {.size = 0};
  text_add(&body, "{\"items\":[");
  for (int written = 0;;) {
    for (uint32_t row = 0; row < batch.rows; ++row) {
      const tenon_cell* const cell = &batch.cells[(uint64_t)row * batch.columns];
      const tenon_span name = {cell->as.bytes, cell->size};
      if (written++ != 0) text_add(&body, ",");
      text_add_json(&body, name);
    }
    if (batch.more == 0) break;
    code = self->db->next(self->host, cursor, &batch, &error);
    if (code != TENON_OK) break;
  }
  self->db->close(self->host, cursor);
  if (code < 0) return respond_error(self, request, &error);
  text_add(&body, "]}");
  return respond_text(self, request, 200, "application/json", &body);
}

tenon_cell text_cell(tenon_span value) {
  const tenon_cell cell = {
      .type = TENON_CELL_TEXT, .as = {.bytes = value.data}, .size = value.size};
  return cell;
}

tenon_code handle_add_item(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT {
  exercise* const self = ctx;
  tenon_error error = no_error();
  tenon_handle transaction = 0;
  if (self->db->begin(self->host, TENON_DB_WRITE, 0, &transaction, &error) < 0)
    return respond_error(self, request, &error);
  /* In the form of a UUIDv7; the handle of a request is unique in this run of the host. */
  char id[64];
  const uint64_t run = self->host->instance * UINT64_C(0x9e3779b97f4a7c15);
  const int size = snprintf(id, sizeof id, "%08x-%04x-7%03x-8%03x-%012llx", (unsigned)(run >> 32),
                            (unsigned)(run >> 16 & 0xffff), (unsigned)(run & 0xfff),
                            (unsigned)(self->host->generation & 0xfff),
                            (unsigned long long)(request->handle & UINT64_C(0xffffffffffff)));
  const tenon_span id_span = {id, (uint64_t)size};
  const tenon_cell cells[] = {text_cell(id_span), text_cell(request->body)};
  tenon_db_result result = {.size = sizeof result};
  const tenon_code code = self->db->exec(
      self->host, transaction, TENON_LITERAL("INSERT INTO items (id, name) VALUES (?, ?)"), cells,
      2, &result, &error);
  if (code < 0) {
    self->db->rollback(self->host, transaction);
    return respond_error(self, request, &error);
  }
  if (query_number(request, "undo", 0) != 0) {
    self->db->rollback(self->host, transaction);
  } else if (self->db->commit(self->host, transaction, &error) < 0) {
    return respond_error(self, request, &error);
  }
  return respond_text(self, request, 201, "", NULL);
}

void handle_setting_change(void* ctx, tenon_span key, tenon_span json) TENON_NOEXCEPT {
  exercise* const self = ctx;
  pthread_mutex_lock(&self->mutex);
  snprintf(self->change, sizeof self->change, "%.*s=%.*s", (int)key.size, key.data, (int)json.size,
           json.data);
  pthread_mutex_unlock(&self->mutex);
}

tenon_code handle_get_setting(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT {
  exercise* const self = ctx;
  char color[128];
  uint64_t length = 0;
  const tenon_code code =
      self->settings->get(self->host, TENON_LITERAL("color"), color, sizeof color, &length);
  const tenon_span json = {color, length};
  text body = {.size = 0};
  pthread_mutex_lock(&self->mutex);
  text_add(&body, "{\"change\":");
  text_add_json(&body, zero_terminated(self->change));
  pthread_mutex_unlock(&self->mutex);
  text_add(&body, ",\"color\":");
  if (code == TENON_OK) {
    text_add_span(&body, json);
  } else {
    text_add(&body, "\"\"");
  }
  text_add(&body, "}");
  return respond_text(self, request, 200, "application/json", &body);
}

tenon_code handle_set_setting(void* ctx, const tenon_http_request* request) TENON_NOEXCEPT {
  exercise* const self = ctx;
  tenon_error error = no_error();
  if (self->settings->set(self->host, TENON_LITERAL("color"), request->body, &error) < 0) {
    return respond_error(self, request, &error);
  }
  return respond_text(self, request, 204, "", NULL);
}
