#include "openapi/operation.hpp"

#include <algorithm>

#include "base/json_slice.hpp"
#include "base/json_writer.hpp"

namespace tenon::openapi {

namespace {

using base::JsonWriter;
using routing::Access;
using routing::Route;

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return out;
}

std::string who(const Route& route) {
  switch (route.access) {
    case Access::everyone:
      return "For everyone, signed in or not.";
    case Access::signed_in:
      return "For all signed-in users.";
    case Access::admin:
      return "For admins.";
    case Access::permission:
      return "Needs the permission `" + route.permission + "`.";
  }
  return {};
}

// Location and name of a Parameter object that is no reference.
struct ParameterKey {
  std::string in;
  std::string name;
};
ParameterKey parameter_key(std::string_view parameter) {
  ParameterKey key;
  base::JsonSlice(parameter).each_member(
      [&](const std::string& name, const base::JsonSlice& value) {
        if (value.type() != base::JsonType::string) return;
        if (name == "in") key.in = value.string();
        if (name == "name") key.name = value.string();
      });
  return key;
}

void write_parameters(JsonWriter& json, const Route& route, std::string_view path,
                      const Fragment& fragment) {
  const std::vector<std::string> names = parameters_of(path);
  if (names.empty() && fragment.parameters.empty()) return;
  json.key("parameters").begin_array();
  std::vector<std::string> described;
  for (const std::string& parameter : fragment.parameters) {
    const ParameterKey key = parameter_key(parameter);
    if (key.in == "path") {
      if (std::find(names.begin(), names.end(), key.name) == names.end()) continue;
      described.push_back(key.name);
    }
    json.raw(parameter);
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (std::find(described.begin(), described.end(), names[i]) != described.end()) continue;
    const bool takes_rest = i + 1 == names.size() && route.pattern.ends_with("...}");
    json.begin_object().member("name", names[i]).member("in", "path").member("required", true);
    if (takes_rest) json.member("description", "The rest of the path, with slashes; may be empty.");
    json.key("schema").begin_object().member("type", "string").end_object().end_object();
  }
  json.end_array();
}

void write_body(JsonWriter& json, const Route& route, const Fragment& fragment) {
  if (route.body == http::BodyMode::none) return;
  json.key("requestBody");
  if (!fragment.request_body.empty()) {
    json.raw(fragment.request_body);
    return;
  }
  const bool is_json = route.body == http::BodyMode::json;
  json.begin_object()
      .member("description", "At most " + std::to_string(route.body_limit) + " bytes.")
      .key("content")
      .begin_object()
      .key(is_json ? "application/json" : "*/*")
      .begin_object()
      .key("schema")
      .begin_object()
      .end_object()
      .end_object()
      .end_object()
      .end_object();
}

void write_responses(JsonWriter& json, const Route& route, const Fragment& fragment) {
  json.key("responses").begin_object();
  if (fragment.responses.empty())
    json.key("2XX").begin_object().member("description", "Success.").end_object();
  const auto is_described = [&](std::string_view status) {
    return std::any_of(fragment.responses.begin(), fragment.responses.end(),
                       [&](const auto& one) { return one.first == status; });
  };
  for (const auto& [status, text] : fragment.responses)
    json.key(status).raw(text);
  const auto refer = [&](const char* status, const char* name) {
    if (is_described(status)) return;
    json.key(status)
        .begin_object()
        .member("$ref", std::string("#/components/responses/") + name)
        .end_object();
  };
  if (route.access != Access::everyone) refer("401", "signed_out");
  if (route.access == Access::admin || route.access == Access::permission ||
      route.method != http::Method::get)
    refer("403", "forbidden");
  refer("4XX", "problem");
  refer("5XX", "problem");
  json.end_object();
}

void write_security(JsonWriter& json, const Route& route) {
  json.key("security").begin_array();
  if (route.access == Access::everyone) json.begin_object().end_object();
  json.begin_object().key("session").begin_array().end_array().end_object().end_array();
}

}  // namespace

std::string path_of(std::string_view pattern) {
  std::string path(pattern);
  if (const std::size_t rest = path.find("...}"); rest != std::string::npos) path.erase(rest, 3);
  return path;
}

std::vector<std::string> parameters_of(std::string_view path) {
  std::vector<std::string> names;
  for (std::size_t open = path.find('{'); open != std::string_view::npos; open = path.find('{')) {
    path.remove_prefix(open + 1);
    names.emplace_back(path.substr(0, path.find('}')));
  }
  return names;
}

std::string shape_of(std::string_view path) {
  std::string shape;
  bool is_inside = false;
  for (const char c : path) {
    if (c == '}') is_inside = false;
    if (!is_inside) shape += c;
    if (c == '{') is_inside = true;
  }
  return shape;
}

std::string operation_id(const Route& route, std::string_view path) {
  constexpr std::string_view begin = "/api/";
  std::string id = lower(http::to_string(route.method)) + ".";
  if (path.starts_with(begin)) path.remove_prefix(begin.size());
  while (path.starts_with('/'))
    path.remove_prefix(1);
  for (const char c : path) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
    if (c == '/')
      id += '.';
    else if (c == '{')
      id += '_';
    else if (c != '}')
      id += is_plain ? c : '-';
  }
  return id;
}

std::string operation_json(const Route& route, std::string_view path, const Fragment& fragment,
                           const std::string& id, std::string_view tag) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().member("operationId", id).key("tags").begin_array().value(tag).end_array();
  json.member("summary", route.summary.empty() ? id : route.summary);
  json.member("description", fragment.description.empty()
                                 ? who(route)
                                 : fragment.description + "\n\n" + who(route));
  if (route.access == Access::permission) json.member("x-permission", route.permission);
  if (route.body != http::BodyMode::none) json.member("x-body-limit", route.body_limit);
  write_parameters(json, route, path, fragment);
  write_body(json, route, fragment);
  write_responses(json, route, fragment);
  write_security(json, route);
  json.end_object();
  return text;
}

}  // namespace tenon::openapi
