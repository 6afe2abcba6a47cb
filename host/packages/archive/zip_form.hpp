#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::plugins {

/// How an entry's bytes are stored in the archive (APPNOTE 4.4.5).
enum class ZipMethod : std::uint16_t { stored = 0, deflated = 8 };

/// An entry as both of its headers describe it.
struct ZipEntry {
  std::string name;
  ZipMethod method = ZipMethod::stored;
  std::uint32_t crc = 0;    ///< CRC-32 of the content
  std::uint32_t size = 0;   ///< bytes of the content
  std::string_view packed;  ///< bytes in the archive; not owned
};

std::uint32_t crc_of(std::string_view content) noexcept;

/// Returns an entry that is stored without compression. `content` must outlive it.
ZipEntry stored_entry(std::string_view name, std::string_view content);

/// The archive of these entries, in their order: the one form that read_zip() takes. Sizes and
/// number are the caller's to bound.
std::string write_zip(std::span<const ZipEntry> entries);

/// Reads the directory of an archive that write_zip() could have made, and takes no other: headers
/// in sequence and equal to the directory's, no byte that belongs to none of them. Names are
/// checked for nothing but their place; nothing is inflated and no content looked at. The
/// result points into `archive`. Throws Refusal "plugins.package_invalid" or
/// "plugins.package_too_large" that names `file`, the entry and the reason.
std::vector<ZipEntry> read_zip(std::string_view archive, const std::string& file);

}  // namespace tenon::plugins
