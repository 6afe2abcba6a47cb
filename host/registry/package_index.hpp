#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "packages/archive/file_list.hpp"
#include "packages/manifest/manifest.hpp"
#include "packages/signature/keys.hpp"

namespace tenon::plugins {

/// A picture of a plugin, next to its package.
struct Screenshot {
  std::string file;        ///< in the registry's folder
  std::uint64_t size = 0;  ///< bytes
  FileHash hash{};
};

/// One version of a plugin as a registry has it.
struct IndexedVersion {
  SemanticVersion version;
  std::string version_text;  ///< as it is in the manifest
  std::string file;          ///< the package, in the registry's folder
  std::uint64_t size = 0;    ///< bytes of the package
  FileHash hash{};           ///< of the package
  std::string key;           ///< number of the key that signed it
  bool has_library = true;   ///< else it runs on every machine, and needs no ABI
  std::uint32_t abi_major = 0;
  std::uint32_t abi_minor = 0;
  std::uint32_t needs_minor = 0;              ///< the oldest minor of a host that will do
  std::vector<Requirement> requires_plugins;  ///< sorted by id
  std::vector<std::string> architectures;     ///< sorted
  std::vector<DeclaredPermission> permissions;
  std::string changelog;  ///< Markdown; empty if there is none
  std::vector<Screenshot> screenshots;
};

/// A plugin of a registry. Name and texts are those of its latest version.
struct IndexedPlugin {
  std::string id;
  std::string name;
  std::string description;
  std::string author;
  std::string license;
  std::string icon;                      ///< name of an icon; may be empty
  std::vector<IndexedVersion> versions;  ///< the newest first; at least one

  /// The newest release; the newest prerelease where there is no release.
  const IndexedVersion& latest() const noexcept;
};

/// The content of a registry: its index.json.
struct PackageIndex {
  std::uint64_t serial = 1;            ///< grows with every change of the index
  std::vector<PublicKey> keys;         ///< of the signers, sorted by number
  std::vector<IndexedPlugin> plugins;  ///< sorted by id

  /// Null when there is none.
  const IndexedPlugin* find(std::string_view id) const noexcept;
};

inline constexpr const char* index_name = "index.json";
inline constexpr const char* index_signature_name = "index.json.minisig";

/// The text of index.json: the same index gives the same bytes.
std::string write_index(const PackageIndex& index);

/// Reads index.json, whose signature was checked already. Members that are not known are passed
/// over. Throws Refusal "plugins.registry_invalid" or "plugins.registry_too_large" that names
/// `file` and the location.
PackageIndex parse_index(std::string_view text, const std::string& file);

/// Checks the signature, a text of minisign, and reads index.json as parse_index() does. Throws
/// also as parse_signature() and check_signature().
PackageIndex open_index(std::string_view text, std::string_view signature, const PublicKey& key,
                        const std::string& file);

/// 128 lower-case hexadecimal digits.
std::string hash_text(const FileHash& hash);

/// The line of a public key's file that is the key.
std::string public_line(const PublicKey& key);

}  // namespace tenon::plugins
