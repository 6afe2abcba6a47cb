#include "openapi/document.hpp"

#include <map>
#include <set>

#include "base/error.hpp"
#include "base/json_writer.hpp"
#include "observability/log.hpp"
#include "openapi/components.hpp"
#include "openapi/operation.hpp"

namespace tenon::openapi {

namespace {

using base::JsonWriter;
using routing::Route;
using routing::RouteSet;

constexpr std::string_view about =
    "All operations that you may call on this server, made from the plugins that are "
    "active now.\n\n"
    "**Signing in**: `POST /api/core/session`; the response sets the session cookie. A change that "
    "a "
    "browser sends is taken from this site alone: `Sec-Fetch-Site`, else `Origin` against `Host`, "
    "says where it comes from; programs send neither.\n\n"
    "**Errors** are `application/problem+json` (RFC 9457) with a stable `code`.\n\n"
    "**Times** are RFC 3339 in UTC with milliseconds, **ids** are UUIDs that sort by age.";

// Returns the member of a Path Item for an operation of this method.
const char* member_of(http::Method method) {
  switch (method) {
    case http::Method::post:
      return "post";
    case http::Method::put:
      return "put";
    case http::Method::patch:
      return "patch";
    case http::Method::del:
      return "delete";
    default:
      return "get";  // nothing else is a route's
  }
}

// A path with its operations by method.
struct Path {
  std::string path;
  std::map<http::Method, std::string> operations;
};

class Writer {
 public:
  explicit Writer(const Whole& whole) : whole_(whole) {
    components_.add(core_description().components);
  }

  void add(const RouteSet& set, const std::function<bool(const Route&)>& is_shown) {
    routing::Lease lease(set.gate().enter() ? &set.gate() : nullptr);
    if (!lease) return;
    for (const Route& route : set.routes()) {
      if (is_shown(route)) add(set, route);
    }
  }

  std::string write() const;

 private:
  void add(const RouteSet& set, const Route& route);
  Fragment fragment_of(const Route& route);
  std::string free_id(std::string id);
  void write_tags(JsonWriter& json) const;

  const Whole& whole_;
  Components components_;
  std::map<std::string, Path> paths_;  // by shape
  std::set<std::string> ids_;
  std::set<std::string, std::less<>> tags_;
};

Fragment Writer::fragment_of(const Route& route) {
  if (!route.operation) return {};
  try {
    return read_fragment(route.operation());
  } catch (const base::Error& error) {
    observability::log_warning("a route is described without what was said of it",
                               {{"route", route.pattern}, {"reason", error.message()}});
    return {};
  }
}

std::string Writer::free_id(std::string id) {
  const std::string wanted = id;
  for (int number = 2; !ids_.insert(id).second; ++number)
    id = wanted + "." + std::to_string(number);
  return id;
}

void Writer::add(const RouteSet& set, const Route& route) {
  const CoreDescription& core = core_description();
  const std::string label = std::string(http::to_string(route.method)) + " " + route.pattern;
  const auto described =
      set.owner() == "core" ? core.operations.find(label) : core.operations.end();
  const bool is_described = described != core.operations.end();
  if (!is_described && !route.pattern.starts_with("/api/")) return;

  Fragment fragment = is_described ? described->second.fragment : fragment_of(route);
  const std::string_view tag = is_described
                                   ? std::string_view(core.tags[described->second.tag].name)
                                   : std::string_view(set.owner());
  const std::string path = path_of(route.pattern);
  Path& entry = paths_.try_emplace(shape_of(path), Path{path, {}}).first->second;
  const std::string id = free_id(operation_id(route, entry.path));
  components_.add(fragment.components);
  std::string operation = operation_json(route, entry.path, fragment, id, tag);
  if (!components_.has_all_of(operation)) {
    observability::log_warning(
        "a route is described without what was said of it",
        {{"route", route.pattern}, {"reason", "it refers to a component that is not there"}});
    operation = operation_json(route, entry.path, {}, id, tag);
  }
  components_.use(operation);
  tags_.emplace(tag);
  entry.operations.emplace(route.method, std::move(operation));
}

void Writer::write_tags(JsonWriter& json) const {
  json.key("tags").begin_array();
  const auto write = [&](const std::string& name, const std::string& description,
                         const std::string& license = {}) {
    json.begin_object().member("name", name).member("description", description);
    if (!license.empty()) json.member("x-license", license);
    json.end_object();
  };
  std::set<std::string_view> written;
  for (const auto* tags : {&core_description().tags, &whole_.owners}) {
    for (const Tag& tag : *tags) {
      if (!tags_.contains(tag.name) || !written.insert(tag.name).second) continue;
      write(tag.name, tag.description.empty() ? tag.name : tag.description, tag.license);
    }
  }
  for (const std::string& name : tags_) {
    if (!written.contains(name)) write(name, name);
  }
  json.end_array();
}

std::string Writer::write() const {
  std::string text;
  JsonWriter json(text);
  json.begin_object().member("openapi", "3.1.0").key("info").begin_object();
  json.member("title", whole_.title).member("version", whole_.version).member("description", about);
  json.key("contact").begin_object().member("name", "The admins of " + whole_.title).end_object();
  // OpenAPI demands an SPDX expression here (https://spdx.github.io/spdx-spec, annex D): none is
  // stated.
  json.key("license").begin_object().member("name", "None stated");
  json.member("identifier", "LicenseRef-none-stated").end_object().end_object();
  json.key("servers").begin_array().begin_object().member("url", "/");
  json.member("description", "This server").end_object().end_array();
  write_tags(json);
  json.key("paths").begin_object();
  for (const auto& [shape, path] : paths_) {
    json.key(path.path).begin_object();
    for (const auto& [method, operation] : path.operations) {
      json.key(member_of(method)).raw(operation);
    }
    json.end_object();
  }
  json.end_object().key("components").begin_object();
  components_.write(json);
  json.key("securitySchemes").begin_object().key("session").begin_object();
  json.member("type", "apiKey").member("in", "cookie").member("name", whole_.cookie);
  json.member("description", "The session that `POST /api/core/session` starts.");
  json.end_object().end_object().end_object().end_object();
  return text;
}

}  // namespace

std::string document(const std::vector<std::shared_ptr<const RouteSet>>& sets, const Whole& whole,
                     const std::function<bool(const Route&)>& is_shown) {
  Writer writer(whole);
  for (const auto& set : sets)
    writer.add(*set, is_shown);
  return writer.write();
}

}  // namespace tenon::openapi
