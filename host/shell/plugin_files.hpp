#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>

#include "http/connection/application.hpp"
#include "http/static_files/static_files.hpp"

namespace tenon::shell {

/// Forms of files that a folder under development, and a version that was replaced, keep readable
/// whatever becomes of their folder.
inline constexpr std::size_t max_retained_files = 512;

/// Lists a folder of files whose names carry a hash of their content. Throws as StaticTree::load.
std::shared_ptr<const http::StaticTree> load_tree(const std::string& directory);

/// Serves the UI of a plugin below its prefix, and what only the version before has, which open
/// pages still ask for. Thread-safe; blocks on the disk alone.
class PluginFiles final : public http::Handler {
 public:
  /// `former` may be null. `is_held`: the first request reads all of `current`, for the folder may
  /// be emptied later.
  PluginFiles(std::string prefix, std::shared_ptr<const http::StaticTree> current,
              std::shared_ptr<const http::StaticTree> former, bool is_held);

  void handle(const http::ExchangePtr& exchange) override;
  /// Returns the response for a path below the prefix.
  http::Response respond(const http::Request& request, std::string_view path);

  const std::shared_ptr<const http::StaticTree>& current() const noexcept { return current_; }
  /// May be null.
  std::shared_ptr<const http::StaticTree> former() const;
  /// The version before is not served any more.
  void forget_former();

 private:
  const std::string prefix_;
  const std::shared_ptr<const http::StaticTree> current_;
  std::atomic<bool> is_to_be_read_;
  mutable std::mutex mutex_;  // of the following
  std::shared_ptr<const http::StaticTree> former_;
};

}  // namespace tenon::shell
