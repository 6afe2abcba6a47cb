#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::shell {

/// An entry of the shell's navigation.
struct NavigationEntry {
  std::string id;
  std::string title;
  std::string path;
  std::string icon;
  std::string permission;  ///< who sees it; empty: everybody signed in
};

/// The parts of an active plugin that run in the browser.
struct PluginUi {
  std::string id;
  std::string name;
  std::string version;
  std::uint64_t generation = 0;
  std::string directory;  ///< absolute path of its ui/ folder; empty when it has none
  /// The ui/ folder of the version before, which is kept on disk; empty: none is, or it must not be
  /// served.
  std::string former_directory;
  bool is_installed = false;  ///< from a package; else its folder may change as it is worked on
  std::vector<NavigationEntry> navigation;
  std::string contributions;  ///< JSON object of plugin.json's ui.contributions; empty: none
};

/// A plugin's item in /api/core/shell, made once at activation.
class PluginItem {
 public:
  /// Reads `<directory>/manifest.json`, which the UI build wrote. Throws base::Error 500
  /// "shell.ui_invalid" naming file and reason.
  explicit PluginItem(const PluginUi& ui);

  const std::string& id() const noexcept { return id_; }
  /// Name of the entry in the plugin's folder, which is another one for other code; may be empty.
  const std::string& entry() const noexcept { return entry_; }

  /// True when the plugin shows anything to a user whose permissions `allows` knows: it has no
  /// entries, or one that they may see.
  template <typename Allows>
  bool is_shown(const Allows& allows) const {
    return navigation_.empty() ||
           std::any_of(navigation_.begin(), navigation_.end(), [&](const Entry& entry) {
             return entry.permission.empty() || allows(std::string_view(entry.permission));
           });
  }

  /// Returns the item's JSON as seen by a user whose permissions `allows` knows: navigation entries
  /// with a permission they lack are left out. Empty when the plugin shows them nothing.
  template <typename Allows>
  std::string json(const Allows& allows) const {
    std::string entries;
    for (const Entry& entry : navigation_) {
      if (!entry.permission.empty() && !allows(std::string_view(entry.permission))) continue;
      if (!entries.empty()) entries += ',';
      entries += entry.json;
    }
    if (entries.empty() && !navigation_.empty()) return {};
    return head_ + ",\"navigation\":[" + entries + "],\"contributions\":" + contributions_ + "}";
  }

 private:
  struct Entry {
    std::string permission;
    std::string json;
  };
  std::string id_;
  std::string entry_;
  std::string head_;  // everything before the navigation, without the closing brace
  std::vector<Entry> navigation_;
  std::string contributions_;
};

}  // namespace tenon::shell
