#include <algorithm>
#include <cstring>

#include "fake_functions.hpp"

namespace tenon::test {

void Functions::fill_http(tenon_http& table) {
  table = {sizeof(tenon_http), 0,     &add_route, &respond, &respond_problem, &begin, &write, &end,
           &read_body,         &check};
}

tenon_code Functions::add_route(const tenon_host* host, const tenon_http_route* route,
                                tenon_error* error) noexcept {
  FakeHost& self = of(host);
  for (const auto& other : self.routes_) {
    if (other->pattern == to_view(route->pattern) && other->raw.method == route->method) {
      return say(error, TENON_E_INVALID, 500, "plugins.duplicate_route",
                 "This route is there already.");
    }
  }
  auto kept = std::make_unique<FakeHost::Route>();
  kept->raw = *route;
  kept->pattern = std::string(to_view(route->pattern));
  self.routes_.push_back(std::move(kept));
  return TENON_OK;
}

tenon_code Functions::respond(const tenon_host* host, tenon_handle request,
                              const tenon_http_response* response) noexcept {
  const auto exchange = of(host).exchange(request);
  if (exchange == nullptr) return TENON_E_HANDLE;
  const std::lock_guard lock(exchange->mutex);
  if (exchange->has_responded) return TENON_E_HANDLE;
  if (response->status < 200 || response->status > 599) return TENON_E_INVALID;
  for (std::uint32_t i = 0; i < response->field_count; ++i) {
    if (to_view(response->fields[i].name) == "Set-Cookie") return TENON_E_INVALID;
  }
  exchange->has_responded = true;
  if (exchange->is_closed) return TENON_E_CLOSED;
  RecordedResponse& recorded = exchange->response;
  recorded.status = static_cast<int>(response->status);
  recorded.content_type = std::string(to_view(response->content_type));
  recorded.body = std::string(to_view(response->body));
  for (std::uint32_t i = 0; i < response->field_count; ++i) {
    recorded.headers.emplace_back(to_view(response->fields[i].name),
                                  to_view(response->fields[i].value));
  }
  return TENON_OK;
}

tenon_code Functions::respond_problem(const tenon_host* host, tenon_handle request,
                                      const tenon_http_problem* given) noexcept {
  const auto exchange = of(host).exchange(request);
  if (exchange == nullptr) return TENON_E_HANDLE;
  const std::lock_guard lock(exchange->mutex);
  if (exchange->has_responded) return TENON_E_HANDLE;
  tenon_http_problem known{};
  std::memcpy(&known, given, std::min<std::size_t>(given->size, sizeof known));
  const tenon_http_problem* const problem = &known;
  if (problem->status < 400 || problem->status > 599) return TENON_E_INVALID;
  exchange->has_responded = true;
  RecordedResponse& recorded = exchange->response;
  recorded.status = static_cast<int>(problem->status);
  recorded.code = std::string(to_view(problem->code));
  recorded.body = std::string(to_view(problem->message));
  recorded.extra = std::string(to_view(problem->extra));
  for (std::uint32_t i = 0; i < problem->error_count; ++i) {
    recorded.problem_fields.emplace_back(to_view(problem->errors[i].field));
  }
  for (std::uint32_t i = 0; i < problem->field_count; ++i) {
    recorded.headers.emplace_back(to_view(problem->fields[i].name),
                                  to_view(problem->fields[i].value));
  }
  return TENON_OK;
}

tenon_code Functions::begin(const tenon_host* host, tenon_handle request,
                            const tenon_http_response* head, std::uint64_t length,
                            const tenon_callback* writable) noexcept {
  const auto exchange = of(host).exchange(request);
  if (exchange == nullptr || exchange->has_responded) {
    writable->drop(writable->ctx);
    return TENON_E_HANDLE;
  }
  const std::lock_guard lock(exchange->mutex);
  exchange->has_responded = true;
  exchange->writable = *writable;
  exchange->response.is_streaming = true;
  exchange->response.length = length;
  exchange->response.status = static_cast<int>(head->status);
  exchange->response.content_type = std::string(to_view(head->content_type));
  return TENON_OK;
}

tenon_code Functions::write(const tenon_host* host, tenon_handle request,
                            tenon_span bytes) noexcept {
  FakeHost& self = of(host);
  const auto exchange = self.exchange(request);
  if (exchange == nullptr) return TENON_E_HANDLE;
  const std::lock_guard lock(exchange->mutex);
  if (!exchange->response.is_streaming || exchange->response.ended) return TENON_E_HANDLE;
  if (exchange->is_closed) return TENON_E_CLOSED;
  if (bytes.size > 1u << 20) return TENON_E_TOO_LARGE;
  exchange->response.body.append(to_view(bytes));
  exchange->waiting += static_cast<std::size_t>(bytes.size);
  return self.room_ != 0 && exchange->waiting >= self.room_ ? TENON_FULL : TENON_OK;
}

tenon_code Functions::end(const tenon_host* host, tenon_handle request, tenon_code how) noexcept {
  const auto exchange = of(host).exchange(request);
  if (exchange == nullptr) return TENON_E_HANDLE;
  tenon_callback writable{};
  {
    const std::lock_guard lock(exchange->mutex);
    if (!exchange->response.is_streaming || exchange->response.ended) return TENON_E_HANDLE;
    exchange->response.ended = how;
    writable = exchange->take_writable();
  }
  // At once where no call of it is under way, inside the plugin's own frame: the hardest a host may
  // do.
  if (writable.drop != nullptr) writable.drop(writable.ctx);
  return TENON_OK;
}

tenon_code Functions::read_body(const tenon_host* host, tenon_handle request,
                                const tenon_http_body_sink* sink) noexcept {
  const auto exchange = of(host).exchange(request);
  if (exchange == nullptr || exchange->sink.data != nullptr) {
    sink->drop(sink->ctx);
    return TENON_E_HANDLE;
  }
  exchange->sink = *sink;
  return TENON_OK;
}

tenon_code Functions::check(const tenon_host* host, tenon_handle request) noexcept {
  const auto exchange = of(host).exchange(request);
  if (exchange == nullptr) return TENON_E_HANDLE;
  const std::lock_guard lock(exchange->mutex);
  if (exchange->is_closed) return TENON_E_CLOSED;
  if (exchange->has_responded && (!exchange->response.is_streaming || exchange->response.ended))
    return TENON_E_HANDLE;
  return TENON_OK;
}

}  // namespace tenon::test
