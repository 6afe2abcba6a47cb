#pragma once

#include <string>
#include <string_view>

namespace tenon::plugins {

/// Where a registry lies: in a folder of this machine, or below a URL of http or https.
class RegistryLocation {
 public:
  /// What has "://" in it is a URL, everything else a folder. Throws Refusal
  /// "plugins.registry_place_invalid" for what is neither, and for a URL with a user, a query or a
  /// fragment.
  explicit RegistryLocation(std::string_view text);

  bool is_remote() const noexcept { return is_remote_; }
  /// The folder, or the URL, with no slash behind it.
  const std::string& text() const noexcept { return text_; }
  /// Path or URL of one of its files, whose name is such as fault_of_name() passes.
  std::string at(std::string_view name) const { return text_ + "/" + std::string(name); }

 private:
  std::string text_;
  bool is_remote_ = false;
};

}  // namespace tenon::plugins
