#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/connection/application.hpp"
#include "http/parser/request.hpp"
#include "routing/lease.hpp"

namespace tenon::routing {

/// Says which principals may call a route; checked before its handler is entered.
enum class Access : std::uint8_t {
  everyone,   ///< signed in or not
  signed_in,  ///< every user
  admin,      ///< the role admin
  permission  ///< who holds Route::permission
};

/// A method and a path pattern with their handler.
struct Route {
  http::Method method = http::Method::get;  ///< HEAD is handled by GET, OPTIONS by the dispatcher
  std::string pattern;  ///< whole path: "/api/notes/notes/{id}"; a last "{rest...}" takes what
                        ///< follows, slashes too, and may be empty
  Access access = Access::signed_in;
  std::string permission;            ///< with Access::permission
  http::Handler* handler = nullptr;  ///< not owned; lives as long as its RouteSet
  http::BodyMode body = http::BodyMode::none;
  std::uint64_t body_limit = 0;        ///< bytes
  http::WorkerShare* share = nullptr;  ///< null: never blocks, runs on an I/O thread
  bool is_inline = false;  ///< runs on an I/O thread until it blocks one; from then on has `share`
  bool any_host = false;   ///< also for hosts that identity::AllowedHosts does not allow
  std::string summary;     ///< one line for the API's description
  /// Returns the rest of the API's description of it: one JSON object as openapi::read_fragment()
  /// takes it. Called for each document, on any thread that holds a lease. May be empty.
  std::function<std::string()> operation = {};
};

/// Values of a pattern's parameters, in order, as views into the request's path.
struct Parameters {
  static constexpr std::size_t max = 8;
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): see values.
  Parameters() noexcept : count(0) {}
  union {
    std::string_view values[max];  ///< `count` of them; the rest is not even set to nothing
  };
  std::size_t count;
};

/// A short path whose requests go to routes of a set: "/s/x" as "/api/links/go/x".
struct PublicPath {
  std::string path;   ///< "/s"
  std::string route;  ///< "/api/links/go"
};

/// All routes of one owner under one prefix. Immutable after construction, but for the gate.
class RouteSet {
 public:
  /// `prefix` is "/api/notes", "/api/core", "/ui" (one to three segments) or "" for all paths that
  /// no other set takes. Throws base::Error 500 "routing.invalid_pattern",
  /// "routing.duplicate_route" or "routing.too_many" naming the pattern.
  ///
  /// `public_paths` are served once the router forwards them to the prefix.
  RouteSet(std::string owner, std::string prefix, std::vector<Route> routes,
           const std::vector<PublicPath>& public_paths = {});
  ~RouteSet();

  const std::string& owner() const noexcept { return owner_; }
  const std::string& prefix() const noexcept { return prefix_; }
  const std::vector<Route>& routes() const noexcept { return routes_; }
  LeaseGate& gate() const noexcept { return gate_; }

  struct Match {
    const Route* route = nullptr;  ///< null: no such path, or (when allowed is set) no such method
    std::string_view allowed;  ///< value for the Allow field; empty when no pattern fits the path
    Parameters parameters;
  };
  Match match(http::Method method, std::string_view path) const;

  /// Returns the route of a request below a public path: `rest` is what follows the path, empty or
  /// beginning with '/'. Only routes of GET, HEAD and POST with Access::everyone match.
  Match match_public(http::Method method, std::string_view path, std::string_view rest) const;

  struct Node;
  /// A pattern without parameters. A literal wins over a parameter everywhere, so that a path that
  /// is one of these need not be taken apart.
  struct Literal {
    std::string_view path;  ///< alive as long as the set
    const Node* node = nullptr;
  };
  const std::vector<Literal>& literals() const noexcept { return literals_; }
  /// Returns what match() returns for the path of a literal.
  static Match match(http::Method method, const Node& literal) noexcept;

 private:
  void add(std::size_t index);

  std::string owner_;
  std::string prefix_;
  std::vector<Route> routes_;
  std::unique_ptr<Node> root_;
  const Node* prefix_node_ = nullptr;  // where all patterns of a set with a prefix go through
  std::vector<Literal> literals_;
  std::vector<std::pair<std::string, const Node*>> public_paths_;  // with their routes' nodes
  mutable LeaseGate gate_;
};

}  // namespace tenon::routing
