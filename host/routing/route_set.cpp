#include <algorithm>

#include "base/error.hpp"
#include "routing/route.hpp"

namespace tenon::routing {

namespace {

constexpr std::size_t max_pattern_segments = 32;
constexpr std::size_t max_routes = 1000;

base::Error invalid(const std::string& pattern, const std::string& why) {
  return {500, "routing.invalid_pattern", "The route \"" + pattern + "\" " + why + "."};
}

// Takes the next segment off a path that begins with '/'.
std::string_view take_segment(std::string_view& path) {
  path.remove_prefix(1);
  const std::size_t end = std::min(path.find('/'), path.size());
  const std::string_view segment = path.substr(0, end);
  path.remove_prefix(end);
  return segment;
}

bool is_parameter_name(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

}  // namespace

struct RouteSet::Node {
  std::vector<std::pair<std::string, std::unique_ptr<Node>>> literals;  // sorted by name
  std::unique_ptr<Node> parameter;
  std::vector<const Route*> here;  // patterns that end at this node
  std::vector<const Route*> rest;  // patterns whose last segment, here, is {rest...}
  std::string here_allowed;
  std::string rest_allowed;

  const Node* literal(std::string_view name) const {
    const auto found = std::lower_bound(
        literals.begin(), literals.end(), name,
        [](const auto& pair, std::string_view wanted) { return pair.first < wanted; });
    return found != literals.end() && found->first == name ? found->second.get() : nullptr;
  }
  // The node below by literal segments; null: no pattern goes there.
  const Node* find(std::string_view path) const {
    const Node* node = this;
    while (!path.empty() && node != nullptr)
      node = node->literal(take_segment(path));
    return node;
  }
  Node& make_literal(std::string_view name) {
    const auto found = std::lower_bound(
        literals.begin(), literals.end(), name,
        [](const auto& pair, std::string_view wanted) { return pair.first < wanted; });
    if (found != literals.end() && found->first == name) return *found->second;
    return *literals.emplace(found, std::string(name), std::make_unique<Node>())->second;
  }

  static std::string allow(const std::vector<const Route*>& routes) {
    std::string text;
    for (const Route* route : routes) {
      if (!text.empty()) text += ", ";
      text += http::to_string(route->method);
      if (route->method == http::Method::get) text += ", HEAD";
    }
    return text + ", OPTIONS";
  }

  static const Route* pick(const std::vector<const Route*>& routes, http::Method method) {
    const http::Method wanted = method == http::Method::head ? http::Method::get : method;
    for (const Route* route : routes) {
      if (route->method == wanted) return route;
    }
    return nullptr;
  }

  // A literal wins over a parameter, a parameter over {rest...}; where the winner leads nowhere the
  // next is tried.
  bool match(http::Method method, std::string_view path, Match& match) const {
    const std::size_t count = match.parameters.count;
    if (path.empty()) {
      if (!here.empty()) {
        match.route = pick(here, method);
        match.allowed = here_allowed;
        return true;
      }
    } else {
      std::string_view after = path;
      const std::string_view segment = take_segment(after);
      if (const Node* next = literal(segment)) {
        if (next->match(method, after, match)) return true;
        match.parameters.count = count;
      }
      if (parameter && !segment.empty()) {
        match.parameters.values[count] = segment;
        match.parameters.count = count + 1;
        if (parameter->match(method, after, match)) return true;
        match.parameters.count = count;
      }
    }
    if (rest.empty()) return false;
    match.parameters.values[count] = path.empty() ? path : path.substr(1);
    match.parameters.count = count + 1;
    match.route = pick(rest, method);
    match.allowed = rest_allowed;
    return true;
  }
};

RouteSet::RouteSet(std::string owner, std::string prefix, std::vector<Route> routes,
                   const std::vector<PublicPath>& public_paths)
    : owner_(std::move(owner)),
      prefix_(std::move(prefix)),
      routes_(std::move(routes)),
      root_(std::make_unique<Node>()) {
  if (routes_.size() > max_routes) {
    throw base::Error(500, "routing.too_many",
                      owner_ + " registers more than " + std::to_string(max_routes) + " routes.");
  }
  for (std::size_t i = 0; i < routes_.size(); ++i)
    add(i);
  prefix_node_ = root_->find(prefix_);
  for (const PublicPath& one : public_paths) {
    if (const Node* node = root_->find(one.route)) public_paths_.emplace_back(one.path, node);
  }
}

RouteSet::~RouteSet() = default;

void RouteSet::add(std::size_t index) {
  const Route& route = routes_[index];
  const std::string& pattern = route.pattern;
  if (!pattern.starts_with('/') || !std::string_view(pattern).starts_with(prefix_) ||
      (pattern.size() > prefix_.size() && pattern[prefix_.size()] != '/')) {
    throw invalid(pattern, "does not begin with \"" + prefix_ + "/\"");
  }
  if (route.method == http::Method::head || route.method == http::Method::options ||
      route.method == http::Method::other) {
    throw invalid(pattern, "has a method that cannot be registered");
  }
  if (!route.handler) throw invalid(pattern, "has no handler");

  Node* node = root_.get();
  std::size_t parameters = 0;
  std::size_t segments = 0;
  std::string_view left = pattern == "/" ? std::string_view() : std::string_view(pattern);
  std::vector<const Route*>* entry = nullptr;
  std::string* allowed = nullptr;
  while (!left.empty()) {
    const std::string_view segment = take_segment(left);
    if (++segments > max_pattern_segments)
      throw invalid(pattern, "has more than " + std::to_string(max_pattern_segments) + " segments");
    if (segment.empty()) throw invalid(pattern, "has an empty segment");
    if (!segment.starts_with('{')) {
      if (segment.find_first_of("{}") != std::string_view::npos)
        throw invalid(pattern, "has a brace inside a segment");
      node = &node->make_literal(segment);
      continue;
    }
    if (!segment.ends_with('}')) throw invalid(pattern, "has an unclosed brace");
    std::string_view name = segment.substr(1, segment.size() - 2);
    const bool takes_rest = name.ends_with("...");
    if (takes_rest) name.remove_suffix(3);
    if (!is_parameter_name(name))
      throw invalid(pattern, "has a parameter whose name is not made of a-z, 0-9 and _");
    if (++parameters > Parameters::max)
      throw invalid(pattern, "has more than " + std::to_string(Parameters::max) + " parameters");
    if (takes_rest) {
      if (!left.empty())
        throw invalid(pattern, "has segments after {" + std::string(name) + "...}");
      entry = &node->rest;
      allowed = &node->rest_allowed;
      break;
    }
    if (!node->parameter) node->parameter = std::make_unique<Node>();
    node = node->parameter.get();
  }
  if (!entry) {
    entry = &node->here;
    allowed = &node->here_allowed;
  }
  if (Node::pick(*entry, route.method)) {
    throw base::Error(500, "routing.duplicate_route",
                      std::string(http::to_string(route.method)) + " " + pattern +
                          " is registered twice by " + owner_ + ".");
  }
  if (parameters == 0 && segments > 0 && node->here.empty()) literals_.push_back({pattern, node});
  entry->push_back(&route);
  *allowed = Node::allow(*entry);
}

RouteSet::Match RouteSet::match(http::Method method, const Node& literal) noexcept {
  Match result;
  result.route = Node::pick(literal.here, method);
  result.allowed = literal.here_allowed;
  return result;
}

RouteSet::Match RouteSet::match_public(http::Method method, std::string_view path,
                                       std::string_view rest) const {
  if (method != http::Method::get && method != http::Method::head && method != http::Method::post)
    return {};
  for (const auto& [public_path, node] : public_paths_) {
    if (public_path != path) continue;
    Match result;
    node->match(method, rest, result);
    if (result.route != nullptr && result.route->access == Access::everyone) return result;
    return {};
  }
  return {};
}

RouteSet::Match RouteSet::match(http::Method method, std::string_view path) const {
  Match result;
  const bool is_below = prefix_node_ != nullptr && path.size() > prefix_.size() &&
                        path.starts_with(prefix_) && path[prefix_.size()] == '/';
  if (is_below && !prefix_.empty()) {
    prefix_node_->match(method, path.substr(prefix_.size()), result);
    return result;
  }
  // "/" and "" are the same place; any other trailing slash is a segment of its own and fits
  // nothing but {rest...}.
  root_->match(method, path == "/" ? std::string_view() : path, result);
  return result;
}

}  // namespace tenon::routing
