#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace tenon::plugins {

struct Manifest;

/// The content of the section TENON_FACTS_SECTION of a library.
struct LibraryFacts {
  std::string id;
  std::string version;
  std::uint32_t abi_major = 0;
  std::uint32_t abi_minor = 0;
  std::uint32_t needs_host_minor = 0;
  /// Why closing may not unmap it ("it holds a GNU_UNIQUE symbol"); empty: it does.
  std::string may_stay_mapped;
};

/// Returns the facts of a library without opening it, compared with the manifest. `shown_as` is the
/// file name in messages. Throws Refusal: "plugins.not_a_library", "plugins.missing_facts",
/// "plugins.facts_mismatch", "plugins.missing_symbol", "plugins.abi_too_new",
/// "plugins.abi_too_old".
LibraryFacts inspect_library(const Manifest& manifest, std::span<const std::byte> content,
                             const std::string& shown_as);
/// Returns the facts of a library for any machine and any ABI, without a look at its symbols.
/// Throws Refusal as inspect_library().
LibraryFacts foreign_facts(const Manifest& manifest, std::span<const std::byte> content,
                           const std::string& shown_as);

/// Throws Refusal "plugins.abi_missing" if the path of a file, below the plugin's folder, is that
/// of a library, but the manifest declares none.
void require_declared(const Manifest& manifest, std::string_view path, const std::string& shown_as);

/// Throws Refusal "plugins.abi_too_new" or "plugins.abi_too_old" when this host cannot run a plugin
/// that was built against `major`.x and needs at least minor `needs_minor` of the host.
void check_abi(std::uint32_t major, std::uint32_t needs_minor, const std::string& file);

}  // namespace tenon::plugins
