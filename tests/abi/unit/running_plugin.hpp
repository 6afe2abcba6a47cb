#pragma once

#include <functional>
#include <string>

#include <tenon/plugin.hpp>

#include "fake_host.hpp"

namespace tenon::test {

class Scripted;

/// Functions that a Scripted calls in each step of its life cycle.
struct Steps {
  std::function<void(Scripted&)> create = [](Scripted&) {};
  std::function<void(Scripted&)> start = [](Scripted&) {};
  std::function<void(Scripted&)> health = [](Scripted&) {};
  std::function<void(Scripted&)> quiesce = [](Scripted&) {};
  std::function<void(Scripted&)> stop = [](Scripted&) {};
};

/// A plugin whose steps the test writes.
class Scripted : public Plugin {
 public:
  static inline Steps steps;

  explicit Scripted(Host& host) : Plugin(host) { steps.create(*this); }
  void start() override { steps.start(*this); }
  void health() override { steps.health(*this); }
  void quiesce(std::chrono::milliseconds) override { steps.quiesce(*this); }
  void stop() override { steps.stop(*this); }

  using Plugin::database;
  using Plugin::host;
  using Plugin::log;
};

/// A Scripted through its entry, as the host sees it: raw functions only.
class RunningPlugin {
 public:
  explicit RunningPlugin(FakeHost& host, Steps steps) : host_(host) {
    Scripted::steps = std::move(steps);
    error.size = sizeof error;
    created = entry.create(host.raw(), &plugin_, &error);
    if (created == TENON_OK) started = plugin_->start(plugin_, &error);
  }
  explicit RunningPlugin(FakeHost& host, std::function<void(Scripted&)> create)
      : RunningPlugin(host, Steps{.create = std::move(create)}) {}
  RunningPlugin(const RunningPlugin&) = delete;
  RunningPlugin& operator=(const RunningPlugin&) = delete;
  ~RunningPlugin() {
    quiesce();
    leave();
  }

  void quiesce() {
    if (plugin_ != nullptr && started == TENON_OK) plugin_->quiesce(plugin_, 1000);
  }
  /// Stop, drop, destroy, as a host does.
  void leave() {
    if (plugin_ == nullptr) return;
    if (started == TENON_OK) plugin_->stop(plugin_);
    host_.drop_callbacks();
    plugin_->destroy(plugin_);
    plugin_ = nullptr;
  }
  tenon_plugin* raw() { return plugin_; }

  static constexpr tenon_plugin_entry entry =
      detail::entry_of<Scripted>(TENON_LITERAL("test"), TENON_LITERAL("1.2.3"), 9);
  tenon_error error{};
  tenon_code created = TENON_OK;
  tenon_code started = TENON_E_STATE;

 private:
  FakeHost& host_;
  tenon_plugin* plugin_ = nullptr;
};

}  // namespace tenon::test
