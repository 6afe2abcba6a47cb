#include "realtime/presence.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <shared_mutex>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/ids.hpp"
#include "base/json_writer.hpp"
#include "data/database.hpp"
#include "identity/users/permissions.hpp"
#include "observability/log.hpp"
#include "observability/metrics.hpp"
#include "realtime/limits.hpp"
#include "realtime/subscriber.hpp"
#include "records/api/record_text.hpp"
#include "records/model/access.hpp"

namespace tenon::realtime {

namespace {

using Clock = std::chrono::steady_clock;

// The hue of a user is the same everywhere.
unsigned hue_of(const std::string& user_id) {
  return static_cast<unsigned>(std::stoul(base::sha256_hex(user_id).substr(0, 4), nullptr, 16)) %
         hues;
}

base::Error no_channel() {
  return {404, "presence.no_channel",
          "There is no such event channel of this session that listens to \"presence\"; the "
          "channel's first event names it."};
}

base::Error too_many(const char* whose, const std::string& code, std::size_t max_count) {
  return {429, code,
          "At most " + std::to_string(max_count) + " records are looked at by " + whose +
              "; leave one first."};
}

}  // namespace

class Presence::Core {
 public:
  Core(const identity::Permissions& permissions, observability::Metrics& metrics,
       std::chrono::milliseconds grace_period)
      : permissions_(permissions),
        grace_period_(grace_period),
        looks_(metrics.gauge("tenon_presence_looks", "Records that people look at.")) {
    thread_ = std::thread([this] { run(); });
  }

  void attach(const std::string& plugin, std::shared_ptr<const records::Model> model,
              std::shared_ptr<data::Database> database) {
    {
      const std::unique_lock lock(plugins_mutex_);
      plugins_[plugin] = {std::move(model), std::move(database)};
    }
    // Publishes the changes that an upgrade delayed, by the current rules.
    const std::lock_guard lock(mutex_);
    for (auto viewed = viewed_records_.lower_bound({plugin, {}, {}});
         viewed != viewed_records_.end() && viewed->first.plugin == plugin; ++viewed)
      plan(viewed->first, viewed->second, Clock::now());
  }

  void detach(const std::string& plugin) {
    const std::unique_lock lock(plugins_mutex_);
    plugins_.erase(plugin);
  }

  std::string open(identity::PrincipalPtr principal, std::shared_ptr<http::EventStream> stream) {
    std::string name = base::random_token(channel_bytes);
    const std::lock_guard lock(mutex_);
    channels_.emplace(name, Channel{std::move(principal), std::move(stream), {}});
    return name;
  }

  void close(const std::string& name) {
    const std::lock_guard lock(mutex_);
    const auto channel = channels_.find(name);
    if (channel == channels_.end()) return;
    const Clock::time_point end = Clock::now() + grace_period_;
    for (const PresenceKey& record : channel->second.records) {
      ViewedRecord& viewed = viewed_records_[record];
      viewed.looks[name].gone = end;
      viewed.looks[name].stream.reset();
      plan(record, viewed, end);
    }
    channels_.erase(channel);
  }

  void look(const identity::Principal& asker, const std::string& name, const PresenceKey& record,
            const std::string& state) {
    identity::PrincipalPtr principal;
    {
      const std::lock_guard lock(mutex_);
      principal = channel_of(asker, name).principal;
    }
    if (!sees(record, principal).value_or(false)) throw records::not_found();
    const std::lock_guard lock(mutex_);
    Channel& channel = channel_of(asker, name);
    if (!channel.records.contains(record)) {
      const std::size_t of_person = per_person_[principal->user_id];
      if (channel.records.size() >= looks_of_channel)
        throw too_many("a channel", "presence.too_many_per_channel", looks_of_channel);
      if (of_person >= looks_of_person)
        throw too_many("a person", "presence.too_many_per_person", looks_of_person);
      if (size_ >= looks_of_all) {
        throw base::Error(503, "presence.full",
                          "Too many records are looked at just now; try again later.");
      }
      channel.records.insert(record);
      Look look;
      look.principal = principal;
      look.stream = channel.stream;
      look.order = ++order_;
      viewed_records_[record].looks.emplace(name, std::move(look));
      count(principal->user_id, 1);
    }
    ViewedRecord& viewed = viewed_records_[record];
    viewed.looks[name].state = state;
    viewed.looks[name].said = ++order_;
    // A user who came back keeps their order.
    for (auto old = viewed.looks.begin(); old != viewed.looks.end();) {
      const Look& look = old->second;
      if (!look.gone || look.principal->user_id != principal->user_id) {
        ++old;
        continue;
      }
      viewed.looks[name].order = std::min(viewed.looks[name].order, look.order);
      old = viewed.looks.erase(old);
      count(principal->user_id, -1);
    }
    plan(record, viewed, std::max(Clock::now(), viewed.not_before));
  }

  void leave(const identity::Principal& asker, const std::string& name, const PresenceKey& record) {
    const std::lock_guard lock(mutex_);
    Channel& channel = channel_of(asker, name);
    if (channel.records.erase(record) == 0) return;
    ViewedRecord& viewed = viewed_records_[record];
    viewed.looks.erase(name);
    count(asker.user_id, -1);
    plan(record, viewed, std::max(Clock::now(), viewed.not_before));
  }

  void stop() {
    {
      const std::lock_guard lock(mutex_);
      is_stopping_ = true;
      wakes_.notify_one();
    }
    if (thread_.joinable()) thread_.join();
  }

  std::size_t size() const {
    const std::lock_guard lock(mutex_);
    return size_;
  }

 private:
  static constexpr std::size_t channel_bytes = 16;

  struct Plugin {
    std::shared_ptr<const records::Model> model;
    std::shared_ptr<data::Database> database;
  };
  struct Channel {
    identity::PrincipalPtr principal;
    std::shared_ptr<http::EventStream> stream;
    std::set<PresenceKey> records;
  };
  struct Look {
    identity::PrincipalPtr principal;
    std::shared_ptr<http::EventStream> stream;
    std::string state;
    std::uint64_t order = 0;                               // of arrival
    std::uint64_t said = 0;                                // of the state
    std::string last_sent;                                 // the last text sent to the channel
    std::optional<Clock::time_point> gone = std::nullopt;  // when it counts no longer
  };
  struct ViewedRecord {
    std::map<std::string, Look> looks;  // by channel
    Clock::time_point not_before;
    std::optional<Clock::time_point> due = std::nullopt;
  };
  // A user as others see them.
  struct Watcher {
    const Look* first = nullptr;
    const Look* last = nullptr;
  };
  struct Message {
    std::shared_ptr<http::EventStream> stream;
    SseFrame frame;
  };

  // Under the lock, as all that follow except sees(), publish() and run().
  Channel& channel_of(const identity::Principal& asker, const std::string& name) {
    const auto found = channels_.find(name);
    if (found == channels_.end() || found->second.principal->user_id != asker.user_id ||
        found->second.principal->session_id != asker.session_id)
      throw no_channel();
    return found->second;
  }

  void count(const std::string& user_id, int more) {
    size_ += static_cast<std::size_t>(more);
    const auto entry = per_person_.try_emplace(user_id, 0).first;
    entry->second += static_cast<std::size_t>(more);
    if (entry->second == 0) per_person_.erase(entry);
    looks_.set(static_cast<double>(size_));
  }

  void plan(const PresenceKey& record, ViewedRecord& viewed, Clock::time_point when) {
    if (viewed.due && *viewed.due <= when) return;
    if (viewed.due) due_.erase({*viewed.due, record});
    viewed.due = when;
    due_.emplace(when, record);
    wakes_.notify_one();
  }

  // nullopt: its plugin is not active.
  std::optional<bool> sees(const PresenceKey& record, const identity::PrincipalPtr& principal) {
    const std::shared_lock lock(plugins_mutex_);
    const auto plugin = plugins_.find(record.plugin);
    if (plugin == plugins_.end()) return std::nullopt;
    const records::TableModel* table = plugin->second.model->find(record.table);
    if (table == nullptr || !table->table.publish) return false;
    const expression::Context context = records::context_of(principal, permissions_);
    if (!records::may_any(table->read, context)) return false;
    const records::Visibility seen =
        records::seen_records(table->read, context, "see who looks at this record");
    const records::Statement statement =
        records::record_statement(*table, {}, context, seen, record.id);
    return plugin->second.database->query(statement.sql, statement.cells).next();
  }

  // Returns the users who look, without those whose grace period has ended.
  std::map<std::string, identity::PrincipalPtr> watchers_of(const PresenceKey& record) {
    std::map<std::string, identity::PrincipalPtr> people;
    const Clock::time_point now = Clock::now();
    ViewedRecord& viewed = viewed_records_[record];
    for (auto look = viewed.looks.begin(); look != viewed.looks.end();) {
      if (look->second.gone && *look->second.gone <= now) {
        count(look->second.principal->user_id, -1);
        look = viewed.looks.erase(look);
        continue;
      }
      people.emplace(identity::rights_text(*look->second.principal), look->second.principal);
      ++look;
    }
    return people;
  }

  void drop_blind(const PresenceKey& record, ViewedRecord& viewed,
                  const std::set<std::string>& blind, std::vector<Message>& messages) {
    for (auto look = viewed.looks.begin(); look != viewed.looks.end();) {
      if (!blind.contains(identity::rights_text(*look->second.principal))) {
        ++look;
        continue;
      }
      const auto channel = channels_.find(look->first);
      if (channel != channels_.end()) channel->second.records.erase(record);
      if (look->second.stream)
        messages.push_back({look->second.stream, make_frame(presence_topic, text_of(record, {}))});
      count(look->second.principal->user_id, -1);
      look = viewed.looks.erase(look);
    }
  }

  static std::string text_of(const PresenceKey& record, const std::vector<Watcher>& people,
                             const std::string& but_for = {}) {
    std::string text;
    base::JsonWriter json(text);
    json.begin_object()
        .member("plugin", record.plugin)
        .member("table", record.table)
        .member("id", record.id)
        .key("people")
        .begin_array();
    std::size_t total = 0;
    for (const Watcher& one : people) {
      if (one.first->principal->user_id == but_for || ++total > people_named) continue;
      json.begin_object()
          .member("name", one.last->principal->name)
          .member("hue", hue_of(one.first->principal->user_id));
      if (!one.last->state.empty()) json.member("state", one.last->state);
      json.end_object();
    }
    json.end_array().member("total", total).end_object();
    return text;
  }

  static std::vector<Watcher> people_of(const ViewedRecord& viewed) {
    std::map<std::string, Watcher> by_user;
    for (const auto& [channel, look] : viewed.looks) {
      Watcher& one = by_user[look.principal->user_id];
      if (one.first == nullptr || look.order < one.first->order) one.first = &look;
      if (one.last == nullptr || look.said > one.last->said) one.last = &look;
    }
    std::vector<Watcher> people;
    people.reserve(by_user.size());
    for (const auto& [user, one] : by_user)
      people.push_back(one);
    std::sort(people.begin(), people.end(), [](const Watcher& one, const Watcher& other) {
      return one.first->order < other.first->order;
    });
    return people;
  }

  void publish(const PresenceKey& record) {
    std::map<std::string, identity::PrincipalPtr> watchers;
    {
      const std::lock_guard lock(mutex_);
      watchers = watchers_of(record);
    }
    std::set<std::string> blind;
    for (const auto& [rights, principal] : watchers) {
      const std::optional<bool> is_seen = sees(record, principal);
      if (!is_seen) return;  // attach() comes back to it
      if (!*is_seen) blind.insert(rights);
    }
    std::vector<Message> messages;
    {
      const std::lock_guard lock(mutex_);
      ViewedRecord& viewed = viewed_records_[record];
      drop_blind(record, viewed, blind, messages);
      // Users who came meanwhile were checked when they came; the next update checks again.
      const std::vector<Watcher> people = people_of(viewed);
      std::map<std::string, std::pair<std::string, SseFrame>> texts;  // by user
      for (auto& [name, look] : viewed.looks) {
        if (look.gone) {
          plan(record, viewed, *look.gone);
          continue;
        }
        auto& [text, frame] = texts[look.principal->user_id];
        if (!frame) {
          text = text_of(record, people, look.principal->user_id);
          frame = make_frame(presence_topic, text);
        }
        if (look.last_sent == text) continue;
        look.last_sent = text;
        messages.push_back({look.stream, frame});
      }
      viewed.not_before = Clock::now() + presence_pause;
      if (viewed.looks.empty()) {
        if (viewed.due) due_.erase({*viewed.due, record});
        viewed_records_.erase(record);
      }
    }
    // Outside the lock, because a stream that ends takes it.
    for (const Message& message : messages)
      message.stream->send(message.frame);
  }

  void run() {
    std::unique_lock lock(mutex_);
    while (!is_stopping_) {
      if (due_.empty()) {
        wakes_.wait(lock);
        continue;
      }
      if (due_.begin()->first > Clock::now()) {
        wakes_.wait_until(lock, Clock::time_point(due_.begin()->first));
        continue;
      }
      const PresenceKey record = due_.begin()->second;
      due_.erase(due_.begin());
      viewed_records_[record].due.reset();
      lock.unlock();
      publish_or_retry(record);
      lock.lock();
    }
  }

  void publish_or_retry(const PresenceKey& record) {
    try {
      publish(record);
    } catch (const std::exception& error) {
      observability::log_warning("presence update failed",
                                 {{"plugin", record.plugin}, {"reason", error.what()}});
      const std::lock_guard lock(mutex_);
      plan(record, viewed_records_[record], Clock::now() + trouble_pause);
    }
  }

  const identity::Permissions& permissions_;
  const std::chrono::milliseconds grace_period_;
  observability::Gauge& looks_;

  std::shared_mutex plugins_mutex_;  // held while a database is used
  std::map<std::string, Plugin> plugins_;

  mutable std::mutex mutex_;
  std::condition_variable wakes_;
  std::map<std::string, Channel> channels_;
  std::map<PresenceKey, ViewedRecord> viewed_records_;
  std::set<std::pair<Clock::time_point, PresenceKey>> due_;
  std::map<std::string, std::size_t> per_person_;
  std::size_t size_ = 0;
  std::uint64_t order_ = 0;
  bool is_stopping_ = false;
  std::thread thread_;
};

Presence::Presence(const identity::Permissions& permissions, observability::Metrics& metrics,
                   std::chrono::milliseconds grace_period)
    : core_(std::make_unique<Core>(permissions, metrics, grace_period)) {}

Presence::~Presence() {
  stop();
}

void Presence::attach(const std::string& plugin, std::shared_ptr<const records::Model> model,
                      std::shared_ptr<data::Database> database) {
  core_->attach(plugin, std::move(model), std::move(database));
}

void Presence::detach(const std::string& plugin) noexcept {
  core_->detach(plugin);
}

std::string Presence::open(identity::PrincipalPtr principal,
                           std::shared_ptr<http::EventStream> stream) {
  return core_->open(std::move(principal), std::move(stream));
}

void Presence::close(const std::string& channel) noexcept {
  core_->close(channel);
}

void Presence::look(const identity::Principal& asker, const std::string& channel,
                    const PresenceKey& record, const std::string& state) {
  core_->look(asker, channel, record, state);
}

void Presence::leave(const identity::Principal& asker, const std::string& channel,
                     const PresenceKey& record) {
  core_->leave(asker, channel, record);
}

void Presence::stop() noexcept {
  core_->stop();
}

std::size_t Presence::size() const {
  return core_->size();
}

}  // namespace tenon::realtime
