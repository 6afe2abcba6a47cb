#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tenon::plugins {

/// Stores uploaded packages that may be installed soon: files in
/// `<data>/plugins/.uploads`, named by the hash of their list of files. Thread-safe; blocks.
class PackageUploads {
 public:
  static constexpr std::size_t max_files = 4;  ///< a new one replaces the oldest

  explicit PackageUploads(const std::string& data) : folder_(data + "/plugins/.uploads") {}

  /// Keeps a package; `name` is the hash (hexadecimal). Throws Refusal
  /// "plugins.package_write_failed".
  void keep(const std::string& name, std::string_view bytes);
  /// Returns the file of an upload. Throws Refusal 404 "plugins.package_unknown" if it is not
  /// stored.
  std::string find(const std::string& name) const;
  void forget(const std::string& name) noexcept;

 private:
  const std::string folder_;
};

}  // namespace tenon::plugins
