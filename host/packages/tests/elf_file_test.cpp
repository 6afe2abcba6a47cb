#include "packages/elf/elf_file.hpp"

#include <cstring>
#include <random>

#include <elf.h>
#include <gtest/gtest.h>

#include "packages/reason.hpp"
#include "packages/tests/plugin_folder.hpp"

namespace tenon::plugins {
namespace {

// Bytes after which nothing may be read: at the very end of their own allocation.
class Bytes {
 public:
  explicit Bytes(const std::string& content)
      : bytes_(new std::byte[content.size()]), size_(content.size()) {
    std::memcpy(bytes_.get(), content.data(), size_);
  }
  std::span<const std::byte> get() const { return {bytes_.get(), size_}; }

 private:
  std::unique_ptr<std::byte[]> bytes_;
  std::size_t size_;
};

ElfFacts read(const std::string& content) {
  return read_elf(Bytes(content).get(), "x.so", "tenon_plugin_entry_v1", ".tenon.plugin");
}

// Anything but a crash or a read outside is right; what is refused is refused by name.
bool survives(const std::string& content) {
  try {
    read(content);
  } catch (const Refusal& refusal) {
    return refusal.code() == "plugins.not_a_library" ||
           refusal.code() == "plugins.wrong_architecture";
  }
  return true;
}

class ElfFile : public testing::Test {
 protected:
  template <typename Struct>
  Struct at(std::uint64_t offset) const {
    Struct found;
    std::memcpy(&found, good_.data() + offset, sizeof found);
    return found;
  }
  template <typename Struct>
  std::string with(std::uint64_t offset, const Struct& changed) const {
    std::string content = good_;
    std::memcpy(content.data() + offset, &changed, sizeof changed);
    return content;
  }
  std::uint64_t section_offset(std::uint32_t type) const {
    const auto header = at<Elf64_Ehdr>(0);
    for (std::uint64_t i = 0; i < header.e_shnum; ++i) {
      const std::uint64_t offset = header.e_shoff + i * sizeof(Elf64_Shdr);
      if (at<Elf64_Shdr>(offset).sh_type == type) return offset;
    }
    return 0;
  }

  const std::string good_ = test::read_file(test::built_library("sound"));
};

TEST_F(ElfFile, ReadsTheFactsOfALibrary) {
  const ElfFacts facts = read(good_);
  EXPECT_TRUE(facts.has_symbol);
  EXPECT_TRUE(facts.has_section);
  EXPECT_EQ(
      facts.section,
      R"({"id":"broken","version":"1.0.0","abi":{"major":0,"minor":13},"needs_host_minor":13})");
  EXPECT_EQ(facts.exported, 1U);
  EXPECT_FALSE(facts.has_unique_symbols);
  EXPECT_FALSE(facts.has_thread_destructors);
  EXPECT_TRUE(read(test::read_file(test::built_library("throws"))).has_thread_destructors);
  EXPECT_FALSE(read(test::read_file(test::built_library("no_symbol"))).has_symbol);
  EXPECT_FALSE(read(test::read_file(test::built_library("no_facts"))).has_section);
}

TEST_F(ElfFile, SurvivesEveryTruncation) {
  for (std::size_t size = 0; size <= sizeof(Elf64_Ehdr) + 64; ++size)
    EXPECT_EQ(test::refused([&] { read(good_.substr(0, size)); }), "plugins.not_a_library") << size;
  for (std::size_t size = 0; size < good_.size(); size += 97)
    EXPECT_TRUE(survives(good_.substr(0, size))) << size;
}

TEST_F(ElfFile, RefusesOtherMachines) {
  auto header = at<Elf64_Ehdr>(0);
  header.e_machine = header.e_machine == EM_X86_64 ? EM_AARCH64 : EM_X86_64;
  EXPECT_EQ(test::refused([&] { read(with(0, header)); }), "plugins.wrong_architecture");
  header = at<Elf64_Ehdr>(0);
  header.e_ident[EI_CLASS] = ELFCLASS32;
  EXPECT_EQ(test::refused([&] { read(with(0, header)); }), "plugins.wrong_architecture");
  header = at<Elf64_Ehdr>(0);
  header.e_ident[EI_DATA] = ELFDATA2MSB;
  EXPECT_EQ(test::refused([&] { read(with(0, header)); }), "plugins.wrong_architecture");
  header = at<Elf64_Ehdr>(0);
  header.e_type = ET_EXEC;
  EXPECT_EQ(test::refused([&] { read(with(0, header)); }), "plugins.not_a_library");
}

TEST_F(ElfFile, RefusesTablesOutsideOfTheFile) {
  const auto change = [this](auto&& edit) {
    auto header = at<Elf64_Ehdr>(0);
    edit(header);
    return test::refused([&] { read(with(0, header)); });
  };
  EXPECT_EQ(change([](Elf64_Ehdr& h) { h.e_shoff = ~std::uint64_t{0}; }), "plugins.not_a_library");
  EXPECT_EQ(change([](Elf64_Ehdr& h) { h.e_shoff = ~std::uint64_t{0} - 63; }),
            "plugins.not_a_library");
  EXPECT_EQ(change([this](Elf64_Ehdr& h) { h.e_shoff = good_.size() - 8; }),
            "plugins.not_a_library");
  EXPECT_EQ(change([](Elf64_Ehdr& h) { h.e_shnum = 0; }), "plugins.not_a_library");
  EXPECT_EQ(change([](Elf64_Ehdr& h) { h.e_shnum = 65535; }), "plugins.not_a_library");
  EXPECT_EQ(change([](Elf64_Ehdr& h) { h.e_shstrndx = 65535; }), "plugins.not_a_library");
  EXPECT_EQ(change([](Elf64_Ehdr& h) { h.e_shentsize = 8; }), "plugins.not_a_library");
  EXPECT_EQ(change([](Elf64_Ehdr& h) { h.e_phoff = ~std::uint64_t{0} - 7; }),
            "plugins.not_a_library");
  EXPECT_EQ(change([](Elf64_Ehdr& h) { h.e_phnum = 0; }), "plugins.not_a_library");
  EXPECT_EQ(change([](Elf64_Ehdr& h) { h.e_phentsize = 1; }), "plugins.not_a_library");
}

TEST_F(ElfFile, RefusesSectionsOutOfRange) {
  for (const std::uint32_t type : {SHT_DYNSYM, SHT_DYNAMIC}) {
    const std::uint64_t where = section_offset(type);
    ASSERT_NE(where, 0U);
    const auto change = [&](auto&& edit) {
      auto section = at<Elf64_Shdr>(where);
      edit(section);
      return test::refused([&] { read(with(where, section)); });
    };
    EXPECT_EQ(change([](Elf64_Shdr& s) { s.sh_offset = ~std::uint64_t{0} - 16; }),
              "plugins.not_a_library");
    EXPECT_EQ(change([](Elf64_Shdr& s) { s.sh_size = ~std::uint64_t{0}; }),
              "plugins.not_a_library");
    EXPECT_EQ(change([this](Elf64_Shdr& s) { s.sh_offset = good_.size(); }),
              "plugins.not_a_library");
    EXPECT_EQ(change([](Elf64_Shdr& s) { s.sh_link = 65000; }), "plugins.not_a_library");
    EXPECT_EQ(change([](Elf64_Shdr& s) { s.sh_link = 0; }), "plugins.not_a_library");
  }
}

TEST_F(ElfFile, RefusesSegmentsThatWouldKillTheProcess) {
  const auto header = at<Elf64_Ehdr>(0);
  for (std::uint64_t i = 0; i < header.e_phnum; ++i) {
    const std::uint64_t where = header.e_phoff + i * sizeof(Elf64_Phdr);
    auto segment = at<Elf64_Phdr>(where);
    if (segment.p_type != PT_LOAD) continue;
    segment.p_offset = good_.size() + 4096;
    segment.p_filesz = segment.p_memsz = 4096;
    EXPECT_EQ(test::refused([&] { read(with(where, segment)); }), "plugins.not_a_library");
    segment = at<Elf64_Phdr>(where);
    segment.p_memsz = segment.p_filesz - 1;
    EXPECT_EQ(test::refused([&] { read(with(where, segment)); }), "plugins.not_a_library");
  }
}

TEST_F(ElfFile, RefusesTwoTablesOfAKind) {
  const std::uint64_t other = section_offset(SHT_SYMTAB);
  ASSERT_NE(other, 0U);
  const auto is_refused = [&](const Elf64_Shdr& section) {
    try {
      read(with(other, section));
    } catch (const Refusal& refusal) {
      return refusal.reason().message.find("it has two ") != std::string::npos;
    }
    return false;
  };
  EXPECT_TRUE(is_refused(at<Elf64_Shdr>(section_offset(SHT_DYNSYM))));
  EXPECT_TRUE(is_refused(at<Elf64_Shdr>(section_offset(SHT_DYNAMIC))));
  const auto header = at<Elf64_Ehdr>(0);
  for (std::uint64_t i = 0; i < header.e_shnum; ++i) {
    const auto section = at<Elf64_Shdr>(header.e_shoff + i * sizeof(Elf64_Shdr));
    if (good_.compare(section.sh_offset, 6, "{\"id\":") != 0) continue;
    EXPECT_TRUE(is_refused(section));
  }
}

TEST_F(ElfFile, ReadsOnlyTheBeginningOfNames) {
  // 300,000 symbols with one name of 8 MiB: read to its end each time, this would take an hour.
  const std::uint64_t where = section_offset(SHT_DYNSYM);
  auto symbols = at<Elf64_Shdr>(where);
  const std::uint64_t names_where =
      at<Elf64_Ehdr>(0).e_shoff + symbols.sh_link * sizeof(Elf64_Shdr);
  auto names = at<Elf64_Shdr>(names_where);
  std::string content = good_ + std::string(std::size_t{8} << 20, 'a') + '\0';
  names.sh_offset = good_.size();
  names.sh_size = content.size() - good_.size();
  symbols.sh_offset = content.size();
  symbols.sh_size = 300'000 * sizeof(Elf64_Sym);
  content.resize(content.size() + symbols.sh_size);
  std::memcpy(content.data() + where, &symbols, sizeof symbols);
  std::memcpy(content.data() + names_where, &names, sizeof names);
  EXPECT_TRUE(survives(content));
}

TEST_F(ElfFile, RefusesNeededPaths) {
  // The name of the one library it needs, changed in place.
  std::string content = good_;
  const std::size_t before = content.find(std::string("\0lib", 4));
  ASSERT_NE(before, std::string::npos);
  content.replace(before + 1, 9, "/tmp/x.so");
  EXPECT_EQ(test::refused([&] { read(content); }), "plugins.not_a_library");
}

TEST_F(ElfFile, SurvivesRandomDamage) {
  std::mt19937 random(7);
  const auto any = [&random](std::size_t below) {
    return std::uniform_int_distribution<std::size_t>(0, below - 1)(random);
  };
  const auto header = at<Elf64_Ehdr>(0);
  for (int round = 0; round < 4000; ++round) {
    std::string content = good_;
    const std::size_t changes = 1 + any(4);
    for (std::size_t i = 0; i < changes; ++i) {
      // Mostly where the structure is: header, segments, sections.
      const std::size_t position =
          any(3) == 0   ? any(content.size())
          : any(2) == 0 ? any(sizeof(Elf64_Ehdr) + header.e_phnum * sizeof(Elf64_Phdr))
                        : header.e_shoff + any(content.size() - header.e_shoff);
      content[position] = static_cast<char>(any(4) == 0 ? 0xff : any(256));
    }
    ASSERT_TRUE(survives(content)) << round;
  }
}

}  // namespace
}  // namespace tenon::plugins
