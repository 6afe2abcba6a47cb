#include "base/problem.hpp"

#include "base/error.hpp"
#include "base/json_writer.hpp"

namespace tenon::base {

std::string_view status_title(int status) noexcept {
  switch (status) {
    case 100:
      return "Continue";
    case 200:
      return "OK";
    case 201:
      return "Created";
    case 202:
      return "Accepted";
    case 204:
      return "No Content";
    case 206:
      return "Partial Content";
    case 301:
      return "Moved Permanently";
    case 302:
      return "Found";
    case 303:
      return "See Other";
    case 304:
      return "Not Modified";
    case 307:
      return "Temporary Redirect";
    case 308:
      return "Permanent Redirect";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 406:
      return "Not Acceptable";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 410:
      return "Gone";
    case 411:
      return "Length Required";
    case 412:
      return "Precondition Failed";
    case 413:
      return "Content Too Large";
    case 414:
      return "URI Too Long";
    case 415:
      return "Unsupported Media Type";
    case 416:
      return "Range Not Satisfiable";
    case 417:
      return "Expectation Failed";
    case 421:
      return "Misdirected Request";
    case 422:
      return "Unprocessable Content";
    case 426:
      return "Upgrade Required";
    case 428:
      return "Precondition Required";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 502:
      return "Bad Gateway";
    case 503:
      return "Service Unavailable";
    case 504:
      return "Gateway Timeout";
    case 505:
      return "HTTP Version Not Supported";
    case 507:
      return "Insufficient Storage";
    default:
      return "Error";
  }
}

std::string problem_json(const Error& error, std::string_view request_id) {
  std::string out;
  JsonWriter json(out);
  json.begin_object()
      .member("type", "about:blank")
      .member("title", status_title(error.status()))
      .member("status", error.status())
      .member("code", error.code())
      .member("detail", error.message());
  if (!request_id.empty()) json.member("request_id", request_id);
  if (!error.fields().empty()) {
    json.key("errors").begin_array();
    for (const FieldError& field : error.fields()) {
      json.begin_object()
          .member("field", field.field)
          .member("code", field.code)
          .member("message", field.message)
          .end_object();
    }
    json.end_array();
  }
  json.end_object();
  return out;
}

}  // namespace tenon::base
