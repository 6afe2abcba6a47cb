#include "routing/router.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "observability/metrics.hpp"

namespace tenon::routing {

namespace {

constexpr int max_prefix_segments = 3;

// Length of the first `count` segments of a path: ("/api/notes/x", 2) → 10.
std::size_t segments_length(std::string_view path, int count) noexcept {
  std::size_t at = 0;
  for (int i = 0; i < count; ++i) {
    if (at >= path.size()) return std::string_view::npos;
    do
      ++at;
    while (at < path.size() && path[at] != '/');
  }
  return at;
}

std::atomic<std::uint64_t> routers{1};

}  // namespace

const Section* Snapshot::find(std::string_view path) const noexcept {
  // Most prefixes have two segments, so these are looked for first.
  for (int count = 2; count >= 0; --count) {
    const std::size_t length = segments_length(path, count);
    if (length == std::string_view::npos) continue;
    const auto found = sections_.find(path.substr(0, length));
    if (found == sections_.end()) continue;
    const Section& section = found->second;
    if (count == max_prefix_segments - 1 && section.has_longer) {
      const std::size_t longer = segments_length(path, max_prefix_segments);
      const auto longer_section = longer == std::string_view::npos
                                      ? sections_.end()
                                      : sections_.find(path.substr(0, longer));
      if (longer_section != sections_.end() && longer_section->second.is_served())
        return &longer_section->second;
    }
    if (section.is_served()) return &section;
  }
  return nullptr;
}

Snapshot::RouteMatch Snapshot::match(http::Method method, std::string_view path) const {
  if (const LiteralIndex::Entry* entry = literals_.find(path); entry != nullptr)
    return {entry->section, RouteSet::match(method, *entry->literal.node)};
  RouteMatch found;
  found.section = find(path);
  if (found.section == nullptr) return found;
  if (found.section->routes)
    found.match = found.section->routes->match(method, path);
  else if (found.section->forwarding)
    return match_public(method, path, *found.section->forwarding);
  return found;
}

Snapshot::RouteMatch Snapshot::match_public(http::Method method, std::string_view path,
                                            const Forwarding& forwarding) const {
  RouteMatch found;
  const auto section = sections_.find(forwarding.prefix);
  if (section == sections_.end() || !section->second.is_served()) return found;
  found.section = &section->second;
  if (found.section->routes)
    found.match = found.section->routes->match_public(method, forwarding.path,
                                                      path.substr(forwarding.path.size()));
  return found;
}

void Snapshot::index_literals() {
  std::size_t count = 0;
  for (const auto& [prefix, section] : sections_)
    count += section.routes ? section.routes->literals().size() : 0;
  literals_.reset(count);
  for (const auto& [prefix, section] : sections_) {
    if (!section.routes) continue;
    for (const RouteSet::Literal& literal : section.routes->literals()) {
      // It may belong to a longer prefix.
      if (find(literal.path) == &section) literals_.add(literal, section);
    }
  }
}

std::vector<std::shared_ptr<const RouteSet>> Snapshot::sets() const {
  std::vector<std::shared_ptr<const RouteSet>> sets;
  for (const auto& [prefix, section] : sections_) {
    if (section.routes) sets.push_back(section.routes);
  }
  std::sort(sets.begin(), sets.end(),
            [](const auto& one, const auto& other) { return one->prefix() < other->prefix(); });
  return sets;
}

void Snapshot::put(const std::string& prefix, const Section& section) {
  Section& stored = sections_[prefix];
  const bool has_longer = stored.has_longer;
  stored = section;
  stored.has_longer = has_longer;
  const std::size_t parent = segments_length(prefix, max_prefix_segments - 1);
  if (parent < prefix.size()) sections_[prefix.substr(0, parent)].has_longer = true;
}

void Snapshot::erase(const std::string& prefix) {
  const auto found = sections_.find(prefix);
  if (found == sections_.end()) return;
  if (!found->second.has_longer) {
    sections_.erase(found);
    return;
  }
  found->second = Section();
  found->second.has_longer = true;
}

void Snapshot::erase_public_paths() {
  std::vector<std::string> paths;
  for (const auto& [prefix, section] : sections_) {
    if (section.forwarding) paths.push_back(prefix);
  }
  for (const std::string& path : paths)
    erase(path);
}

RouteRecord::RouteRecord(std::string route_owner, std::string route_label, const Route& route)
    : owner(std::move(route_owner)),
      label(std::move(route_label)),
      pattern(route.pattern),
      method(route.method) {}

Router::Router(observability::Metrics& metrics)
    : snapshot_(std::make_shared<Snapshot>()), identity_(routers.fetch_add(1)) {
  metrics.add_collector([this](observability::MetricsSink& sink) {
    const std::lock_guard lock(mutex_);
    for (const auto& [key, record] : records_)
      record->metrics.collect(sink, record->owner, record->pattern,
                              http::to_string(record->method));
  });
}
Router::~Router() = default;

void Router::publish(std::shared_ptr<const RouteSet> set) {
  const std::string prefix = set->prefix();
  Section section;
  {
    const std::lock_guard lock(mutex_);
    for (const Route& route : set->routes())
      section.records.push_back(record_of(*set, route));
  }
  section.routes = std::move(set);
  change([&](Snapshot& next) { next.put(prefix, section); });
}

void Router::unpublish(const std::string& prefix, base::Error why) {
  Section section;
  section.unavailable = std::make_shared<const base::Error>(std::move(why));
  change([&](Snapshot& next) { next.put(prefix, section); });
}

void Router::hold(const std::string& prefix, std::shared_ptr<http::Hold> hold) {
  change([&](Snapshot& next) {
    const auto found = next.sections_.find(prefix);
    Section section = found == next.sections_.end() ? Section() : found->second;
    section.hold = std::move(hold);
    next.put(prefix, section);
  });
}

void Router::forward(const std::vector<Forwarding>& public_paths) {
  change([&](Snapshot& next) {
    next.erase_public_paths();
    for (const Forwarding& one : public_paths) {
      const auto taken = next.sections_.find(one.path);
      if (taken != next.sections_.end() && taken->second.is_served()) continue;
      Section section;
      section.forwarding = std::make_shared<const Forwarding>(one);
      next.put(one.path, section);
    }
  });
}

void Router::remove(const std::string& prefix) {
  change([&](Snapshot& next) { next.erase(prefix); });
}

const RouteRecord* Router::record_of(const RouteSet& set, const Route& route) {
  std::string label = std::string(http::to_string(route.method)) + " " + route.pattern;
  auto& slot = records_[{set.owner(), label}];
  if (!slot) slot = std::make_unique<RouteRecord>(set.owner(), std::move(label), route);
  return slot.get();
}

Router::Totals Router::totals(std::string_view owner) const {
  Totals totals;
  const std::lock_guard lock(mutex_);
  for (auto at = records_.lower_bound({std::string(owner), ""});
       at != records_.end() && at->first.first == owner; ++at) {
    totals.requests += at->second->metrics.requests();
    totals.errors += at->second->metrics.errors();
    totals.faults += at->second->metrics.faults();
  }
  return totals;
}

template <typename Edit>
void Router::change(const Edit& edit) {
  const std::lock_guard lock(mutex_);
  if (is_indexed_) {
    snapshot_ = std::make_shared<Snapshot>(*snapshot_);
    is_indexed_ = false;
  }
  // Not given out yet: a start makes two changes a plugin, and each would copy what all have.
  edit(*snapshot_);
  version_.fetch_add(1, std::memory_order_release);
}

const Snapshot& Router::current() const {
  struct Cached {
    std::uint64_t router = 0;
    std::uint64_t version = 0;
    std::shared_ptr<const Snapshot> snapshot;
  };
  thread_local Cached cached;
  const std::uint64_t version = version_.load(std::memory_order_acquire);
  if (cached.router != identity_ || cached.version != version) {
    const std::lock_guard lock(mutex_);
    // Indexed at the first read, not at every change: a start makes one change for each plugin. No
    // thread has read this snapshot before, for it is given out here alone, under the lock.
    if (!is_indexed_) snapshot_->index_literals();
    is_indexed_ = true;
    cached.snapshot = snapshot_;
    cached.version = version_.load(std::memory_order_relaxed);
    cached.router = identity_;
  }
  return *cached.snapshot;
}

}  // namespace tenon::routing
