#include "http/response/response.hpp"

#include "base/error.hpp"
#include "base/problem.hpp"

namespace tenon::http {

namespace {
constexpr std::size_t max_reused_body_bytes = 4096;  // bytes of a body's memory
}

// Not inlined: g++ 12 then warns of its own std::string (array-bounds).
[[gnu::noinline]] Response& Response::with(std::string name, std::string value) & {
  fields.emplace_back(std::move(name), std::move(value));
  return *this;
}

void Response::set_body(std::string_view text) {
  if (auto* own = std::get_if<std::string>(&body))
    own->assign(text);
  else
    body.emplace<std::string>(text);
}

void Response::clear() noexcept {
  status = 200;
  content_type.clear();
  fields.clear();
  prepared.reset();
  varies_by_encoding = is_checked = false;
  auto* own = std::get_if<std::string>(&body);
  if (own != nullptr && own->capacity() <= max_reused_body_bytes)
    own->clear();
  else
    body.emplace<std::monostate>();
}

Response empty_response(int status) {
  Response response;
  response.status = status;
  return response;
}

Response json_response(int status, std::string json) {
  Response response;
  response.status = status;
  response.content_type = "application/json";
  response.with("Cache-Control", "no-store");
  response.body = std::move(json);
  return response;
}

Response problem_response(const base::Error& error, std::string_view request_id) {
  Response response;
  response.status = error.status();
  response.content_type = base::problem_media_type;
  response.with("Cache-Control", "no-store");
  if (error.status() == 429 || error.status() == 503) response.with("Retry-After", "1");
  response.body = base::problem_json(error, request_id);
  return response;
}

}  // namespace tenon::http
