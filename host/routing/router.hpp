#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "http/connection/hold.hpp"
#include "http/loop/handler_time.hpp"
#include "observability/request_metrics.hpp"
#include "routing/literal_index.hpp"
#include "routing/route.hpp"

namespace tenon::observability {
class Metrics;
}  // namespace tenon::observability

namespace tenon::routing {

/// A route's name and counters, kept for the life of the router however often its owner comes and
/// goes.
struct RouteRecord {
  std::string owner;
  std::string label;    ///< "GET /api/notes/notes/{id}"
  std::string pattern;  ///< "/api/notes/notes/{id}"
  http::Method method;
  mutable observability::RequestMetrics metrics;
  mutable http::HandlerTime time;  ///< measured by the HTTP server

  RouteRecord(std::string owner, std::string label, const Route& route);
};

/// Sends requests below a public path to a section.
struct Forwarding {
  std::string path;    ///< the public path: "/s"
  std::string prefix;  ///< of the section with its routes: "/api/links"
};

/// The routes under one prefix, or the reason why there are none; or, while they are changed, a
/// hold that requests wait for.
struct Section {
  std::shared_ptr<const RouteSet> routes;
  std::vector<const RouteRecord*> records;  ///< of each route, in the order of routes->routes()
  std::shared_ptr<const base::Error> unavailable;
  std::shared_ptr<http::Hold> hold;              ///< set: no request enters, whatever the rest says
  std::shared_ptr<const Forwarding> forwarding;  ///< set: a public path, and nothing else is set
  bool has_longer = false;                       ///< a longer prefix begins with this one

  /// False for the mere beginning of longer prefixes.
  bool is_served() const noexcept { return routes || unavailable || hold || forwarding; }
};

/// All sections at one moment. Immutable.
class Snapshot {
 public:
  Snapshot() = default;
  Snapshot(const Snapshot& other) : sections_(other.sections_) {}
  Snapshot& operator=(const Snapshot&) = delete;

  struct RouteMatch {
    const Section* section = nullptr;  ///< as find() says; of a public path that of its routes
    RouteSet::Match match;             ///< where the section has routes
  };
  /// The section of the path, and the route in it.
  RouteMatch match(http::Method method, std::string_view path) const;
  /// The section of the longest prefix that covers the path; null when there is none.
  const Section* find(std::string_view path) const noexcept;
  /// All sets of routes, by their prefixes.
  std::vector<std::shared_ptr<const RouteSet>> sets() const;

 private:
  friend class Router;
  void put(const std::string& prefix, const Section& section);
  void erase(const std::string& prefix);
  void erase_public_paths();
  RouteMatch match_public(http::Method method, std::string_view path,
                          const Forwarding& forwarding) const;
  void index_literals();

  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const noexcept {
      return std::hash<std::string_view>{}(text);
    }
  };
  std::unordered_map<std::string, Section, Hash, std::equal_to<>> sections_;
  LiteralIndex literals_;
};

/// Holds the current snapshot. Reading costs one relaxed-to-acquire load and a thread-local
/// pointer; publishing swaps the whole. Thread-safe.
class Router {
 public:
  /// Adds the counts of all routes to `metrics`, which is written to text only while the router
  /// lives.
  explicit Router(observability::Metrics& metrics);
  ~Router();
  Router(const Router&) = delete;
  Router& operator=(const Router&) = delete;

  /// Publishes a set, which replaces any section under its prefix.
  void publish(std::shared_ptr<const RouteSet> set);

  /// From now on every request under the prefix gets `why` (503 while draining, 404 when not
  /// active). Calls that already hold a lease continue.
  void unpublish(const std::string& prefix, base::Error why);

  /// From now on everything under the prefix waits for `hold`, until publish(), unpublish() or
  /// remove() of the prefix. Its routes, if it has any, stay listed, and calls that already hold a
  /// lease continue. The caller releases the hold, but not before that publish(), unpublish() or
  /// remove(): requests that waited are planned at once.
  void hold(const std::string& prefix, std::shared_ptr<http::Hold> hold);

  /// From now on these public paths, and no others, lead to the sets of their prefixes, as far as
  /// those have them. A prefix of the host takes precedence.
  void forward(const std::vector<Forwarding>& public_paths);

  /// Forgets the prefix.
  void remove(const std::string& prefix);

  struct Totals {
    std::uint64_t requests = 0;
    std::uint64_t errors = 0;  ///< responses of class 5xx
    std::uint64_t faults = 0;  ///< those but 503 and 507
  };
  /// Returns the counts of all routes that `owner` ever published.
  Totals totals(std::string_view owner) const;

  /// The snapshot, for the duration of one look-up on this thread. The reference is valid until
  /// this thread's next call.
  const Snapshot& current() const;

  /// Another number after every change.
  std::uint64_t version() const noexcept { return version_.load(std::memory_order_acquire); }

 private:
  template <typename Edit>
  void change(const Edit& edit);
  const RouteRecord* record_of(const RouteSet& set, const Route& route);

  mutable std::mutex mutex_;
  std::map<std::pair<std::string, std::string>, std::unique_ptr<RouteRecord>> records_;
  std::shared_ptr<Snapshot> snapshot_;
  mutable bool is_indexed_ = false;  // the snapshot has its literals, and may be read
  std::atomic<std::uint64_t> version_{1};
  const std::uint64_t identity_;
};

}  // namespace tenon::routing
