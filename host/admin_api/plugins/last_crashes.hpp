#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::console {

/// A crash of the server in a call of a plugin.
struct PluginCrash {
  std::string time;       ///< when the server started again, RFC 3339
  std::string by;         ///< "signal 11 (SIGSEGV)"
  std::string operation;  ///< what the plugin was doing, with route and request
  std::string request;    ///< id of the request or job; users see it in the error. May be empty
  /// Code of plugins on the stack, the innermost first: a function with its source line if the
  /// library has them, else "notes+0x1a2b".
  std::vector<std::string> trace;
};

/// The last crash of each plugin that this process knows: that of the process before. Thread-safe.
class LastCrashes {
 public:
  void set(const std::string& plugin, PluginCrash crash);
  /// No effect for a plugin without a crash.
  void set_trace(const std::string& plugin, std::vector<std::string> trace);
  std::optional<PluginCrash> find(std::string_view plugin) const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, PluginCrash, std::less<>> crashes_;
};

}  // namespace tenon::console
