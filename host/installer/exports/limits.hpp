#pragma once

#include <cstddef>
#include <cstdint>

namespace tenon::plugins {

/// The bounds of an export, tested and named in the room's README. They hold for writers and for
/// readers; the database and the files of a plugin have their own.
struct ExportLimits {
  static constexpr std::size_t facts = 1024 * 1024;     ///< bytes of export.json
  static constexpr std::size_t settings = 500;          ///< entries with a setting
  static constexpr std::size_t setting = 512 * 1024;    ///< bytes of such an entry
  static constexpr std::size_t claims = 1'000;          ///< in one entry
  static constexpr std::size_t page = 2 * 1024 * 1024;  ///< bytes of an entry with claims
  static constexpr std::size_t name = 200;              ///< bytes of the file's name
  static constexpr std::size_t listed = 1'000;          ///< exports that a list has, the newest
  static constexpr std::uint64_t upload = 1ull << 34;   ///< bytes of a file that is sent: 16 GiB
  static constexpr std::size_t received = 2;            ///< uploads at once
  static constexpr std::uint64_t entry = 1ull << 46;    ///< bytes of any entry: 64 TiB
};

}  // namespace tenon::plugins
