#pragma once

#include <chrono>

#include <tenon/host.hpp>

namespace tenon {

/// The base class of a plugin. Its life cycle:
///
///   1. Constructor: register routes and watchers. The database is not migrated yet, and the
///      plugin must not start threads yet.
///   2. start(): the tables exist. Load data, start threads.
///   3. health(): once before requests arrive, then periodically, concurrently with requests.
///   4. Active: handlers run on any thread of the host, several concurrently.
///   5. quiesce(): no new calls arrive, calls in progress finish. Respond to or destroy all
///      pending Deferred objects.
///   6. stop(): all calls have returned. The SDK asks threads to stop before stop() and joins them
///      after it.
///   7. Destructor.
///
/// An Error thrown in 1, 2 or the first 3 keeps the plugin from becoming active; the admin sees it
/// as the reason. If start() fails, 7 follows; if health() fails, 6 and 7 follow. If the plugin was
/// to replace another version, that version continues with its data.
class Plugin {
 public:
  virtual ~Plugin() = default;
  Plugin(const Plugin&) = delete;
  Plugin& operator=(const Plugin&) = delete;

  virtual void start() {}
  /// Checks whether the plugin can work. Throws an Error if a dependency is missing or the data is
  /// unusable. It must change nothing and return within seconds: the host waits 5 s, and during an
  /// upgrade requests wait too. While the plugin is active, an Error is only shown to the admin.
  virtual void health() {}
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
