#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "registry/compatibility.hpp"
#include "registry/install_order.hpp"

namespace tenon::plugins {
class Downloads;
class IndexCache;
struct RegistryState;
}  // namespace tenon::plugins

namespace tenon::console {

/// A picture that every browser shows and that carries no script.
struct Picture {
  std::string type;  ///< "image/png"
  std::string content;
};

/// Returns the registry as an admin sees it, as JSON. Thread-safe; blocks while the registry is
/// read.
class RegistryAdmin {
 public:
  /// Plugins that are here.
  using Installed = std::function<std::vector<plugins::InstalledPlugin>()>;
  static constexpr std::size_t max_page = 200;

  /// Both must outlive it; `cache` is null where no registry is configured. `key` returns the
  /// admin's trust in a signer; empty: no key is trusted. Both functions are called on any thread.
  RegistryAdmin(plugins::IndexCache* cache, plugins::Downloads& downloads, Installed installed,
                plugins::KeyTrustLookup key)
      : cache_(cache),
        downloads_(downloads),
        installed_(std::move(installed)),
        key_(std::move(key)) {}

  /// {"url","serial","read","tried","error","keys","total","items","next"} for a query of "q",
  /// "show" ("installable", "installed", "upgradable"), "limit" and "cursor". Throws 422
  /// "plugins.registry_query".
  std::string list(std::string_view query) const;
  /// Reads the registry, then returns its list.
  std::string refresh() const;
  /// Returns one plugin with all versions, each with the reasons against it. Throws 404
  /// "plugins.registry_unknown".
  std::string show(const std::string& id) const;
  /// The screenshot of this number, from 1 on, of a version. Throws 404 "plugins.registry_unknown",
  /// 502 "plugins.registry_unreachable" or "plugins.registry_damaged".
  Picture picture(std::string_view id, std::string_view version, std::string_view number) const;

  /// {"steps":[{"id","name","version","installed"}…],"reasons":[…]}: what is to be installed for a
  /// version, in this order, the last is itself; an empty version means the newest one that can be
  /// installed. Throws 404 "plugins.registry_unknown".
  std::string order(const std::string& id, const std::string& version) const;

  /// Starts the download of a package;
  /// {"number","id","version","state","done","total","package","error"}. Throws as
  /// Downloads::start().
  std::string start_download(const std::string& id, const std::string& version) const;
  /// Returns the state of a download. Throws 404 "plugins.registry_unknown".
  std::string download(std::string_view number) const;
  void cancel_download(std::string_view number) const;
  /// Downloads a package, and returns the name by which it is kept. Throws as
  /// Downloads::fetch_and_keep().
  std::string fetch_and_keep(const std::string& id, const std::string& version) const;

 private:
  struct CheckedIndex;

  std::string page(const plugins::RegistryState& state, std::string_view query) const;
  CheckedIndex check(const plugins::PackageIndex& index) const;

  plugins::IndexCache* cache_;
  plugins::Downloads& downloads_;
  Installed installed_;
  plugins::KeyTrustLookup key_;
};

}  // namespace tenon::console
