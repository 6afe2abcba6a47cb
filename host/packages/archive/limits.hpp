#pragma once

#include <cstddef>
#include <cstdint>

namespace tenon::plugins {

/// The bounds of a package, tested and named in the room's README. They hold for making a package
/// and for reading one.
struct PackageLimits {
  static constexpr std::uint64_t packed = 64ull * 1024 * 1024;     ///< bytes of the archive
  static constexpr std::uint64_t unpacked = 512ull * 1024 * 1024;  ///< bytes of all files together
  static constexpr std::size_t files = 10'000;          ///< not counting FILES and SIGNATURE
  static constexpr std::size_t name = 255;              ///< bytes of a file's name with its folders
  static constexpr std::size_t levels = 16;             ///< parts of a name
  static constexpr std::size_t list = 4 * 1024 * 1024;  ///< bytes of FILES
  static constexpr std::size_t signature = 4 * 1024;    ///< bytes of SIGNATURE
  static constexpr std::size_t key_file = 1024;         ///< bytes of a file with a key
  static constexpr std::size_t password = 1024;         ///< bytes, as minisign has it
};

}  // namespace tenon::plugins
