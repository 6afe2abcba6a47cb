#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/unique_fd.hpp"
#include "blobs/sha256.hpp"
#include "installer/exports/export_facts.hpp"
#include "installer/exports/tar_form.hpp"
#include "packages/archive/file_access.hpp"

namespace tenon::plugins {

/// Reads the entries of an export one after the other, in bounded memory. Throws Refusal
/// "plugins.export_invalid", "plugins.export_damaged", "plugins.export_too_large"; 503
/// "plugins.export_unreadable" where the file cannot be read. One thread at a time.
class ExportReader {
 public:
  /// Opens a regular file. Throws Refusal 404 "plugins.export_unknown" where there is none.
  explicit ExportReader(std::string path);
  ExportReader(const ExportReader&) = delete;
  ExportReader& operator=(const ExportReader&) = delete;

  /// Returns the next entry, after the one before it was read. Nothing at the end: then the hash is
  /// correct, and nothing follows it.
  std::optional<TarEntry> next();
  using Sink = std::function<void(std::string_view piece)>;
  void read(const Sink& sink);
  /// Returns a small entry as a whole.
  std::string text(std::size_t max_bytes);

  const std::string& path() const noexcept { return path_; }
  std::uint64_t bytes() const noexcept { return bytes_; }

 private:
  /// Exactly so many bytes; fewer are damage.
  void fill(char* out, std::size_t size);
  std::string_view block();
  void skip_padding();
  void check_end(const std::string& hash);

  const std::string path_;
  base::UniqueFd file_;
  std::uint64_t bytes_ = 0;
  std::vector<char> buffer_;
  blobs::Sha256 hash_;
  TarEntry entry_;
  bool is_open_ = false;  ///< an entry whose content was not read
};

/// Receives the parts of an export. A subclass overrides only those that it needs.
class ExportParts {
 public:
  virtual ~ExportParts() = default;
  virtual void facts(const ExportFacts& facts);
  virtual void setting(const ExportedSetting& setting);
  virtual void begin_data(std::uint64_t bytes);
  virtual void data(std::string_view piece);
  virtual void end_data();
  virtual void begin_blob(const std::string& id, std::uint64_t bytes);
  virtual void blob(std::string_view piece);
  virtual void end_blob(const std::string& id);
  virtual void claims(const std::vector<blobs::Blobs::Claim>& claims);
};

/// Reads a whole export, checks its order, its bounds, every blob's content and the hash of all,
/// and hands on each part as soon as it is read. Throws as ExportReader, parse_facts(), and what
/// the parts throw.
void read_export(const std::string& path, ExportParts& parts);

/// Reads only the facts of an export. Throws as read_export().
ExportFacts read_facts(ExportReader& reader);

}  // namespace tenon::plugins
