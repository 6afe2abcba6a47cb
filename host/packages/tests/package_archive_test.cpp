#include <gtest/gtest.h>

#include "base/error.hpp"
#include "packages/archive/archive.hpp"
#include "packages/archive/limits.hpp"
#include "packages/archive/pack.hpp"
#include "packages/tests/plugin_folder.hpp"
#include "packages/tests/raw_zip.hpp"

namespace tenon::plugins {
namespace {

using test::bytes_of;
using test::package_of;
using test::RawEntry;
using test::RawFile;
using test::RawZip;

constexpr const char* package_invalid = "plugins.package_invalid";
constexpr const char* package_damaged = "plugins.package_damaged";
constexpr const char* package_too_large = "plugins.package_too_large";
constexpr const char* package_bad_name = "plugins.package_name_invalid";

constexpr std::uint64_t max_file_bytes = 1000;

const std::vector<RawFile> plain_files{
    {"lib/x", std::string(300, 'x') + "y"},
    {"plugin.json", test::manifest_text("sample")},
    {"ui/empty", ""},
};

// Returns the code with which reading the form, FILES and SIGNATURE is refused.
std::string refusal_of(const std::string& bytes) {
  return test::refused([&] { Archive(bytes, "x.tenon"); });
}
std::string refusal_of(const RawZip& zip) {
  return refusal_of(bytes_of(zip));
}
// The same of all contents, where the form is right.
std::string refused_contents(const RawZip& zip) {
  const Archive archive(bytes_of(zip), "x.tenon");
  return test::refused([&] { Contents::unchecked(archive).verify(); });
}

RawZip plain() {
  return package_of(plain_files);
}

// A package with one thing changed in the entry of lib/x.
template <typename Change>
RawZip with(Change&& change) {
  RawZip zip = plain();
  change(zip.entries[1]);
  return zip;
}

TEST(PackageArchive, ReadsAPackage) {
  const Archive archive(bytes_of(plain()), "x.tenon");
  EXPECT_EQ(archive.files().size(), 3U);
  EXPECT_FALSE(archive.signature());
  EXPECT_EQ(archive.packed_bytes(), bytes_of(plain()).size());
  EXPECT_EQ(archive.unpacked_bytes(),
            plain_files[0].content.size() + plain_files[1].content.size());
  const Contents contents = Contents::unchecked(archive);
  contents.verify();
  EXPECT_EQ(contents.read("lib/x", max_file_bytes), plain_files[0].content);
  EXPECT_EQ(contents.read("ui/empty", max_file_bytes), "");
  EXPECT_EQ(contents.read("lib/x", 301), plain_files[0].content);
  EXPECT_EQ(test::refused([&] { contents.read("lib/x", 300); }), package_too_large);
  EXPECT_TRUE(contents.has("plugin.json"));
  EXPECT_FALSE(contents.has("plugin"));
  EXPECT_EQ(test::refused([&] { contents.read("FILES", max_file_bytes); }), package_invalid);
  EXPECT_EQ(test::refused([&] { require_signature(archive); }), "plugins.package_unsigned");
  EXPECT_EQ(test::refused([&] { Contents(archive, make_key().public_key()); }),
            "plugins.package_unsigned");
}

TEST(PackageArchive, RejectsEveryTruncation) {
  const std::string whole = bytes_of(plain());
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_EQ(refusal_of(whole.substr(0, size)), package_invalid) << size;
}

// A deflated content has more than one form; what is inflated from another one is the same or
// refused. Every other bit has one value.
TEST(PackageArchive, DetectsEveryChangedBit) {
  const SecretKey key = make_key();
  const std::string whole = sign_package(Archive(bytes_of(plain()), "x.tenon"), key);
  const std::string packed = plain().entries[1].packed;
  const std::size_t begin = whole.find(packed);
  ASSERT_NE(begin, std::string::npos);
  const auto is_taken = [&key](const std::string& bytes) {
    return test::refused([&] {
             const Archive archive(bytes, "x.tenon");
             const Contents contents(archive, key.public_key());
             contents.verify();
             for (const RawFile& file : plain_files)
               EXPECT_EQ(contents.read(file.name, max_file_bytes), file.content);
           })
        .empty();
  };
  ASSERT_TRUE(is_taken(whole));
  std::size_t taken = 0;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    for (int bit = 0; bit <= 8; ++bit) {
      std::string changed = whole;
      changed[i] = static_cast<char>(changed[i] ^ (bit == 8 ? 0xff : 1 << bit));
      if (!is_taken(changed)) continue;
      ++taken;
      EXPECT_TRUE(i >= begin && i < begin + packed.size()) << "byte " << i << ", bit " << bit;
    }
  }
  EXPECT_LT(taken, 5U);
}

TEST(PackageArchive, RefusesBytesOutsideOfEntries) {
  RawZip zip = plain();
  zip.before = "MZ";
  EXPECT_EQ(refusal_of(zip), package_invalid);
  EXPECT_EQ(refusal_of("MZ" + bytes_of(plain())), package_invalid);
  EXPECT_EQ(refusal_of(bytes_of(plain()) + "\n"), package_invalid);
  zip = plain();
  zip.between = "x";
  EXPECT_EQ(refusal_of(zip), package_invalid);
  zip = plain();
  zip.after_directory = "x";
  EXPECT_EQ(refusal_of(zip), package_invalid);
  zip = plain();
  zip.comment = "a comment";
  EXPECT_EQ(refusal_of(zip), package_invalid);
  zip = plain();
  zip.directory = 0;
  EXPECT_EQ(refusal_of(zip), package_invalid);
  for (const std::uint32_t count : {0U, 1U, 3U, 5U, 10'000U}) {
    zip = plain();
    zip.count = count;
    EXPECT_EQ(refusal_of(zip), package_invalid) << count;
  }
  // Two archives in one: tools differ in which of them they read.
  EXPECT_EQ(refusal_of(bytes_of(plain()) + bytes_of(plain())), package_invalid);
}

TEST(PackageArchive, AcceptsOneFormOfHeader) {
  EXPECT_EQ(refusal_of(with([](RawEntry&) {})), "");
  EXPECT_EQ(refusal_of(with([](RawEntry& one) { one.flags = 1; })), package_invalid) << "encrypted";
  EXPECT_EQ(refusal_of(with([](RawEntry& one) { one.flags = 8; })), package_invalid)
      << "data descriptor";
  EXPECT_EQ(refusal_of(with([](RawEntry& one) { one.flags = 0x800; })), package_invalid) << "UTF-8";
  EXPECT_EQ(refusal_of(with([](RawEntry& one) { one.needed = 45; })), package_invalid) << "zip64";
  EXPECT_EQ(refusal_of(with([](RawEntry& one) { one.made_by = 20; })), package_invalid);
  EXPECT_EQ(refusal_of(with([](RawEntry& one) { one.time = 1; })), package_invalid);
  EXPECT_EQ(refusal_of(with([](RawEntry& one) { one.date = 34; })), package_invalid);
  EXPECT_EQ(refusal_of(with([](RawEntry& one) { one.internal = 1; })), package_invalid);
  EXPECT_EQ(refusal_of(with([](RawEntry& one) { one.comment = "x"; })), package_invalid);
  EXPECT_EQ(refusal_of(with([](RawEntry& one) { one.extra = std::string("\1\0\0\0", 4); })),
            package_invalid);
  EXPECT_EQ(refusal_of(with([](RawEntry& one) { one.local_extra = std::string("\1\0\0\0", 4); })),
            package_invalid);
  EXPECT_EQ(refusal_of(with([](RawEntry& one) { one.trailing = std::string(16, '\0'); })),
            package_invalid);
  for (const std::uint32_t mode : {0120777U, 0040755U, 0020644U, 0100755U, 0104644U})
    EXPECT_EQ(refusal_of(with([&](RawEntry& one) { one.attributes = mode << 16; })),
              package_invalid)
        << mode;
  for (const std::uint32_t method : {0U, 1U, 9U, 12U, 14U, 93U, 99U})
    EXPECT_EQ(refusal_of(with([&](RawEntry& one) { one.method = method; })), package_invalid)
        << method;
  // Deflated to no fewer bytes is another form of the same package.
  RawZip zip = package_of({{"a", "a"}});
  EXPECT_EQ(refusal_of(zip), "");
  zip.entries[1] = test::deflated("a", "a");
  EXPECT_EQ(refusal_of(zip), package_invalid);
}

TEST(PackageArchive, RequiresEqualHeaders) {
  EXPECT_EQ(refusal_of(with([](RawEntry& one) { one.local_name = "lib/y"; })), package_invalid);
  EXPECT_EQ(refusal_of(with([](RawEntry& one) { one.local_name = "lib/xx"; })), package_invalid);
  EXPECT_EQ(refusal_of(with([](RawEntry& one) { one.local_crc = 1; })), package_invalid);
  EXPECT_EQ(refusal_of(with([](RawEntry& one) { one.local_size = 1; })), package_invalid);
}

TEST(PackageArchive, RefusesOverlappingEntries) {
  EXPECT_EQ(refusal_of(with([](RawEntry& one) { one.offset = 0; })), package_invalid);
  EXPECT_EQ(refusal_of(with([](RawEntry& one) { one.offset = 0xffffffff; })), package_invalid);
  EXPECT_EQ(refusal_of(with([](RawEntry& one) { one.packed_size = 0xffffffff; })), package_invalid);
  EXPECT_EQ(refusal_of(with([](RawEntry& one) {
              one.packed_size = 0xffffffff;
              one.size = 0xffffffff;
              one.method = 0;
            })),
            package_invalid);
  // An entry whose bytes reach over the next ones, as a quine of headers would.
  RawZip zip = plain();
  zip.entries[1] = test::stored("lib/x", plain_files[0].content);
  zip.entries[1].packed_size = zip.entries[1].size + 100;
  EXPECT_EQ(refusal_of(zip), package_invalid);
  zip = plain();
  std::swap(zip.entries[1], zip.entries[2]);
  EXPECT_EQ(refusal_of(zip), package_invalid) << "not in the order of the list";
}

TEST(PackageArchive, RefusesNamesThatLeaveTheFolder) {
  for (const char* name : {"../x", "/x", "a/../../x", "a\\x", "a//x", "a/", "x "}) {
    const RawZip zip = package_of({{name, "x"}});
    EXPECT_EQ(refusal_of(zip), package_bad_name) << name;
  }
  EXPECT_EQ(refusal_of(package_of({{std::string("a\0b", 3), "x"}})), package_bad_name);
  EXPECT_EQ(refusal_of(package_of({{std::string(256, 'a'), "x"}})), package_invalid);
  EXPECT_EQ(refusal_of(package_of({{"a", "x"}, {"a", "x"}})), package_bad_name);
  EXPECT_EQ(refusal_of(package_of({{"A", "x"}, {"a", "x"}})), package_bad_name);
  EXPECT_EQ(refusal_of(package_of({{"A/b", "x"}, {"a/c", "x"}})), package_bad_name);
  EXPECT_EQ(refusal_of(package_of({{"a", "x"}, {"a/b", "x"}})), package_bad_name);
  EXPECT_EQ(refusal_of(package_of({{"FILES", "x"}})), package_bad_name);
  EXPECT_EQ(refusal_of(package_of({{"files", "x"}})), package_bad_name);
  // The second name is in the archive alone.
  RawZip zip = package_of({{"a", "x"}});
  zip.entries.push_back(test::stored("../../x", "x"));
  EXPECT_EQ(refusal_of(zip), package_invalid);
}

TEST(PackageArchive, RequiresTheListedFiles) {
  RawZip zip = plain();
  zip.entries.pop_back();
  EXPECT_EQ(refusal_of(zip), package_invalid) << "a file is missing";
  zip = plain();
  zip.entries.push_back(test::stored("z", ""));
  EXPECT_EQ(refusal_of(zip), package_invalid) << "a file is not named";
  zip = plain();
  zip.entries.erase(zip.entries.begin());
  EXPECT_EQ(refusal_of(zip), package_invalid) << "no FILES";
  zip = plain();
  zip.entries[0] = test::deflated("FILES", zip.entries[0].packed);
  EXPECT_EQ(refusal_of(zip), package_invalid) << "FILES would have to be inflated to be read";
  zip = plain();
  zip.entries[0].crc ^= 1;
  EXPECT_EQ(refusal_of(zip), package_invalid);
  EXPECT_EQ(refusal_of(RawZip{}), package_invalid);
  // SIGNATURE after the files is no signature.
  zip = plain();
  zip.entries.insert(zip.entries.begin() + 2, test::stored("SIGNATURE", ""));
  EXPECT_EQ(refusal_of(zip), package_invalid);
}

TEST(PackageArchive, RequiresAWellFormedSignature) {
  const auto refused_signature = [](const RawEntry& entry) {
    RawZip zip = plain();
    zip.entries.insert(zip.entries.begin() + 1, entry);
    return refusal_of(zip);
  };
  const std::string good = sign_text("x", make_key(), "y").to_text();
  EXPECT_EQ(refused_signature(test::stored("SIGNATURE", good)), "");
  EXPECT_EQ(refused_signature(test::deflated("SIGNATURE", good + std::string(200, '\n'))),
            package_invalid);
  EXPECT_EQ(refused_signature(test::stored("SIGNATURE", "")), "plugins.signature_malformed");
  EXPECT_EQ(
      refused_signature(test::stored("SIGNATURE", std::string(PackageLimits::signature + 1, 'x'))),
      package_too_large);
}

TEST(PackageArchive, ChecksInflatedContent) {
  EXPECT_EQ(refused_contents(plain()), "");
  const std::string zeros(100'000, '\0');
  RawZip bomb = package_of({{"a", zeros}});
  ASSERT_LT(bomb.entries[1].packed.size(), 1000U);
  EXPECT_EQ(refused_contents(bomb), "");
  // Larger than it says: what is handed on stays within what was signed.
  RawZip zip = package_of({{"a", zeros.substr(0, 50'000)}});
  zip.entries[1].packed = bomb.entries[1].packed;
  const Archive archive(bytes_of(zip), "x.tenon");
  EXPECT_EQ(test::refused([&] { Contents::unchecked(archive).verify(); }), package_damaged);
  // Smaller than it says.
  zip = package_of({{"a", zeros + zeros}});
  zip.entries[1].packed = bomb.entries[1].packed;
  EXPECT_EQ(refused_contents(zip), package_damaged);
  // Extra bytes after the end.
  zip = bomb;
  zip.entries[1].packed += "x";
  EXPECT_EQ(refused_contents(zip), package_damaged);
  // No deflated bytes at all, and none.
  zip = bomb;
  zip.entries[1].packed = std::string(20, '\xff');
  EXPECT_EQ(refused_contents(zip), package_damaged);
  zip.entries[1].packed = "";
  EXPECT_EQ(refused_contents(zip), package_damaged);
  // Another content of the same size, with its own checksum in the headers.
  zip = bomb;
  zip.entries[1] = test::deflated("a", std::string(zeros.size(), 'x'));
  EXPECT_EQ(refused_contents(zip), package_damaged);
  // The right content with a wrong checksum.
  zip = bomb;
  zip.entries[1].crc ^= 1;
  EXPECT_EQ(refused_contents(zip), package_damaged);
  // The list and the headers differ in the size.
  zip = bomb;
  zip.entries[1].size += 1;
  EXPECT_EQ(refusal_of(zip), package_invalid);
}

TEST(PackageArchive, EnforcesItsLimits) {
  EXPECT_EQ(refusal_of(std::string(PackageLimits::packed + 1, '\0')), package_too_large);
  RawZip many;
  many.entries.assign(PackageLimits::files + 3, test::stored("a", ""));
  EXPECT_EQ(refusal_of(many), package_too_large);
  // 600 MB in 600 KB: refused by what FILES says, before anything is inflated.
  RawZip zip = package_of({{"a", std::string(100'000, '\0')}});
  const std::string line = test::list_line("a", "");
  zip.entries[1].size = PackageLimits::unpacked + 1;
  zip = test::with_list(
      zip, "tenon-package 1\n" + std::to_string(PackageLimits::unpacked + 1) + line.substr(1));
  EXPECT_EQ(refusal_of(zip), package_too_large);
  zip = test::with_list(plain(), std::string(PackageLimits::list + 1, 'x'));
  EXPECT_EQ(refusal_of(zip), package_too_large);
}

TEST(PackageArchive, NamesTheFaultyEntry) {
  const auto message = [](const RawZip& zip) -> std::string {
    try {
      const Archive archive(bytes_of(zip), "/somewhere/x.tenon");
      Contents::unchecked(archive).verify();
    } catch (const base::Error& error) {
      return error.message();
    }
    return {};
  };
  EXPECT_EQ(
      message(with([](RawEntry& one) { one.attributes = 0120777u << 16; })),
      "x.tenon: entry 2: It is no plain file of mode 0644: a link, a folder or a device. Only "
      "\"tenon plugin pack\" makes packages.");
  EXPECT_EQ(message(with([](RawEntry& one) { one.crc ^= 1; })),
            "x.tenon: lib/x: Its checksum is wrong. Get the package again.");
  EXPECT_EQ(message(package_of({{"../x", ""}})),
            "x.tenon: FILES, line 2: A name has no empty, \".\" or \"..\" part.");
}

}  // namespace
}  // namespace tenon::plugins
