#include "bridge/events/events_interface.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/clock.hpp"
#include "base/json.hpp"
#include "bridge/abi_error.hpp"
#include "bridge/bridge.hpp"
#include "bridge/db/db_interface.hpp"
#include "bridge/spans.hpp"
#include "packages/reason.hpp"

namespace tenon::plugins {

namespace {

constexpr const char* no_event_span = "A span has a size and no data.";
constexpr std::size_t max_receiver_id_bytes = 64;

bool is_event_name(std::string_view name) noexcept {
  return !name.empty() && name.size() <= EventsInterface::max_name_bytes &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
         });
}

// False for one that is no id.
bool read_ids(const tenon_span* spans, std::uint32_t count, std::vector<std::string>& ids) {
  if (count != 0 && !spans) return false;
  ids.reserve(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    if (!is_sound(spans[i]) || spans[i].size == 0 || spans[i].size > max_receiver_id_bytes)
      return false;
    ids.emplace_back(view(spans[i]));
  }
  std::sort(ids.begin(), ids.end());
  return true;
}

}  // namespace

EventsInterface::EventsInterface(Bridge& bridge) : bridge_(bridge) {}

void EventsInterface::check(const data::schema::Tables& tables) const {
  for (const auto& [name, permission] : topics_) {
    if (!tables.find(name)) continue;
    throw Refusal({"plugins.topic_is_table",
                   "The plugin declares the topic \"" + name +
                       "\", which is the one of its table of that name.",
                   "tables.json",
                   {}});
  }
}

std::vector<std::string> EventsInterface::topics() const {
  std::vector<std::string> all;
  for (const auto& [name, permission] : topics_)
    all.push_back(bridge_.plugin_id() + "." + name);
  return all;
}

void EventsInterface::send(events::Event event) {
  bridge_.services().bus->publish(std::move(event.topic), std::move(event.data),
                                  std::move(event.audience));
}

tenon_code EventsInterface::declare(const tenon_events_topic* topic, tenon_error* error) {
  if (!topic || topic->size < TENON_NEED(tenon_events_topic, name))
    return fail_argument(error, "The topic is NULL or too small.");
  const tenon_events_topic known = copy_in(topic);
  if (!is_sound(known.name) || !is_event_name(view(known.name)))
    return fail_argument(error, "The name of a topic is 1 to 48 of a-z, 0-9, _ and -.");
  if (!is_sound(known.permission)) return fail_argument(error, no_event_span);
  if (known.permission.size != 0 && !bridge_.manifest().declares(view(known.permission))) {
    return fail_argument(error, "The permission \"" + std::string(view(known.permission)) +
                                    "\" is not declared in plugin.json.");
  }
  const std::lock_guard lock(mutex_);
  if (topics_.find(view(known.name)) != topics_.end())
    return fail_argument(error,
                         "There is a topic \"" + std::string(view(known.name)) + "\" already.");
  if (topics_.size() == max_topics) {
    return fail(error, TENON_E_TOO_LARGE, 500, "events.too_many_declared",
                "A plugin has at most 32 topics.");
  }
  topics_.emplace(view(known.name), view(known.permission));
  return TENON_OK;
}

tenon_code EventsInterface::read(const tenon_event& known, events::Event& event,
                                 tenon_error* error) const {
  if ((known.flags & ~TENON_EVENTS_TO_ALL) != 0)
    return fail_argument(error, "There are flags that this host does not know.");
  if (!is_sound(known.topic) || !is_sound(known.data)) return fail_argument(error, no_event_span);
  // A thread of the plugin may send an event while start declares the next topic.
  std::unique_lock lock(mutex_);
  const auto topic = topics_.find(view(known.topic));
  lock.unlock();
  if (topic == topics_.end()) {
    return fail(error, TENON_E_NOT_FOUND, 500, "events.undeclared_topic",
                "The plugin did not declare this topic in create or start.");
  }
  if (known.data.size > max_data_bytes) {
    return fail(error, TENON_E_TOO_LARGE, 413, "events.too_large",
                "An event has at most 16 KiB of data. Send an id; the page can fetch the record.");
  }
  const bool is_everybody = (known.flags & TENON_EVENTS_TO_ALL) != 0;
  if (is_everybody && (known.user_count != 0 || known.group_count != 0))
    return fail_argument(error, "An event is for all or for those who are named, not for both.");
  if (known.user_count > max_users || known.group_count > max_groups) {
    return fail(error, TENON_E_TOO_LARGE, 413, "events.too_many_named",
                "An event names at most 1,000 users and 100 groups.");
  }
  auto audience = std::make_shared<events::Audience>();
  audience->plugin = bridge_.plugin_id();
  audience->permission = topic->second;
  audience->is_everybody = is_everybody;
  if (!read_ids(known.users, known.user_count, audience->users) ||
      !read_ids(known.groups, known.group_count, audience->groups))
    return fail_argument(error, "A user or group is an id of 1 to 64 bytes.");
  event.topic = bridge_.plugin_id() + "." + topic->first;
  event.data = known.data.size == 0 ? "null" : std::string(view(known.data));
  base::check_json(event.data);
  // Only between values: inside of a text JSON has none. An event on the wire is one line.
  std::replace_if(
      event.data.begin(), event.data.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  event.audience = std::move(audience);
  return TENON_OK;
}

// Each event uses its share of a second; a burst uses shares that earlier events left.
bool EventsInterface::acquire_rate_slot() noexcept {
  constexpr std::int64_t part = 1'000'000'000 / events_a_second;
  const std::lock_guard lock(mutex_);
  const std::int64_t now = base::monotonic_nanoseconds();
  const std::int64_t begins = std::max(now, busy_until_ns_);
  if (begins - now > (events_at_once - 1) * part) return false;
  busy_until_ns_ = begins + part;
  return true;
}

tenon_code EventsInterface::publish(tenon_handle transaction, const tenon_event* given,
                                    tenon_error* error) {
  if (!given || given->size < TENON_NEED(tenon_event, data))
    return fail_argument(error, "The event is NULL or too small.");
  events::Event event;
  if (const tenon_code code = read(copy_in(given), event, error); code != TENON_OK) return code;
  const auto refuse_rate = [&] {
    return fail(
        error, TENON_E_BUSY, 429, "events.too_many",
        "A plugin sends at most 100 events a second, and 200 at once. Combine several things "
        "in one event.");
  };
  if (transaction == TENON_DB_AUTOCOMMIT) {
    if (!acquire_rate_slot()) return refuse_rate();
    send(std::move(event));
    return TENON_OK;
  }
  return bridge_.db().use(transaction, error, [&](OpenTransaction& open) -> tenon_code {
    if (!open.holds_events) {
      return fail_state(
          error,
          "A migration, and a callback in the transaction of its write, must not send "
          "events; send them in after_write.");
    }
    if (open.events.size() == max_held) {
      return fail(error, TENON_E_TOO_LARGE, 413, "events.too_many_held",
                  "A transaction sends at most 100 events.");
    }
    if (!acquire_rate_slot()) return refuse_rate();
    open.events.push_back(std::move(event));
    return TENON_OK;
  });
}

}  // namespace tenon::plugins
