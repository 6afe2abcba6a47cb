#include "fake_host.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include <gtest/gtest.h>
#include <sqlite3.h>

#include "fake_functions.hpp"

namespace tenon::test {

FakeHost::FakeHost(std::string plugin_id) : plugin_id_(std::move(plugin_id)) {
  Functions::fill(*this);
  if (sqlite3_open(":memory:", &db_) != SQLITE_OK) throw std::runtime_error("SQLite does not open");
}

FakeHost::~FakeHost() {
  drop_callbacks();
  cursors_.clear();
  sqlite3_close(db_);
}

void FakeHost::drop_callbacks() {
  for (const auto& route : routes_) {
    if (route->raw.handler.drop != nullptr) route->raw.handler.drop(route->raw.handler.ctx);
    ++dropped_;
  }
  routes_.clear();
  for (const auto& watcher : watchers_) {
    if (watcher.drop != nullptr) watcher.drop(watcher.ctx);
  }
  watchers_.clear();
  for (const auto& [name, offered] : offered_) {
    if (offered.handler.drop != nullptr) offered.handler.drop(offered.handler.ctx);
  }
  offered_.clear();
  exchanges_.clear();
}

std::shared_ptr<FakeHost::Exchange> FakeHost::exchange(tenon_handle handle) const {
  const std::lock_guard lock(mutex_);
  const auto found = exchanges_.find(handle);
  return found == exchanges_.end() ? nullptr : found->second;
}

tenon_handle FakeHost::start(const Call& call) {
  const auto route = std::find_if(routes_.begin(), routes_.end(), [&](const auto& candidate) {
    return candidate->pattern == call.pattern && candidate->raw.method == call.method;
  });
  if (route == routes_.end()) throw std::logic_error("no route " + call.pattern);
  const auto made = std::make_shared<Exchange>();
  tenon_handle handle = 0;
  {
    const std::lock_guard lock(mutex_);
    handle = next_handle_++;
    exchanges_[handle] = made;
  }
  made->user = call.user;
  std::vector<tenon_http_field> fields;
  for (const auto& [name, value] : call.headers)
    fields.push_back({to_span(name), to_span(value)});
  std::vector<tenon_span> params;
  for (const std::string& param : call.params)
    params.push_back(to_span(param));
  tenon_http_request request{};
  request.size = sizeof request;
  request.method = call.method;
  request.handle = handle;
  request.path = to_span(call.pattern);
  request.query = to_span(call.query);
  request.body = to_span(call.body);
  request.content_length = call.body.size();
  request.fields = fields.data();
  request.params = params.data();
  request.field_count = static_cast<std::uint32_t>(fields.size());
  request.param_count = static_cast<std::uint32_t>(params.size());
  request.request_id = TENON_LITERAL("request-1");
  request.peer = TENON_LITERAL("127.0.0.1");
  request.user_id = to_span(call.user);
  const tenon_code code = (*route)->raw.handler.fn((*route)->raw.handler.ctx, &request);
  const std::lock_guard lock(made->mutex);
  made->response.returned = code;
  return handle;
}

RecordedResponse FakeHost::response(tenon_handle request) const {
  const auto found = exchange(request);
  const std::lock_guard lock(found->mutex);
  return found->response;
}

RecordedResponse FakeHost::get(const std::string& pattern, std::vector<std::string> params,
                               std::string query, std::string user) {
  return response(start(
      {TENON_HTTP_GET, pattern, std::move(params), std::move(query), {}, {}, std::move(user)}));
}

tenon_callback FakeHost::Exchange::take_writable() {
  return writable_calls == 0 ? std::exchange(writable, {}) : tenon_callback{};
}

void FakeHost::Exchange::wake() {
  tenon_callback called{};
  {
    const std::lock_guard lock(mutex);
    called = writable;
    if (called.fn == nullptr) return;
    ++writable_calls;
  }
  called.fn(called.ctx);
  tenon_callback over{};
  {
    const std::lock_guard lock(mutex);
    --writable_calls;
    if (response.ended) over = take_writable();
  }
  if (over.drop != nullptr) over.drop(over.ctx);
}

void FakeHost::drain(tenon_handle request) {
  const auto found = exchange(request);
  {
    const std::lock_guard lock(found->mutex);
    found->waiting = 0;
  }
  found->wake();
}

void FakeHost::hang_up(tenon_handle request) {
  const auto found = exchange(request);
  {
    const std::lock_guard lock(found->mutex);
    found->is_closed = true;
  }
  found->wake();
}

bool FakeHost::has_sink(tenon_handle request) const {
  return exchange(request)->sink.data != nullptr;
}

tenon_code FakeHost::push_body(tenon_handle request, std::string_view bytes) {
  const auto& sink = exchange(request)->sink;
  return sink.data(sink.ctx, {bytes.data(), bytes.size()});
}

void FakeHost::end_body(tenon_handle request, tenon_code how) {
  auto& sink = exchange(request)->sink;
  sink.end(sink.ctx, how);
  sink.drop(sink.ctx);
  sink = {};
}

std::vector<std::string> FakeHost::log_lines() const {
  const std::lock_guard lock(mutex_);
  return lines_;
}

bool FakeHost::logged(std::string_view part) const {
  const auto lines = log_lines();
  return std::any_of(lines.begin(), lines.end(),
                     [&](const std::string& line) { return line.find(part) != std::string::npos; });
}

}  // namespace tenon::test
