#pragma once

#include <chrono>

#include <tenon/host.hpp>

namespace tenon {

/// A plugin. Its life:
///   1. constructor: register routes and watchers; the database is not migrated yet, threads are
///   not allowed yet
///   2. start(): the tables are there; load what is needed, start threads
///   3. health(): once before requests come, then from time to time beside them
///   4. handlers run, on any thread of the host and several at once
///   5. quiesce(): no new calls come, calls in flight finish; answer or drop every Deferred that
///   waits
///   6. stop(): every call has returned; threads are asked to stop before it and joined after it
///   7. destructor
/// An Error thrown in 1, 2 or the first 3 is the reason the admin reads why the plugin is not
/// active; after a failing start comes 7, after a failing health() come 6 and 7. Where it was to
/// take the place of another version, that one goes on with its data.
class Plugin {
 public:
  virtual ~Plugin() = default;
  Plugin(const Plugin&) = delete;
  Plugin& operator=(const Plugin&) = delete;

  virtual void start() {}
  /// Throws an Error where the plugin cannot do its work: what it needs is not there, or its data
  /// make no sense to it. Changes nothing, and is back within seconds: the host waits 5 s, requests
  /// with it where it takes the place of another version. Later calls only tell the admin.
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
