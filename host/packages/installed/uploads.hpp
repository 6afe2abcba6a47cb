#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tenon::plugins {

/// Packages that were sent to be looked at, and may be installed soon: files in
/// `<data>/plugins/.uploads`, named by the hash of their list of files. Thread-safe; blocks.
class PackageUploads {
 public:
  static constexpr std::size_t max_files = 4;  ///< the oldest goes when another comes

  explicit PackageUploads(const std::string& data) : folder_(data + "/plugins/.uploads") {}

  /// Keeps a package; `name` is the hash (hexadecimal). Throws Refusal
  /// "plugins.package_write_failed".
  void keep(const std::string& name, std::string_view bytes);
  /// The file of one. Throws Refusal 404 "plugins.package_unknown" when it is not kept (any more).
  std::string find(const std::string& name) const;
  void forget(const std::string& name) noexcept;

 private:
  const std::string folder_;
};

}  // namespace tenon::plugins
