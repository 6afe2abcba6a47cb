#pragma once

#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "packages/manifest/manifest.hpp"

namespace tenon::plugins {

/// Tracks which plugins run and which ones they require, so that no required plugin is closed,
/// however changes overlap. Thread-safe.
class Dependencies {
 public:
  /// Registers a plugin that begins to activate: from now on what it requires cannot leave. Throws
  /// Refusal when a requirement is not there: "plugins.requires_missing",
  /// "plugins.requires_inactive", "plugins.requires_version", or when it conflicts with one that
  /// runs: "plugins.conflict".
  void join(const Manifest& manifest);
  /// Registers another version of a plugin that runs, as join() does. Throws Refusal, with nothing
  /// changed, also base::Error 409 "plugins.required_by" when one that runs requires another
  /// version.
  void replace(const Manifest& manifest);
  /// Throws Refusal "plugins.conflict" as join would.
  void check_conflicts(const Manifest& manifest) const;
  /// Marks the plugin as active: others may require it.
  void stay(const std::string& id);
  /// Marks the plugin as leaving: no other may require it any more. Throws base::Error 409
  /// "plugins.required_by" while another does.
  void leave(const std::string& id);
  /// Marks the plugin as leaving even if others require it: it can no longer run.
  void force_leave(const std::string& id);
  /// Removes the plugin, which is gone.
  void remove(const std::string& id);

  /// Returns all that run in the order to close them: each before the plugins that it requires.
  /// Optional ones count too, unless they use each other.
  std::vector<std::string> closing_order() const;

 private:
  struct Running {
    Manifest manifest;
    bool is_available = false;
    std::set<std::string> required;
    std::set<std::string> required_by;
    unsigned long long joined = 0;  // a required plugin joined earlier
  };
  // With the mutex.
  void refuse_conflict(const Manifest& manifest) const;
  void note_conflicts(const Manifest& manifest);
  std::set<std::string> requirements_of(const Manifest& manifest) const;

  mutable std::mutex mutex_;
  std::map<std::string, Running> running_;
  std::set<std::string> naming_;  ///< ids of plugins that name conflicts
  unsigned long long joined_ = 0;
};

/// Returns whether the plugin requires one of these.
bool requires_any_of(const Manifest& manifest, const std::vector<std::string>& ids);

}  // namespace tenon::plugins
