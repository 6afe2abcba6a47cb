#include "bridge/http_client/http_client_interface.hpp"

#include <chrono>
#include <string>

#include "bridge/abi_error.hpp"
#include "bridge/bridge.hpp"
#include "bridge/frame.hpp"
#include "bridge/spans.hpp"
#include "http_client/client.hpp"
#include "http_client/limits.hpp"

namespace tenon::plugins {

namespace {

// Checks the spans and copies the fields.
tenon_code read_client_fields(const tenon_http_client_request& request,
                              std::vector<http_client::Field>& fields, tenon_error* error) {
  if (!is_sound(request.method) || !is_sound(request.url) || !is_sound(request.body))
    return fail_argument(error, "A span has a size and no data.");
  if ((request.flags & ~TENON_HTTP_CLIENT_NO_REDIRECTS) != 0)
    return fail_argument(error, "There are flags that this host does not know.");
  if (request.field_count > http_client::Limits::fields)
    return fail_argument(error, "An outgoing request has at most 64 header fields.");
  if (!request.fields && request.field_count != 0)
    return fail_argument(error, "The header fields are NULL.");
  for (std::uint32_t i = 0; i < request.field_count; ++i) {
    const tenon_http_field& field = request.fields[i];
    if (!is_sound(field.name) || !is_sound(field.value))
      return fail_argument(error, "A span has a size and no data.");
    fields.push_back({std::string(view(field.name)), std::string(view(field.value))});
  }
  return TENON_OK;
}

}  // namespace

const tenon_http_client HttpClientInterface::table = {sizeof(tenon_http_client), 0,
                                                      &HttpClientInterface::send};

HttpClientInterface::HttpClientInterface(const Bridge& bridge) : bridge_(bridge) {
  for (const std::string& pattern : bridge.manifest().outgoing)
    allowed_.emplace_back(pattern);
}

void HttpClientInterface::give_up() noexcept {
  background_.request_stop();
  all_.request_stop();
}

tenon_code HttpClientInterface::send(const tenon_host* host,
                                     const tenon_http_client_request* request,
                                     const tenon_http_client_sink* sink,
                                     tenon_error* error) noexcept {
  Bridge* bridge = Bridge::of(host);
  if (!bridge) return fail_argument(error, "The host is NULL.");
  if (!request || request->size < TENON_NEED(tenon_http_client_request, url))
    return fail_argument(error, "The request is NULL or too small.");
  if (!sink || !sink->fn) return fail_argument(error, "The sink is NULL or has no function.");
  if (!bridge->is_in(Phase::starting, Phase::quiescing))
    return fail_state(error, "Outgoing requests are sent while starting, active or quiescing.");
  if (!Frame::may_block()) {
    return fail_state(error,
                      "Inline routes, queued writes and callbacks before a write must not wait for "
                      "another server.");
  }
  return guarded(error, [&] { return bridge->http_client().send(copy_in(request), *sink, error); });
}

tenon_code HttpClientInterface::send(const tenon_http_client_request& request,
                                     const tenon_http_client_sink& sink, tenon_error* error) {
  http_client::ClientRequest made;
  const tenon_code code = read_client_fields(request, made.fields, error);
  if (code != TENON_OK) return code;
  http_client::Client* client = bridge_.services().http_client;
  if (!client)
    return fail(error, TENON_E_UNSUPPORTED, 501, "http_client.unsupported",
                "This host sends no requests to other servers.");
  made.plugin = bridge_.plugin_id();
  made.allowed = allowed_;
  made.method = view(request.method);
  made.url = view(request.url);
  made.body = view(request.body);
  made.timeout = std::chrono::milliseconds(request.timeout_ms);
  made.max_response = request.max_response_bytes;
  made.follows_redirects = (request.flags & TENON_HTTP_CLIENT_NO_REDIRECTS) == 0;
  made.stop = (Frame::serves_request() ? all_ : background_).get_token();
  const http_client::ClientResponse response = client->send(made, running_);
  std::vector<tenon_http_field> fields;
  fields.reserve(response.fields.size());
  for (const http_client::Field& field : response.fields)
    fields.push_back({span(field.name), span(field.value)});
  tenon_http_client_response given{};
  given.size = sizeof(given);
  given.status = static_cast<std::uint32_t>(response.status);
  given.url = span(response.url);
  given.fields = fields.data();
  given.field_count = static_cast<std::uint32_t>(fields.size());
  given.body = span(response.body);
  enter(sink.fn, sink.ctx, static_cast<const tenon_http_client_response*>(&given));
  return TENON_OK;
}

}  // namespace tenon::plugins
