#include "events/bus.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <utility>

#include "base/clock.hpp"

namespace tenon::events {

bool topic_matches(std::string_view pattern, std::string_view topic) noexcept {
  if (pattern == "*") return true;
  if (!pattern.ends_with(".*")) return pattern == topic;
  pattern.remove_suffix(1);
  return topic.starts_with(pattern) && topic.size() > pattern.size();
}

bool Audience::includes(std::string_view user,
                        const std::vector<std::string>& of_user) const noexcept {
  const auto has = [](const std::vector<std::string>& all, std::string_view one) {
    return std::binary_search(all.begin(), all.end(), one, std::less<>());
  };
  return is_everybody || has(users, user) ||
         std::any_of(of_user.begin(), of_user.end(),
                     [&](const std::string& group) { return has(groups, group); });
}

class Bus::Implementation {
 public:
  struct Listener {
    std::vector<std::string> topics;
    Callback callback;
  };

  class Held final : public Subscription {
   public:
    Held(Implementation& bus, std::list<Listener>::iterator at) : bus_(bus), at_(at) {}
    ~Held() override {
      const std::lock_guard lock(bus_.mutex_);
      bus_.listeners_.erase(at_);
    }

   private:
    Implementation& bus_;
    std::list<Listener>::iterator at_;
  };

  std::uint64_t publish(std::string topic, std::string data,
                        std::shared_ptr<const Audience> audience) {
    // One lock over numbering and delivery: every subscriber sees the numbers ascend, and a
    // subscription that was ended is not called.
    const std::lock_guard lock(mutex_);
    auto event = std::make_shared<Event>();
    event->number = ++newest_;
    event->topic = std::move(topic);
    event->data = std::move(data);
    event->audience = std::move(audience);
    const std::shared_ptr<const Event> shared = std::move(event);
    for (const Listener& listener : listeners_) {
      const bool wanted = std::any_of(
          listener.topics.begin(), listener.topics.end(),
          [&](const std::string& pattern) { return topic_matches(pattern, shared->topic); });
      if (wanted) listener.callback(shared);
    }
    return shared->number;
  }

  std::mutex mutex_;
  std::list<Listener> listeners_;
  std::atomic<std::uint64_t> newest_{0};

  // Of plugins that are active.
  mutable std::shared_mutex topics_mutex_;
  std::map<std::string, std::vector<std::string>, std::less<>> topics_;
};

Bus::Bus() : Bus(static_cast<std::uint64_t>(base::unix_milliseconds())) {}
Bus::Bus(std::uint64_t newest) : implementation_(std::make_unique<Implementation>()) {
  implementation_->newest_ = newest;
}
Bus::~Bus() = default;

std::uint64_t Bus::publish(std::string topic, std::string data,
                           std::shared_ptr<const Audience> audience) {
  return implementation_->publish(std::move(topic), std::move(data), std::move(audience));
}

void Bus::declare(const std::string& plugin, std::vector<std::string> topics) {
  const std::unique_lock lock(implementation_->topics_mutex_);
  implementation_->topics_[plugin] = std::move(topics);
}

void Bus::remove_plugin(const std::string& plugin) noexcept {
  const std::unique_lock lock(implementation_->topics_mutex_);
  implementation_->topics_.erase(plugin);
}

bool Bus::is_declared(std::string_view topic) const noexcept {
  const std::shared_lock lock(implementation_->topics_mutex_);
  const auto found = implementation_->topics_.find(topic.substr(0, topic.find('.')));
  return found != implementation_->topics_.end() &&
         std::find(found->second.begin(), found->second.end(), topic) != found->second.end();
}

std::unique_ptr<Subscription> Bus::subscribe(std::vector<std::string> topics, Callback callback) {
  const std::lock_guard lock(implementation_->mutex_);
  implementation_->listeners_.push_back({std::move(topics), std::move(callback)});
  return std::make_unique<Implementation::Held>(*implementation_,
                                                std::prev(implementation_->listeners_.end()));
}

std::uint64_t Bus::newest() const noexcept {
  return implementation_->newest_.load();
}

}  // namespace tenon::events
