#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tenon::plugins::test {

/// An entry of a zip archive with everything that may be wrong with it. Knows nothing of the code
/// under test.
struct RawEntry {
  std::string name;
  std::string packed;
  std::uint32_t method = 0;
  std::uint32_t crc = 0;
  std::uint32_t size = 0;
  std::optional<std::uint32_t> packed_size{};  ///< as the headers have it
  std::uint32_t flags = 0;
  std::uint32_t needed = 20;
  std::uint32_t made_by = 0x314;
  std::uint32_t time = 0;
  std::uint32_t date = 33;
  std::uint32_t internal = 0;
  std::uint32_t attributes = 0100644u << 16;
  std::string extra{};
  std::string comment{};
  std::string trailing{};                   ///< bytes that follow it, a data descriptor or others
  std::optional<std::string> local_name{};  ///< where the local header has another
  std::optional<std::uint32_t> local_crc{};
  std::optional<std::uint32_t> local_size{};
  std::string local_extra{};
  std::optional<std::uint32_t> offset{};  ///< where the directory says it lies
};

struct RawZip {
  std::string before;
  std::vector<RawEntry> entries;
  std::string between{};  ///< before the directory
  std::string after_directory{};
  std::string comment{};
  std::optional<std::uint32_t> count{};
  std::optional<std::uint32_t> directory{};
  std::string trailing{};
};

std::string bytes_of(const RawZip& zip);

RawEntry stored(const std::string& name, const std::string& content);
/// Deflated as zlib does it at any size.
RawEntry deflated(const std::string& name, const std::string& content);

/// A line of FILES.
std::string list_line(const std::string& name, const std::string& content);
/// FILES and then these entries, whose contents are the ones given.
struct RawFile {
  std::string name;
  std::string content;
};
RawZip package_of(const std::vector<RawFile>& files);
/// The same with this text instead of FILES.
RawZip with_list(RawZip zip, const std::string& list);

}  // namespace tenon::plugins::test
