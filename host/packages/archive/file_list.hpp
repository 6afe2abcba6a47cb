#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::plugins {

/// BLAKE2b-512 of a content.
using FileHash = std::array<unsigned char, 64>;

FileHash hash_of(std::string_view content);
/// In 128 lower-case digits.
std::string hex_of(const FileHash& hash);

/// A file of a package as the signed list has it.
struct ListedFile {
  std::string name;
  std::uint64_t size = 0;  ///< bytes
  FileHash hash{};
};

/// The text of FILES: what is signed. `files` are sorted by the bytes of their names.
std::string write_file_list(const std::vector<ListedFile>& files);

/// Reads FILES back; there is exactly one text for given files. Throws Refusal
/// "plugins.package_invalid", "plugins.package_name_invalid" or "plugins.package_too_large" that
/// names `file` and the line.
std::vector<ListedFile> parse_file_list(std::string_view text, const std::string& file);

}  // namespace tenon::plugins
