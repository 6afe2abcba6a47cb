// A shared library's facts, read from bytes that may be anything.

#include "packages/elf/elf_file.hpp"
#include "packages/reason.hpp"
#include "property.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tenon::plugins;
  const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(data), size);
  try {
    const ElfFacts facts = read_elf(bytes, "x.so", "tenon_plugin_entry_v1", ".tenon.plugin");
    TENON_HOLDS(facts.exported <= size && facts.needed.size() <= 64);
    TENON_HOLDS(!facts.has_symbol || facts.exported > 0);
    TENON_HOLDS(facts.section.size() <= size && facts.section.find('\0') == std::string::npos);
    TENON_HOLDS(facts.has_section || facts.section.empty());
    for (const std::string& library : facts.needed)
      TENON_HOLDS(!library.empty() && library.find('/') == std::string::npos);
  } catch (const Refusal& refusal) {
    TENON_HOLDS(refusal.code() == "plugins.not_a_library" ||
                refusal.code() == "plugins.wrong_architecture");
    TENON_HOLDS(refusal.reason().file == "x.so");
  }
  return 0;
}
