#pragma once

#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "plugins/manifest/manifest.hpp"

namespace tenon::plugins {

/// Which plugins run, and who stands on whom, so that none is taken away from under another,
/// however changes overlap. Thread-safe.
class Dependencies {
 public:
  /// A plugin begins to activate: from now on what it requires cannot leave. Throws Refusal when a
  /// requirement is not there: "plugins.requires_missing", "plugins.requires_inactive",
  /// "plugins.requires_version", or beside one that runs and does not go with it:
  /// "plugins.conflict".
  void join(const Manifest& manifest);
  /// Another version of one that runs takes its place: as join(). Throws Refusal, with nothing
  /// changed, also base::Error 409 "plugins.required_by" when one that runs requires another
  /// version.
  void replace(const Manifest& manifest);
  /// Throws Refusal "plugins.conflict" as join would.
  void check_conflicts(const Manifest& manifest) const;
  /// It is active: others may require it.
  void stay(const std::string& id);
  /// It begins to leave: nobody may require it any more. Throws base::Error 409
  /// "plugins.required_by" while somebody does.
  void leave(const std::string& id);
  /// The same, whoever requires it: it can no longer run.
  void force_leave(const std::string& id);
  /// It is gone.
  void remove(const std::string& id);

  /// All that run: whoever requires another before it, and whoever uses an optional one too, as far
  /// as those do not use each other.
  std::vector<std::string> closing_order() const;

 private:
  struct Running {
    Manifest manifest;
    bool is_available = false;
    std::set<std::string> stands_on;
    std::set<std::string> carries;
    unsigned long long joined = 0;  // whoever is required joined earlier
  };
  // With the mutex.
  void refuse_conflict(const Manifest& manifest) const;
  void note_conflicts(const Manifest& manifest);
  std::set<std::string> requirements_of(const Manifest& manifest) const;

  mutable std::mutex mutex_;
  std::map<std::string, Running> running_;
  std::set<std::string> naming_;  ///< of these: who names one that it cannot run beside
  unsigned long long joined_ = 0;
};

/// Whether the plugin requires one of these.
bool requires_any_of(const Manifest& manifest, const std::vector<std::string>& ids);

}  // namespace tenon::plugins
