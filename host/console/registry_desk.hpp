#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "plugins/registry/judge.hpp"

namespace tenon::plugins {
class IndexCache;
struct RegistryState;
}  // namespace tenon::plugins

namespace tenon::console {

/// A picture that every browser shows and that carries no script.
struct Picture {
  std::string type;  ///< "image/png"
  std::string content;
};

/// What an admin sees of the registry, as JSON. Thread-safe; blocks while the registry is read.
class RegistryDesk {
 public:
  /// Plugins that are here by their ids, with their versions.
  using Installed = std::function<std::map<std::string, std::string>()>;
  static constexpr std::size_t most_page = 200;

  /// `cache` must outlive it; null where no registry is configured. `key` says what the admin
  /// thinks of a signer; empty: no key is trusted. Both functions are called on any thread.
  RegistryDesk(plugins::IndexCache* cache, Installed installed, plugins::JudgeKey key)
      : cache_(cache), installed_(std::move(installed)), key_(std::move(key)) {}

  /// {"url","serial","read","tried","error","keys","total","items","next"} for a query of "q",
  /// "limit" and "cursor". Throws 422 "plugins.registry_query".
  std::string list(std::string_view query) const;
  /// The same after the registry was read.
  std::string refresh() const;
  /// One plugin with all versions, each with what speaks against it. Throws 404
  /// "plugins.registry_unknown".
  std::string show(const std::string& id) const;
  /// The screenshot of this number, from 1 on, of a version. Throws 404 "plugins.registry_unknown",
  /// 502 "plugins.registry_unreachable" or "plugins.registry_damaged".
  Picture picture(std::string_view id, std::string_view version, std::string_view number) const;

 private:
  std::string page(const plugins::RegistryState& state, std::string_view query) const;
  std::vector<plugins::JudgedPlugin> judged(const plugins::PackageIndex& index) const;

  plugins::IndexCache* cache_;
  Installed installed_;
  plugins::JudgeKey key_;
};

}  // namespace tenon::console
