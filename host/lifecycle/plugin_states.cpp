#include "lifecycle/plugin_states.hpp"

#include <algorithm>
#include <utility>

#include "loader/loader.hpp"
#include "observability/metrics.hpp"

namespace tenon::plugins {

namespace {

// Returns the position of the id, or where it would be inserted.
template <typename Plugins>
auto location(Plugins& plugins, std::string_view id) {
  return std::lower_bound(
      plugins.begin(), plugins.end(), id,
      [](const auto& status, std::string_view wanted) { return status->id < wanted; });
}

}  // namespace

std::string_view to_string(State state) noexcept {
  switch (state) {
    case State::discovered:
      return "discovered";
    case State::resolved:
      return "resolved";
    case State::loaded:
      return "loaded";
    case State::active:
      return "active";
    case State::disabled:
      return "disabled";
    case State::failed:
      return "failed";
    case State::quarantined:
      return "quarantined";
  }
  return "failed";
}

std::string in_words(const PluginStatus* status) {
  if (!status) return "is not installed, or has not started yet";
  switch (status->state) {
    case State::active:
      return "is being changed; try again in a moment";
    case State::disabled:
      return "is disabled";
    case State::failed:
      return "has failed";
    case State::quarantined:
      return "is kept out, for the server went down with it";
    case State::discovered:
    case State::resolved:
    case State::loaded:
      break;
  }
  return "has not started yet";
}

PluginStates::PluginStates() : listing_(std::make_shared<const Listing>()) {}

std::shared_ptr<const Listing> PluginStates::current() const {
  const std::lock_guard lock(mutex_);
  return listing_;
}

std::shared_ptr<const PluginStatus> PluginStates::find(std::string_view id) const {
  const auto listing = current();
  const auto found = location(*listing, id);
  return found != listing->end() && (*found)->id == id ? *found : nullptr;
}

void PluginStates::replace(Listing listing) {
  std::stable_sort(listing.begin(), listing.end(),
                   [](const auto& left, const auto& right) { return left->id < right->id; });
  auto next = std::make_shared<const Listing>(std::move(listing));
  const std::lock_guard lock(mutex_);
  listing_ = std::move(next);
}

void PluginStates::update(PluginStatus status) {
  auto changed = std::make_shared<const PluginStatus>(std::move(status));
  const std::lock_guard lock(mutex_);
  Listing next = *listing_;
  const auto found = location(next, changed->id);
  if (found != next.end() && (*found)->id == changed->id)
    *found = std::move(changed);
  else
    next.insert(found, std::move(changed));
  listing_ = std::make_shared<const Listing>(std::move(next));
}

void PluginStates::remove(std::string_view id) {
  const std::lock_guard lock(mutex_);
  Listing next = *listing_;
  std::erase_if(next, [id](const auto& status) { return status->id == id; });
  listing_ = std::make_shared<const Listing>(std::move(next));
}

void write_metrics(const Listing& listing, const Loader& loader, observability::MetricsSink& sink) {
  for (const auto& status : listing) {
    if (status->is_duplicate) continue;
    sink.gauge("tenon_plugins_state", "The state that a plugin is in.",
               {{"plugin", status->id}, {"state", to_string(status->state)}}, 1);
    sink.gauge("tenon_plugins_resident", "Earlier generations of a plugin that are still mapped.",
               {{"plugin", status->id}}, static_cast<double>(loader.resident(status->id)));
    if (status->reason) {
      sink.gauge("tenon_plugins_trouble",
                 "Why a plugin is not active, or what its storage suffers from while it serves.",
                 {{"plugin", status->id}, {"code", status->reason->code}}, 1);
    }
  }
}

}  // namespace tenon::plugins
