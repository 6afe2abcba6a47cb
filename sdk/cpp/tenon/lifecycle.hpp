#pragma once

#include <chrono>

#include <tenon/host.hpp>

namespace tenon {

/// A plugin. Its life:
///   1. constructor: register routes and watchers; the database is not migrated yet, threads are
///   not allowed yet
///   2. start(): the tables are there; load what is needed, start threads
///   3. handlers run, on any thread of the host and several at once
///   4. quiesce(): no new calls come, calls in flight finish; answer or drop every Deferred that
///   waits
///   5. stop(): every call has returned; threads are asked to stop before it and joined after it
///   6. destructor
/// An Error thrown in 1 or 2 is the reason the admin reads why the plugin is not active; after a
/// failing start comes 6.
class Plugin {
 public:
  virtual ~Plugin() = default;
  Plugin(const Plugin&) = delete;
  Plugin& operator=(const Plugin&) = delete;

  virtual void start() {}
  /// `deadline` is how long the host waits.
  virtual void quiesce(std::chrono::milliseconds deadline) { static_cast<void>(deadline); }
  virtual void stop() {}

 protected:
  explicit Plugin(Host& host) noexcept : host_(&host) {}

  Host& host() const noexcept { return *host_; }
  Database& database() const noexcept { return host_->database(); }
  const Log& log() const noexcept { return host_->log(); }

 private:
  Host* host_;
};

}  // namespace tenon
