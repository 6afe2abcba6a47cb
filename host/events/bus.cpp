#include "events/bus.hpp"

#include <algorithm>
#include <atomic>
#include <list>
#include <mutex>
#include <utility>

namespace tenon::events {

bool topic_matches(std::string_view pattern, std::string_view topic) noexcept {
  if (pattern == "*") return true;
  if (!pattern.ends_with(".*")) return pattern == topic;
  pattern.remove_suffix(1);
  return topic.starts_with(pattern) && topic.size() > pattern.size();
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

  std::uint64_t publish(std::string topic, std::string data) {
    // One lock over numbering and delivery: every subscriber sees the numbers ascend, and a
    // subscription that was ended is not called.
    const std::lock_guard lock(mutex_);
    auto event = std::make_shared<Event>();
    event->number = ++newest_;
    event->topic = std::move(topic);
    event->data = std::move(data);
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
};

Bus::Bus() : implementation_(std::make_unique<Implementation>()) {}
Bus::~Bus() = default;

std::uint64_t Bus::publish(std::string topic, std::string data) {
  return implementation_->publish(std::move(topic), std::move(data));
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
