#include "realtime/realtime.hpp"

#include <algorithm>
#include <condition_variable>
#include <future>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "data/database.hpp"
#include "identity/users/permissions.hpp"
#include "observability/log.hpp"
#include "observability/metrics.hpp"
#include "realtime/change_feed.hpp"
#include "realtime/limits.hpp"

namespace tenon::realtime {

class Realtime::Core : public std::enable_shared_from_this<Core> {
 public:
  Core(const identity::Permissions& permissions, observability::Metrics& metrics)
      : permissions_(permissions),
        sent_events_(metrics.counter("tenon_live_events_total",
                                     "Changes of records and resyncs sent to subscribers.")),
        followers_(metrics.gauge("tenon_live_subscribers", "Channels that follow records.")) {}

  void start() {
    thread_ = std::thread([this] { run(); });
  }

  /// False when the thread has ended: nothing is used any more.
  bool post(std::function<void()> command) {
    const std::lock_guard lock(mutex_);
    if (has_ended_) return false;
    commands_.push_back(std::move(command));
    wakes_.notify_one();
    return true;
  }

  void attach(const std::string& plugin, std::shared_ptr<const records::Model> model,
              std::shared_ptr<data::Database> database) {
    {
      const std::lock_guard lock(mutex_);
      models_[plugin] = model;
    }
    database->on_commit([weak = weak_from_this(), plugin] {
      if (const auto self = weak.lock()) self->note_commit(plugin);
    });
    post([this, plugin, model = std::move(model), database = std::move(database)]() mutable {
      const auto feed =
          std::make_shared<ChangeFeed>(plugin, std::move(model), std::move(database), permissions_);
      feeds_[plugin] = feed;
      for (const SubscriberPtr& subscriber : subscribers_)
        join(*feed, subscriber, true);
      note_followed(plugin);
    });
  }

  void detach(const std::string& plugin) {
    {
      const std::lock_guard lock(mutex_);
      if (models_.erase(plugin) == 0) return;
    }
    const auto gone = std::make_shared<std::promise<void>>();
    const bool is_taken = post([this, plugin, gone] {
      feeds_.erase(plugin);
      for (const SubscriberPtr& subscriber : subscribers_)
        subscriber->positions.erase(plugin);
      note_followed(plugin);
      gone->set_value();
    });
    if (is_taken) gone->get_future().wait();
  }

  void check(const identity::PrincipalPtr& principal, const std::vector<TopicFilter>& interests) {
    std::map<std::string, std::shared_ptr<const records::Model>> models;
    {
      const std::lock_guard lock(mutex_);
      for (const TopicFilter& interest : interests) {
        const auto found = models_.find(interest.plugin);
        if (found != models_.end()) models[found->first] = found->second;
      }
    }
    for (const auto& [plugin, model] : models)
      check_interests(*model, plugin, interests, principal, permissions_);
  }

  void add(const SubscriberPtr& subscriber) {
    post([this, subscriber] {
      if (subscriber->is_gone) return;
      subscribers_.push_back(subscriber);
      followers_.set(static_cast<double>(subscribers_.size()));
      // It keeps no positions of plugins that are not active.
      std::erase_if(subscriber->positions,
                    [&](const auto& position) { return !feeds_.contains(position.first); });
      std::vector<std::string> joined;
      for (auto& [plugin, feed] : feeds_) {
        if (join(*feed, subscriber, false)) joined.push_back(plugin);
      }
      if (subscriber->is_gone) return;
      subscriber->on_ready(print_positions(subscriber->positions));
      for (const std::string& plugin : joined)
        note_followed(plugin);
    });
  }

  void remove(const SubscriberPtr& subscriber) {
    subscriber->is_gone = true;
    post([this, subscriber] {
      std::erase(subscribers_, subscriber);
      followers_.set(static_cast<double>(subscribers_.size()));
      for (auto& [plugin, feed] : feeds_) {
        feed->prune();
        note_followed(plugin);
      }
    });
  }

  void stop() {
    {
      const std::lock_guard lock(mutex_);
      is_stopping_ = true;
      wakes_.notify_one();
    }
    if (thread_.joinable()) thread_.join();
  }

  std::size_t subscribers() const { return static_cast<std::size_t>(followers_.value()); }

 private:
  // The pending work of a feed; under the lock.
  struct Due {
    bool is_followed = false;
    bool is_due = false;
  };

  void note_commit(const std::string& plugin) noexcept {
    const std::lock_guard lock(mutex_);
    const auto found = due_.find(plugin);
    if (found == due_.end() || !found->second.is_followed || found->second.is_due) return;
    found->second.is_due = has_due_ = true;
    wakes_.notify_one();
  }

  // Runs on the thread. Notes whether the plugin has followers; if so there may be changes to
  // deliver.
  void note_followed(const std::string& plugin) {
    const auto feed = feeds_.find(plugin);
    const bool is_followed = feed != feeds_.end() && !feed->second->is_idle();
    const std::lock_guard lock(mutex_);
    due_[plugin] = {is_followed, is_followed};
    has_due_ |= is_followed;
  }

  bool join(ChangeFeed& feed, const SubscriberPtr& subscriber, bool is_late) {
    const auto& interests = subscriber->interests;
    const bool is_meant =
        std::any_of(interests.begin(), interests.end(),
                    [&](const TopicFilter& interest) { return interest.plugin == feed.plugin(); });
    if (!is_meant || subscriber->is_gone) return false;
    try {
      feed.join(subscriber, is_late);
      return true;
    } catch (const std::exception& error) {
      // Its client connects again and gets the error.
      observability::log_warning("a subscriber could not join",
                                 {{"plugin", feed.plugin()}, {"reason", error.what()}});
      subscriber->is_gone = true;
      subscriber->stream->close();
      return false;
    }
  }

  void deliver(const std::string& plugin) {
    const auto found = feeds_.find(plugin);
    if (found == feeds_.end()) return;
    ChangeFeed& feed = *found->second;
    const std::uint64_t before = feed.delivered_count();
    bool is_due = false;
    try {
      is_due = feed.deliver();
    } catch (const std::exception& error) {
      observability::log_warning("change delivery failed",
                                 {{"plugin", plugin}, {"reason", error.what()}});
      is_due = true;
      pause_ = trouble_pause;
    }
    sent_events_.add(feed.delivered_count() - before);
    const std::lock_guard lock(mutex_);
    due_[plugin].is_followed = !feed.is_idle();
    due_[plugin].is_due = due_[plugin].is_due || is_due;
    has_due_ |= is_due;
  }

  void run() {
    std::unique_lock lock(mutex_);
    while (!is_stopping_) {
      wakes_.wait(lock, [&] { return is_stopping_ || !commands_.empty() || has_due_; });
      const auto commands = std::exchange(commands_, {});
      lock.unlock();
      for (const auto& command : commands)
        command();
      lock.lock();
      std::vector<std::string> due;
      // A start attaches one plugin after the other, and each would look at all before it.
      if (std::exchange(has_due_, false)) {
        for (auto& [plugin, one] : due_) {
          if (std::exchange(one.is_due, false)) due.push_back(plugin);
        }
      }
      lock.unlock();
      pause_ = round_pause;
      for (const std::string& plugin : due)
        deliver(plugin);
      lock.lock();
      // Commands do not wait for the pause, because disabling a plugin waits for them.
      if (!due.empty())
        wakes_.wait_for(lock, pause_, [&] { return is_stopping_ || !commands_.empty(); });
    }
    has_ended_ = true;
    const auto commands = std::exchange(commands_, {});
    lock.unlock();
    for (const auto& command : commands)
      command();
    feeds_.clear();
    subscribers_.clear();
  }

  const identity::Permissions& permissions_;
  observability::Counter& sent_events_;
  observability::Gauge& followers_;

  std::mutex mutex_;
  std::condition_variable wakes_;
  std::vector<std::function<void()>> commands_;
  std::map<std::string, Due> due_;
  bool has_due_ = false;  // one of them is due; may still be set after that one is gone
  std::map<std::string, std::shared_ptr<const records::Model>> models_;
  bool is_stopping_ = false;
  bool has_ended_ = false;

  // The thread's.
  std::map<std::string, std::shared_ptr<ChangeFeed>> feeds_;
  std::vector<SubscriberPtr> subscribers_;
  std::chrono::milliseconds pause_{round_pause};
  std::thread thread_;
};

namespace {

// Keeps no subscriber longer than its channel.
class Held final : public Subscription {
 public:
  explicit Held(std::function<void()> end) : end_(std::move(end)) {}
  ~Held() override { end_(); }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;

 private:
  const std::function<void()> end_;
};

}  // namespace

Realtime::Realtime(const identity::Permissions& permissions, observability::Metrics& metrics)
    : presence_(permissions, metrics), core_(std::make_shared<Core>(permissions, metrics)) {
  core_->start();
}

Realtime::~Realtime() {
  stop();
}

void Realtime::attach(const std::string& plugin, const std::shared_ptr<const records::Model>& model,
                      std::shared_ptr<data::Database> database) {
  presence_.attach(plugin, model, database);
  core_->attach(plugin, model, std::move(database));
}

void Realtime::detach(const std::string& plugin) noexcept {
  presence_.detach(plugin);
  core_->detach(plugin);
}

void Realtime::check(const identity::PrincipalPtr& principal,
                     const std::vector<TopicFilter>& interests) const {
  core_->check(principal, interests);
}

std::unique_ptr<Subscription> Realtime::subscribe(SubscriberPtr subscriber) {
  core_->add(subscriber);
  return std::make_unique<Held>([weak = std::weak_ptr(core_), subscriber = std::move(subscriber)] {
    subscriber->is_gone = true;
    if (const auto core = weak.lock()) core->remove(subscriber);
  });
}

void Realtime::stop() noexcept {
  presence_.stop();
  core_->stop();
}

std::size_t Realtime::subscribers() const {
  return core_->subscribers();
}

}  // namespace tenon::realtime
