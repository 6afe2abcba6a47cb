#include "packages/elf/elf_file.hpp"

#include <cstring>
#include <utility>

#include <elf.h>

#include "packages/reason.hpp"

namespace tenon::plugins {

namespace {

constexpr std::size_t max_sections = 65'535;
constexpr std::size_t max_needed = 64;
constexpr std::size_t max_section_bytes = 64 * 1024;  // of the facts
constexpr std::size_t max_name_bytes = 255;           // of a needed library

#if defined(__x86_64__)
constexpr std::uint16_t host_machine = EM_X86_64;
constexpr std::string_view host_name = "x86_64";
#elif defined(__aarch64__)
constexpr std::uint16_t host_machine = EM_AARCH64;
constexpr std::string_view host_name = "aarch64";
#else
#error "name this machine"
#endif

std::string machine_name(std::uint16_t machine) {
  switch (machine) {
    case EM_X86_64:
      return "x86_64";
    case EM_AARCH64:
      return "aarch64";
    case EM_386:
      return "i386";
    case EM_ARM:
      return "arm";
    case EM_RISCV:
      return "riscv";
    default:
      return "machine " + std::to_string(machine);
  }
}

class Reader {
 public:
  Reader(std::span<const std::byte> bytes, const std::string& file, ElfMachine machine)
      : bytes_(bytes), file_(file), machine_(machine) {}

  ElfFacts read(std::string_view symbol, std::string_view section) {
    read_header();
    check_segments();
    const std::span<const std::byte> names = section_bytes(section_header(header_.e_shstrndx));
    check_end(names);
    ElfFacts facts;
    bool has_symbols = false;
    bool has_dynamic = false;
    for (std::uint16_t i = 0; i < header_.e_shnum; ++i) {
      const Elf64_Shdr found = section_header(i);
      // One of each, as the format says; thousands over the same bytes would take hours.
      if (found.sh_type == SHT_DYNSYM) {
        if (std::exchange(has_symbols, true)) refuse("it has two tables of symbols");
        read_symbols(found, symbol, facts);
      } else if (found.sh_type == SHT_DYNAMIC) {
        if (std::exchange(has_dynamic, true)) refuse("it has two tables for the dynamic linker");
        read_dynamic(found, facts);
      } else if (found.sh_type == SHT_PROGBITS && is_named(names, found.sh_name, section)) {
        if (facts.has_section) refuse("it has two sections of facts");
        read_section(found, facts);
      } else if (found.sh_type == SHT_PROGBITS && is_named(names, found.sh_name, ".debug_info")) {
        facts.has_debug_data = true;
      }
    }
    return facts;
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw Refusal({"plugins.not_a_library",
                   "This is no shared library that can be loaded: " + why + ".",
                   file_,
                   {}});
  }

  // Copies, for the bytes need not be aligned.
  template <typename Struct>
  Struct at(std::uint64_t offset) const {
    Struct found;
    const auto source = part(offset, sizeof(Struct));
    std::memcpy(&found, source.data(), sizeof(Struct));
    return found;
  }

  std::span<const std::byte> part(std::uint64_t offset, std::uint64_t size) const {
    if (offset > bytes_.size() || size > bytes_.size() - offset)
      refuse("it is cut off, or a part lies outside of the file");
    return bytes_.subspan(offset, size);
  }

  void read_header() {
    const auto ident = part(0, EI_NIDENT);
    if (std::memcmp(ident.data(), ELFMAG, SELFMAG) != 0) refuse("it does not begin as an ELF file");
    const auto byte = [&ident](int i) {
      return std::to_integer<int>(ident[static_cast<std::size_t>(i)]);
    };
    if (byte(EI_CLASS) != ELFCLASS64 || byte(EI_DATA) != ELFDATA2LSB) {
      throw Refusal({"plugins.wrong_architecture",
                     "The library is not for 64-bit little-endian machines.",
                     file_,
                     {}});
    }
    header_ = at<Elf64_Ehdr>(0);
    if (byte(EI_VERSION) != EV_CURRENT || header_.e_version != EV_CURRENT)
      refuse("its ELF version is unknown");
    if (machine_ == ElfMachine::host && header_.e_machine != host_machine) {
      throw Refusal({"plugins.wrong_architecture",
                     "The library is built for " + machine_name(header_.e_machine) +
                         "; this host runs on " + std::string(host_name) + ".",
                     file_,
                     {}});
    }
    if (header_.e_type != ET_DYN) refuse("it is not linked as a shared library");
    if (header_.e_shnum == 0 || header_.e_shnum > max_sections ||
        header_.e_shentsize != sizeof(Elf64_Shdr)) {
      refuse("it has no table of sections");
    }
    if (header_.e_shstrndx >= header_.e_shnum) refuse("its sections have no names");
    part(header_.e_shoff, std::uint64_t{header_.e_shnum} * sizeof(Elf64_Shdr));
    if (header_.e_phnum == 0 || header_.e_phnum == PN_XNUM ||
        header_.e_phentsize != sizeof(Elf64_Phdr)) {
      refuse("it has no segments");
    }
    part(header_.e_phoff, std::uint64_t{header_.e_phnum} * sizeof(Elf64_Phdr));
  }

  // Checks segments that the dynamic loader would map unchecked: a segment outside of the file
  // kills the process when it is touched.
  void check_segments() const {
    bool has_dynamic = false;
    for (std::uint16_t i = 0; i < header_.e_phnum; ++i) {
      const auto segment = at<Elf64_Phdr>(header_.e_phoff + std::uint64_t{i} * sizeof(Elf64_Phdr));
      if (segment.p_type != PT_LOAD && segment.p_type != PT_DYNAMIC && segment.p_type != PT_TLS)
        continue;
      part(segment.p_offset, segment.p_filesz);
      if (segment.p_filesz > segment.p_memsz)
        refuse("a segment is larger in the file than in memory");
      if (segment.p_type == PT_LOAD && segment.p_align > 1 &&
          (segment.p_align & (segment.p_align - 1)) != 0) {
        refuse("a segment is aligned oddly");
      }
      has_dynamic = has_dynamic || segment.p_type == PT_DYNAMIC;
    }
    if (!has_dynamic) refuse("it has nothing to link dynamically");
  }

  Elf64_Shdr section_header(std::uint64_t index) const {
    if (index >= header_.e_shnum) refuse("it names a section that is not there");
    return at<Elf64_Shdr>(header_.e_shoff + index * sizeof(Elf64_Shdr));
  }

  std::span<const std::byte> section_bytes(const Elf64_Shdr& section) const {
    if (section.sh_type == SHT_NOBITS) return {};
    return part(section.sh_offset, section.sh_size);
  }

  void check_end(std::span<const std::byte> names) const {
    if (names.empty() || names.back() != std::byte{0}) refuse("a name has no end");
  }

  // Returns the start of a name, in a table that check_end has passed.
  const char* name_at(std::span<const std::byte> names, std::uint64_t offset) const {
    if (offset >= names.size()) refuse("a name lies outside of its table");
    return reinterpret_cast<const char*>(names.data()) + offset;
  }

  // Looks at no more of the name than it must: a table of one long name serves many symbols.
  bool is_named(std::span<const std::byte> names, std::uint64_t offset,
                std::string_view wanted) const {
    const char* name = name_at(names, offset);
    return names.size() - offset > wanted.size() && name[wanted.size()] == '\0' &&
           std::memcmp(name, wanted.data(), wanted.size()) == 0;
  }

  void read_symbols(const Elf64_Shdr& section, std::string_view wanted, ElfFacts& facts) const {
    const auto table = section_bytes(section);
    const auto names = section_bytes(section_header(section.sh_link));
    check_end(names);
    if (section.sh_entsize != sizeof(Elf64_Sym)) refuse("its table of symbols has an unknown form");
    // The first entry is reserved and empty.
    for (std::size_t i = 1; i < table.size() / sizeof(Elf64_Sym); ++i) {
      const auto symbol = at<Elf64_Sym>(section.sh_offset + i * sizeof(Elf64_Sym));
      const auto is_called = [&](std::string_view name) {
        return is_named(names, symbol.st_name, name);
      };
      const int binding = ELF64_ST_BIND(symbol.st_info);
      if (symbol.st_shndx == SHN_UNDEF) {
        if (is_called("__cxa_thread_atexit") || is_called("__cxa_thread_atexit_impl"))
          facts.has_thread_destructors = true;
        continue;
      }
      if (binding == STB_LOCAL) continue;
      ++facts.exported;
      if (binding == STB_GNU_UNIQUE) facts.has_unique_symbols = true;
      if (is_called(wanted) && ELF64_ST_TYPE(symbol.st_info) == STT_OBJECT &&
          ELF64_ST_VISIBILITY(symbol.st_other) == STV_DEFAULT) {
        facts.has_symbol = true;
      }
    }
  }

  void read_dynamic(const Elf64_Shdr& section, ElfFacts& facts) const {
    const auto table = section_bytes(section);
    const auto names = section_bytes(section_header(section.sh_link));
    check_end(names);
    for (std::size_t i = 0; i < table.size() / sizeof(Elf64_Dyn); ++i) {
      const auto entry = at<Elf64_Dyn>(section.sh_offset + i * sizeof(Elf64_Dyn));
      if (entry.d_tag == DT_NULL) break;
      if (entry.d_tag == DT_FLAGS_1 && (entry.d_un.d_val & DF_1_NODELETE))
        facts.is_never_unloaded = true;
      if (entry.d_tag != DT_NEEDED) continue;
      const char* start = name_at(names, entry.d_un.d_val);
      const std::string_view name(start, strnlen(start, names.size() - entry.d_un.d_val));
      if (name.size() > max_name_bytes) refuse("it needs a library with an endless name");
      if (name.empty() || name.find('/') != std::string_view::npos) {
        refuse("it needs the library \"" + std::string(name) +
               "\"; a library is named without a path");
      }
      if (facts.needed.size() == max_needed)
        refuse("it needs more than " + std::to_string(max_needed) + " libraries");
      facts.needed.emplace_back(name);
    }
  }

  void read_section(const Elf64_Shdr& section, ElfFacts& facts) const {
    if (section.sh_size > max_section_bytes) refuse("the section of facts is too large");
    const auto content = section_bytes(section);
    const auto* start = reinterpret_cast<const char*>(content.data());
    facts.section.assign(start, strnlen(start, content.size()));
    facts.has_section = true;
  }

  std::span<const std::byte> bytes_;
  const std::string& file_;
  const ElfMachine machine_;
  Elf64_Ehdr header_{};
};

}  // namespace

ElfFacts read_elf(std::span<const std::byte> bytes, const std::string& file,
                  std::string_view symbol, std::string_view section, ElfMachine machine) {
  return Reader(bytes, file, machine).read(symbol, section);
}

std::string_view host_architecture() noexcept {
  return host_name;
}

std::string library_path(const std::string& id, std::string_view architecture) {
  return "lib/" + std::string(architecture) + "/" + id + ".so";
}

std::string_view architecture_of_path(std::string_view path, const std::string& id) noexcept {
  constexpr std::string_view folder = "lib/";
  constexpr std::string_view suffix = ".so";
  if (!path.starts_with(folder) || !path.ends_with(suffix)) return {};
  path = path.substr(folder.size(), path.size() - folder.size() - suffix.size());
  const std::size_t slash = path.find('/');
  if (slash == std::string_view::npos || path.substr(slash + 1) != id) return {};
  return path.substr(0, slash);
}

}  // namespace tenon::plugins
