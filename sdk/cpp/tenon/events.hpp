#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tenon/database.hpp>
#include <tenon/detail/link.hpp>
#include <tenon/events.h>
#include <tenon/json.hpp>

namespace tenon {

/// The recipients of an event: `Audience::everyone()`,
/// `Audience::users({request.user_id()}).and_groups(team)`. Only recipients with access to the
/// topic get the event. An audience without users and groups reaches no one.
class Audience {
 public:
  static Audience everyone() { return Audience(true); }
  static Audience user(std::string id) { return users({std::move(id)}); }
  static Audience users(std::vector<std::string> ids) {
    return Audience(false).and_users(std::move(ids));
  }
  static Audience groups(std::vector<std::string> ids) {
    return Audience(false).and_groups(std::move(ids));
  }

  /// Adds users or groups. No effect on Audience::everyone().
  Audience and_users(std::vector<std::string> ids) && {
    add(users_, std::move(ids));
    return std::move(*this);
  }
  Audience and_groups(std::vector<std::string> ids) && {
    add(groups_, std::move(ids));
    return std::move(*this);
  }

 private:
  friend class Events;
  explicit Audience(bool is_everyone) noexcept : is_everyone_(is_everyone) {}

  void add(std::vector<std::string>& to, std::vector<std::string> ids) const {
    if (is_everyone_) return;
    for (std::string& id : ids)
      to.push_back(std::move(id));
  }

  bool is_everyone_;
  std::vector<std::string> users_;
  std::vector<std::string> groups_;
};

/// Sends events to the browsers that are connected to GET /api/core/events. Events are not stored:
/// use a record for data that a client must not miss. Thread-safe.
class Events {
 public:
  explicit Events(detail::Link& link) noexcept : link_(&link) {}

  /// Declares the topic "<plugin>.<name>". Subscribers need `permission` of plugin.json; if it is
  /// empty, all who may see the plugin can subscribe. Call it in the plugin's constructor or start.
  void declare(std::string_view name, std::string_view permission = {}) {
    const tenon_events_topic raw{sizeof(tenon_events_topic), 0, detail::span(name),
                                 detail::span(permission)};
    tenon_error error = detail::empty_error();
    detail::check(TENON_CALL(*link_, tenon_events, declare, &raw, &error), error);
  }

  /// Publishes an event with one JSON text of at most 16 KiB (empty: null). Does not block, so
  /// inline routes may call it. Usable from start on. Throws Error 413 "events.too_large", 429
  /// "events.too_many".
  void publish_text(std::string_view topic, std::string_view data,
                    const Audience& to = Audience::everyone()) {
    publish_raw(TENON_DB_AUTOCOMMIT, topic, data, to);
  }
  /// Publishes an event after `transaction` commits, and never if it is rolled back. `data` is one
  /// JSON text of at most 16 KiB (empty: null). Throws Error 413 "events.too_large", 429
  /// "events.too_many".
  void publish_text(const Transaction& transaction, std::string_view topic, std::string_view data,
                    const Audience& to = Audience::everyone()) {
    publish_raw(transaction.handle(), topic, data, to);
  }

#ifndef TENON_WITHOUT_JSON
  /// Publishes an event with data of any type that nlohmann's to_json supports.
  void publish(std::string_view topic, const Json& data,
               const Audience& to = Audience::everyone()) {
    publish_text(topic, to_text(data), to);
  }
  void publish(const Transaction& transaction, std::string_view topic, const Json& data,
               const Audience& to = Audience::everyone()) {
    publish_text(transaction, topic, to_text(data), to);
  }
#endif

 private:
  static std::vector<tenon_span> spans(const std::vector<std::string>& ids) {
    std::vector<tenon_span> all;
    all.reserve(ids.size());
    for (const std::string& id : ids)
      all.push_back(detail::span(id));
    return all;
  }

  void publish_raw(tenon_handle transaction, std::string_view topic, std::string_view data,
                   const Audience& to) {
    link_->require(State::starting, State::quiescing, "an event");
    const std::vector<tenon_span> users = spans(to.users_);
    const std::vector<tenon_span> groups = spans(to.groups_);
    const tenon_event raw{sizeof(tenon_event),
                          to.is_everyone_ ? TENON_EVENTS_TO_ALL : 0,
                          detail::span(topic),
                          detail::span(data),
                          users.data(),
                          groups.data(),
                          static_cast<std::uint32_t>(users.size()),
                          static_cast<std::uint32_t>(groups.size())};
    tenon_error error = detail::empty_error();
    detail::check(TENON_CALL(*link_, tenon_events, publish, transaction, &raw, &error), error);
  }

  detail::Link* link_;
};

}  // namespace tenon
