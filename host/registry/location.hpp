#pragma once

#include <string>
#include <string_view>

namespace tenon::plugins {

/// The location of a registry: a folder of this machine, or a URL of http or https.
class RegistryLocation {
 public:
  /// A text with "://" is a URL, any other a folder. Throws Refusal
  /// "plugins.registry_place_invalid" for what is neither, and for a URL with a user, a query or a
  /// fragment.
  explicit RegistryLocation(std::string_view text);

  bool is_remote() const noexcept { return is_remote_; }
  /// Returns the folder, or the URL, without a slash at its end.
  const std::string& text() const noexcept { return text_; }
  /// Returns the path or URL of one of its files, whose name fault_of_name() must accept.
  std::string at(std::string_view name) const { return text_ + "/" + std::string(name); }

 private:
  std::string text_;
  bool is_remote_ = false;
};

}  // namespace tenon::plugins
