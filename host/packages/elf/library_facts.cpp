#include "packages/elf/library_facts.hpp"

#include <utility>

#include <tenon/entry.h>

#include "base/error.hpp"
#include "base/json.hpp"
#include "packages/elf/elf_file.hpp"
#include "packages/manifest/json_reader.hpp"
#include "packages/manifest/manifest.hpp"
#include "packages/reason.hpp"

namespace tenon::plugins {

namespace {

LibraryFacts parse_facts(const std::string& text, const std::string& file) {
  try {
    const JsonReader top(base::parse_json_object(text), file, TENON_FACTS_SECTION);
    LibraryFacts facts;
    facts.id = top.text("id", 64);
    facts.version = top.text("version", 64);
    const JsonReader abi = top.object("abi");
    facts.abi_major = abi.number("major");
    facts.abi_minor = abi.number("minor");
    facts.needs_host_minor = top.number("needs_host_minor");
    return facts;
  } catch (const Refusal& failure) {
    Reason reason = failure.reason();
    reason.code = "plugins.missing_facts";
    throw Refusal(std::move(reason));
  } catch (const base::Error& failure) {
    throw Refusal({"plugins.missing_facts", failure.message(), file, TENON_FACTS_SECTION});
  }
}

LibraryFacts facts_of(const ElfFacts& elf, const std::string& file) {
  if (elf.has_section) return parse_facts(elf.section, file);
  throw Refusal({"plugins.missing_facts",
                 "The library has no section " TENON_FACTS_SECTION
                 "; build it with tenon_add_plugin() of the SDK.",
                 file,
                 {}});
}

void compare(const LibraryFacts& facts, const Manifest& manifest, const std::string& file) {
  const auto check = [&file](const char* what, const std::string& library,
                             const std::string& manifest_says) {
    if (library == manifest_says) return;
    throw Refusal({"plugins.facts_mismatch",
                   std::string("The library says ") + what + " " + library + ", plugin.json says " +
                       manifest_says + "; build and install both together.",
                   file, what});
  };
  check("id", facts.id, manifest.id);
  check("version", facts.version, manifest.version_text);
  check("abi.major", std::to_string(facts.abi_major), std::to_string(manifest.abi_major));
  check("abi.minor", std::to_string(facts.abi_minor), std::to_string(manifest.abi_minor));
}

std::string why_it_may_stay(const ElfFacts& elf) {
  if (elf.has_unique_symbols) return "it holds a GNU_UNIQUE symbol";
  if (elf.is_never_unloaded) return "it is linked with -z nodelete";
  if (elf.has_thread_destructors)
    return "a thread that touched a thread_local with a destructor has not ended";
  return {};
}

}  // namespace

LibraryFacts inspect_library(const Manifest& manifest, std::span<const std::byte> content,
                             const std::string& shown_as) {
  const ElfFacts elf = read_elf(content, shown_as, TENON_ENTRY_SYMBOL, TENON_FACTS_SECTION);
  LibraryFacts facts = facts_of(elf, shown_as);
  check_abi(facts.abi_major, facts.needs_host_minor, shown_as);
  compare(facts, manifest, shown_as);
  if (!elf.has_symbol) {
    throw Refusal({"plugins.missing_symbol",
                   "The library does not export the data symbol " TENON_ENTRY_SYMBOL ".",
                   shown_as,
                   {}});
  }
  facts.may_stay_mapped = why_it_may_stay(elf);
  return facts;
}

LibraryFacts foreign_facts(const Manifest& manifest, std::span<const std::byte> content,
                           const std::string& shown_as) {
  const ElfFacts elf =
      read_elf(content, shown_as, TENON_ENTRY_SYMBOL, TENON_FACTS_SECTION, ElfMachine::any);
  LibraryFacts facts = facts_of(elf, shown_as);
  compare(facts, manifest, shown_as);
  return facts;
}

void require_declared(const Manifest& manifest, std::string_view path,
                      const std::string& shown_as) {
  if (manifest.has_library || architecture_of_path(path, manifest.id).empty()) return;
  throw Refusal(
      {"plugins.abi_missing",
       "The plugin has a library, but its plugin.json has no \"abi\". Add \"abi\", or remove "
       "the library.",
       shown_as,
       {}});
}

void check_abi(std::uint32_t major, std::uint32_t needs_minor, const std::string& file) {
  const std::string own = std::to_string(TENON_ABI_MAJOR) + "." + std::to_string(TENON_ABI_MINOR);
  if (major > TENON_ABI_MAJOR || (major == TENON_ABI_MAJOR && needs_minor > TENON_ABI_MINOR)) {
    throw Refusal({"plugins.abi_too_new",
                   "The plugin needs ABI " + std::to_string(major) + "." +
                       std::to_string(needs_minor) + "; this host has " + own +
                       ". Upgrade the host, or install an older version of the plugin.",
                   file,
                   {}});
  }
  if (major != TENON_ABI_MAJOR) {
    throw Refusal({"plugins.abi_too_old",
                   "The plugin was built for ABI " + std::to_string(major) + ", which this host (" +
                       own + ") no longer has.",
                   file,
                   {}});
  }
}

}  // namespace tenon::plugins
