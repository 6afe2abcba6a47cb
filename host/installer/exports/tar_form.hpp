#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tenon::plugins {

inline constexpr std::size_t tar_block = 512;
inline constexpr std::size_t max_tar_name = 100;

/// A plain file of a tar archive.
struct TarEntry {
  std::string name;  ///< 1 to max_tar_name bytes
  std::uint64_t size = 0;
};

/// The header of an entry (POSIX ustar, mode 0600, no owner, no time); beyond 8 GiB the size is
/// binary, as GNU tar has it.
std::array<char, tar_block> tar_header(const TarEntry& entry);

/// Reads a block that tar_header() could have made, and takes no other: nothing else is one.
std::optional<TarEntry> read_tar_header(std::string_view block);

/// Zero bytes that follow the content.
constexpr std::size_t tar_padding(std::uint64_t size) noexcept {
  return (tar_block - static_cast<std::size_t>(size % tar_block)) % tar_block;
}

}  // namespace tenon::plugins
