#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "plugins/quarantine/death.hpp"
#include "plugins/quarantine/loading_record.hpp"
#include "plugins/quarantine/quarantine_store.hpp"

namespace tenon::plugins {

struct PluginStatus;
enum class State : std::uint8_t;

inline constexpr std::string_view crashed_code = "plugins.crashed";
inline constexpr std::string_view safe_mode_code = "plugins.safe_mode";

/// How this process came to be started.
struct Restart {
  std::optional<Death> death;  ///< of the process before; nothing where nobody waited for it
  bool is_safe_mode = false;   ///< start without plugins
};

/// Which of those that were left is to blame: what was loaded or started last, else what was young
/// last. Null where nothing was left.
const Unproved* suspect_of(const LeftRecord& left);

/// What is answered under the prefix of a plugin that is not active: 503 "plugins.quarantined",
/// else 404 "plugins.not_active".
base::Error unanswered(State state);

/// Keeps plugins out that brought an earlier process of the host down. `judge` comes first, before
/// plugins are loaded; then thread-safe. Blocks on the database and on the disk.
///
/// A death by a fault or an exit (is_fault) is held against the suspect at once. Of any other, and
/// of one that nobody saw, the suspect is only told apart: when the process ends once more before
/// the plugin has proved itself, it goes into quarantine. A version that a change tried, and that
/// is not the one that is installed now, is logged, and nothing is held against the plugin.
class Quarantine {
 public:
  Quarantine(data::Database& database, const std::string& data);

  /// The version of a plugin that is there; empty: none is.
  using VersionOf = std::function<std::string(const std::string& plugin)>;

  /// Reads what an earlier process left and begins the record of this one.
  void judge(const Restart& restart, const VersionOf& version_of);

  /// A plugin that is to be kept out gets the state and the reason; true then. One that is
  /// disabled, or is refused already, stays as it is.
  bool hold(PluginStatus& status) const;

  /// An admin wants this plugin: lift(), and watch().
  void admit(const std::string& plugin);
  /// It is no longer kept out; durable at the return.
  void lift(const std::string& plugin);
  /// Has it watched for a minute when it is active, for an admin has another version tried.
  void watch(const std::string& plugin);

  /// It is closed: nothing of it runs any more.
  void closed(std::string_view plugin) { record_.forget(plugin); }

  /// From the load of a plugin until it is active or has failed.
  class Watch {
   public:
    /// `tried`: the version that a change puts in the place of the one that is there.
    Watch(Quarantine& quarantine, std::string plugin, std::string tried = {});
    /// Unless it is active: it has failed, and nothing of it runs.
    ~Watch();
    Watch(const Watch&) = delete;
    Watch& operator=(const Watch&) = delete;

    /// What the activation calls when the library is open.
    std::function<void()> on_loaded(std::function<void()> then);
    void active();

   private:
    void note(Doing doing);

    Quarantine& quarantine_;
    const std::string plugin_;
    const std::string tried_;
    bool is_admitted_ = false;
    bool is_suspect_ = false;
    bool is_active_ = false;
  };

  /// The process ends in order.
  void end() { record_.end(); }

 private:
  QuarantineStore store_;
  LoadingRecord record_;
  const std::string data_;
  mutable std::mutex mutex_;
  std::map<std::string, Reason, std::less<>> held_;
  std::map<std::string, bool, std::less<>> admitted_;  // to be watched when active → suspect
  bool is_safe_mode_ = false;
};

}  // namespace tenon::plugins
