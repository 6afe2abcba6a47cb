#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "blobs/blobs.hpp"
#include "data/snapshot/snapshot.hpp"

namespace tenon::plugins {

/// Entries of an export, in their order. Numbers ascend from 1, ids of blobs ascend.
///
///   export.json            ExportFacts
///   settings/<n>.json      one setting each
///   data.db                the plugin's database, where it has one
///   blobs/<SHA-256>        every file that a record claims, once
///   claims/<n>.json        who claims which of them
///   hash                   SHA-256 of all bytes before this entry
inline constexpr const char* facts_entry = "export.json";
inline constexpr const char* settings_folder = "settings/";
inline constexpr const char* data_entry = "data.db";
inline constexpr const char* blobs_folder = "blobs/";
inline constexpr const char* claims_folder = "claims/";
inline constexpr const char* hash_entry = "hash";

/// The form above; another one is refused.
inline constexpr int export_format = 1;

/// The facts that an export states about itself.
struct ExportFacts {
  std::string plugin;
  std::string version;        ///< of the plugin that was removed
  std::int64_t taken_ms = 0;  ///< since 1970
  std::string data_version;   ///< of the plugin that wrote the data last; empty: it has none
  int migration = 0;          ///< number of the last of its migrations that ran; 0: none
  std::uint64_t data_bytes = 0;
  std::vector<data::TableRows> tables;
  std::uint64_t files = 0;  ///< blobs, when the export was begun
  std::uint64_t file_bytes = 0;
};

std::string facts_text(const ExportFacts& facts);
/// Throws Refusal "plugins.export_invalid" that names `file`; "plugins.export_format" for an export
/// of another format.
ExportFacts parse_facts(std::string_view text, const std::string& file);

struct ExportedSetting {
  std::string key;
  std::string json;
};
std::string setting_text(const ExportedSetting& setting);
/// Throws Refusal "plugins.export_invalid" about the entry `location`.
ExportedSetting parse_setting(std::string_view text, const std::string& file,
                              const std::string& location);

std::string claims_text(const std::vector<blobs::Blobs::Claim>& claims);
/// At most ExportLimits::claims. Throws as parse_setting().
std::vector<blobs::Blobs::Claim> parse_claims(std::string_view text, const std::string& file,
                                              const std::string& location);

}  // namespace tenon::plugins
