#include <stdio.h>
#include <string.h>

#include "exercise.h"

void text_add_span(text* to, tenon_span span) {
  if (span.size > sizeof to->bytes - to->size) return;
  if (span.size != 0) memcpy(to->bytes + to->size, span.data, span.size);
  to->size += span.size;
}

void text_add(text* to, const char* added) {
  text_add_span(to, zero_terminated(added));
}

void text_add_json(text* to, tenon_span span) {
  text_add(to, "\"");
  for (uint64_t i = 0; i < span.size; ++i) {
    const unsigned char c = (unsigned char)span.data[i];
    char escape[8];
    if (c == '\n') {
      snprintf(escape, sizeof escape, "\\n");
    } else if (c == '"' || c == '\\') {
      snprintf(escape, sizeof escape, "\\%c", c);
    } else if (c < 0x20) {
      snprintf(escape, sizeof escape, "\\u%04x", c);
    } else {
      snprintf(escape, sizeof escape, "%c", c);
    }
    text_add(to, escape);
  }
  text_add(to, "\"");
}

void text_add_number(text* to, int64_t number) {
  char digits[24];
  snprintf(digits, sizeof digits, "%lld", (long long)number);
  text_add(to, digits);
}

tenon_span text_span(const text* from) {
  const tenon_span span = {from->bytes, from->size};
  return span;
}

tenon_span zero_terminated(const char* bytes) {
  const tenon_span span = {bytes, strlen(bytes)};
  return span;
}

int64_t query_number(const tenon_http_request* request, const char* name, int64_t fallback) {
  const uint64_t size = strlen(name);
  const char* at = request->query.data;
  const char* const end = at + request->query.size;
  while (at < end) {
    const char* const stop = memchr(at, '&', (size_t)(end - at));
    const char* const last = stop == NULL ? end : stop;
    if ((uint64_t)(last - at) > size && memcmp(at, name, size) == 0 && at[size] == '=') {
      if (last - at == (int64_t)size + 5 && memcmp(at + size + 1, "true", 4) == 0) return 1;
      int64_t number = 0;
      for (const char* digit = at + size + 1; digit < last; ++digit)
        number = number * 10 + (*digit - '0');
      return number;
    }
    at = last + 1;
  }
  return fallback;
}
