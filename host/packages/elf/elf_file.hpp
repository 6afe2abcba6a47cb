#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::plugins {

/// Facts that a shared library states about itself, read from its bytes; none of its code has run.
struct ElfFacts {
  bool has_symbol = false;  ///< the wanted symbol is defined, data and visible
  std::string section;      ///< content of the wanted section, up to its first NUL
  bool has_section = false;
  std::vector<std::string> needed;      ///< libraries it asks for
  std::size_t exported = 0;             ///< symbols it defines for others
  bool has_unique_symbols = false;      ///< GNU_UNIQUE: would stay mapped
  bool has_thread_destructors = false;  ///< registers destructors of thread-locals: may stay mapped
  bool is_never_unloaded = false;       ///< linked with -z nodelete
  bool has_debug_data = false;          ///< of a debugger, which a release does not need
};

/// For which machines a library may be.
enum class ElfMachine : std::uint8_t { host, any };

/// Reads an ELF64 shared library, little-endian and, unless `machine` says otherwise, for the
/// machine this host runs on. Every offset, size and index is checked against the bytes, so that no
/// file can make it read outside of them. `file` is for messages. Throws Refusal
/// "plugins.not_a_library" or "plugins.wrong_architecture". Format: System V ABI, generic part,
/// chapters 4 and 5.
ElfFacts read_elf(std::span<const std::byte> bytes, const std::string& file,
                  std::string_view symbol, std::string_view section,
                  ElfMachine machine = ElfMachine::host);

/// Name of this machine as the packages spell it: "x86_64", "aarch64".
std::string_view host_architecture() noexcept;

/// Returns where a plugin has its library, below its folder: "lib/x86_64/notes.so".
std::string library_path(const std::string& id,
                         std::string_view architecture = host_architecture());
/// Returns the architecture in a path as library_path() returns it; empty if it is none.
std::string_view architecture_of_path(std::string_view path, const std::string& id) noexcept;

}  // namespace tenon::plugins
