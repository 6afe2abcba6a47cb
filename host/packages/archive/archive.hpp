#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "packages/archive/file_list.hpp"
#include "packages/archive/zip_form.hpp"
#include "packages/signature/signature.hpp"

namespace tenon::plugins {

/// A package whose form, FILES and SIGNATURE were read. Its files are not inflated and its
/// signature is not checked; Contents does both. Immutable.
class Archive {
 public:
  /// `file` is for messages. Throws Refusal "plugins.package_invalid",
  /// "plugins.package_name_invalid", "plugins.package_too_large", "plugins.signature_malformed" or
  /// "plugins.signature_legacy".
  Archive(std::string bytes, std::string file);
  /// Reads a regular file of at most 64 MiB; "plugins.package_unreadable" if it cannot be read.
  static Archive read(const std::string& path);

  const std::string& file() const noexcept { return file_; }
  /// The whole file.
  std::string_view bytes() const noexcept { return *bytes_; }
  std::uint64_t packed_bytes() const noexcept { return bytes_->size(); }
  std::uint64_t unpacked_bytes() const noexcept;
  /// Sorted by the bytes of their names.
  const std::vector<ListedFile>& files() const noexcept { return files_; }
  /// FILES: what is signed.
  std::string_view list_text() const noexcept { return entries_[0].packed; }
  const std::optional<Signature>& signature() const noexcept { return signature_; }

  /// Returns the bytes of this package with another signature.
  std::string with_signature(const Signature& signature) const;

 private:
  friend class Contents;
  /// One for each of files().
  std::span<const ZipEntry> file_entries() const noexcept;

  std::string file_;
  std::unique_ptr<const std::string> bytes_;
  std::vector<ZipEntry> entries_;  // of *bytes_
  std::vector<ListedFile> files_;
  std::optional<Signature> signature_;
};

/// Throws Refusal "plugins.package_unsigned" if the package has no signature.
void require_signature(const Archive& archive);

/// The files of a package, each compared with its size and hash in FILES while it is inflated.
/// Refers to the archive, which must outlive it.
class Contents {
 public:
  /// Checks the signature first. Throws Refusal "plugins.package_unsigned" or as check_signature().
  Contents(const Archive& archive, const PublicKey& key);
  /// Gives access to a package without a check of its signer.
  static Contents unchecked(const Archive& archive) { return Contents(archive); }

  /// Checks every file. Throws Refusal "plugins.package_damaged" that names the first file that
  /// differs from FILES.
  void verify() const;
  /// Returns one whole file of at most `max_bytes` bytes. Throws Refusal "plugins.package_invalid"
  /// where there is none of this name, "plugins.package_too_large" before anything is inflated, and
  /// as verify().
  std::string read(std::string_view name, std::uint64_t max_bytes) const;
  bool has(std::string_view name) const noexcept;
  /// Writes all files below `folder`, which must not exist: files 0644, folders 0755, all of it
  /// synced, its name too. A failure removes everything that was written. Throws as verify(), and
  /// Refusal "plugins.package_write_failed".
  void unpack(const std::string& folder) const;

 private:
  explicit Contents(const Archive& archive) : archive_(archive) {}
  std::optional<std::size_t> find(std::string_view name) const noexcept;
  void inflate(std::size_t index, const std::function<void(std::string_view)>& sink) const;

  const Archive& archive_;
};

}  // namespace tenon::plugins
