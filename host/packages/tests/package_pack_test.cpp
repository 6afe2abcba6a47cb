#include "packages/archive/pack.hpp"

#include <cstring>
#include <filesystem>
#include <random>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/error.hpp"
#include "packages/archive/file_access.hpp"
#include "packages/archive/limits.hpp"
#include "packages/elf/elf_file.hpp"
#include "packages/tests/plugin_folder.hpp"
#include "packages/tests/raw_zip.hpp"

namespace tenon::plugins {
namespace {

namespace fs = std::filesystem;

class PackagePack : public testing::Test {
 protected:
  PackagePack()
      : folder_(
            test::put_plugin(temporary_.path(), "broken", test::manifest_text("broken"), "sound")) {
    test::write_file(folder_ + "/ui/manifest.json", "{}");
    test::write_file(folder_ + "/ui/deep/er/empty", "");
    test::write_file(folder_ + "/tables.json", R"({"tables":[]})");
  }

  std::string packed() const { return pack_folder(folder_).bytes; }
  std::string refused() const {
    return test::refused([this] { pack_folder(folder_); });
  }
  std::string library() const {
    return folder_ + "/lib/" + std::string(host_architecture()) + "/broken.so";
  }
  void sparse_file(const std::string& name, std::uint64_t size) const {
    test::write_file(folder_ + "/" + name, "");
    fs::resize_file(folder_ + "/" + name, size);
  }

  test::TemporaryFolder temporary_;
  std::string folder_;
};

TEST_F(PackagePack, PacksEveryFileOfTheFolder) {
  const PackedPlugin made = pack_folder(folder_);
  EXPECT_EQ(made.manifest.id, "broken");
  const Archive archive(made.bytes, "x.tenon");
  std::vector<std::string> names;
  for (const ListedFile& listed : archive.files())
    names.push_back(listed.name);
  EXPECT_EQ(names, (std::vector<std::string>{
                       "lib/" + std::string(host_architecture()) + "/broken.so", "plugin.json",
                       "tables.json", "ui/deep/er/empty", "ui/manifest.json"}));
  const Contents contents = Contents::unchecked(archive);
  contents.verify();
  EXPECT_EQ(contents.read(names[0], PackageLimits::unpacked), test::read_file(library()));
  EXPECT_EQ(manifest_of(contents, "x.tenon").id, "broken");
}

TEST_F(PackagePack, PacksAPluginWithoutLibrary) {
  test::write_file(folder_ + "/plugin.json",
                   R"({"id":"broken","name":"Broken","version":"1.0.0"})");
  EXPECT_EQ(refused(), "plugins.abi_missing");
  fs::remove(library());
  const Archive archive(packed(), "x.tenon");
  EXPECT_FALSE(manifest_of(Contents::unchecked(archive), "x.tenon").has_library);
}

TEST_F(PackagePack, GivesTheSameBytesForTheSameFiles) {
  const std::string first = packed();
  const std::string other = temporary_.path() + "/elsewhere";
  fs::create_directory(other);
  // The same files, made in another order, of other times and modes.
  for (const char* name : {"ui/manifest.json", "tables.json", "plugin.json", "ui/deep/er/empty"})
    test::write_file(other + "/" + name, test::read_file(folder_ + "/" + name));
  fs::create_directories(fs::path(other) / "lib" / host_architecture());
  fs::copy_file(library(), other + library().substr(folder_.size()));
  const timeval times[] = {{1, 0}, {2, 0}};
  ASSERT_EQ(::utimes((other + "/plugin.json").c_str(), times), 0);
  ASSERT_EQ(::chmod((other + "/plugin.json").c_str(), 0400), 0);
  fs::create_directory(other + "/ui/nothing");
  EXPECT_EQ(pack_folder(other).bytes, first);
  test::write_file(folder_ + "/ui/manifest.json", "{ }");
  EXPECT_NE(packed(), first);
}

TEST_F(PackagePack, SignsAPackageInPlace) {
  const std::string plain = packed();
  const SecretKey key = make_key();
  const std::string once = sign_package(Archive(plain, "x.tenon"), key);
  const Archive archive(once, "x.tenon");
  EXPECT_EQ(archive.signature()->trusted_comment, "tenon package broken 1.0.0");
  Contents(archive, key.public_key()).verify();
  EXPECT_EQ(sign_package(archive, key), once);
  const SecretKey another = make_key();
  const Archive again(sign_package(archive, another), "x.tenon");
  EXPECT_EQ(test::refused([&] { Contents(again, key.public_key()); }),
            "plugins.signature_wrong_key");
  Contents(again, another.public_key()).verify();
  EXPECT_EQ(again.list_text(), archive.list_text());
}

TEST_F(PackagePack, ReadsNoEndlessManifest) {
  const PackedPlugin made = pack_folder(folder_);
  const Archive archive(made.bytes, "x.tenon");
  EXPECT_EQ(manifest_of(Contents::unchecked(archive), "x.tenon").version_text, "1.0.0");
  test::RawZip zip =
      test::package_of({{"plugin.json", std::string(ManifestLimits::file + 1, ' ')}});
  const Archive large(test::bytes_of(zip), "x.tenon");
  const auto sign = [&large] { sign_package(large, make_key()); };
  EXPECT_EQ(test::refused(sign), "plugins.package_too_large");
  zip = test::package_of({{"a", ""}});
  const Archive without(test::bytes_of(zip), "x.tenon");
  EXPECT_EQ(test::refused([&] { sign_package(without, make_key()); }), "plugins.package_invalid");
}

TEST_F(PackagePack, ChecksThePlugin) {
  test::write_file(folder_ + "/plugin.json", test::manifest_text("broken", "1.0"));
  EXPECT_EQ(refused(), "plugins.manifest_invalid");
  test::write_file(folder_ + "/plugin.json", test::manifest_text("broken", "2.0.0"));
  EXPECT_EQ(refused(), "plugins.facts_mismatch");
  test::write_file(folder_ + "/plugin.json", test::manifest_text("other"));
  EXPECT_EQ(refused(), "plugins.missing_library");
  fs::remove(folder_ + "/plugin.json");
  EXPECT_EQ(refused(), "plugins.package_folder_invalid");
  test::write_file(folder_ + "/plugin.json", test::manifest_text("broken"));
  test::write_file(folder_ + "/tables.json", R"({"tables":[{"name":"a","fields":"x"}]})");
  EXPECT_EQ(refused(), "data.tables_invalid");
  test::write_file(folder_ + "/tables.json", R"({"tables":[{"name":"a","fields":[
    {"name":"x","type":"text","hidden":true},{"name":"c","type":"computed","expression":"x"}]}]})");
  EXPECT_EQ(refused(), "data.tables_invalid");
  fs::remove(folder_ + "/tables.json");
  EXPECT_EQ(refused(), "");
  test::write_file(library(), "no library");
  EXPECT_EQ(refused(), "plugins.not_a_library");
  EXPECT_EQ(test::refused([this] { pack_folder(folder_ + "/nowhere"); }),
            "plugins.package_folder_invalid");
}

TEST_F(PackagePack, AcceptsRegularFilesOnly) {
  const std::string folder_invalid = "plugins.package_folder_invalid";
  const std::string extra = folder_ + "/ui/extra";
  fs::create_symlink("manifest.json", extra);
  EXPECT_EQ(refused(), folder_invalid);
  fs::remove(extra);
  fs::create_directory_symlink("deep", extra);
  EXPECT_EQ(refused(), folder_invalid);
  fs::remove(extra);
  ASSERT_EQ(::mkfifo(extra.c_str(), 0600), 0);
  EXPECT_EQ(refused(), folder_invalid);
  fs::remove(extra);
  EXPECT_EQ(refused(), "");
  try {
    fs::create_symlink("/etc/passwd", extra);
    pack_folder(folder_);
    ADD_FAILURE() << "a link was packed";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.message(),
              "broken: ui/extra: This is a link; a package has plain files alone. Put the file "
              "itself in its place.");
  }
}

TEST_F(PackagePack, AcceptsPortableNamesOnly) {
  const std::string bad_name = "plugins.package_name_invalid";
  for (const char* name : {"FILES", "SIGNATURE", "files", "ui/a b", "ui/\xc3\xa4",
                           "ui/MANIFEST.json", "UI/x", "a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q"}) {
    test::write_file(folder_ + "/" + name, "x");
    EXPECT_EQ(refused(), bad_name) << name;
    const std::string top = std::string(name).substr(0, std::string(name).find('/'));
    fs::remove(folder_ + "/" + name);
    if (top != "ui") fs::remove_all(folder_ + "/" + top);
  }
  EXPECT_EQ(refused(), "");
}

TEST_F(PackagePack, LimitsTheUnpackedSize) {
  sparse_file("ui/large", PackageLimits::unpacked + 1);
  EXPECT_EQ(refused(), "plugins.package_too_large");
  sparse_file("ui/large", PackageLimits::unpacked);
  EXPECT_EQ(refused(), "plugins.package_too_large") << "with the other files";
}

TEST_F(PackagePack, LimitsThePackedSize) {
  std::string noise(PackageLimits::packed - 100, '\0');
  std::mt19937_64 random(1);
  for (std::size_t i = 0; i + 8 <= noise.size(); i += 8) {
    const std::uint64_t value = random();
    std::memcpy(noise.data() + i, &value, sizeof value);
  }
  test::write_file(folder_ + "/ui/noise", noise);
  EXPECT_EQ(refused(), "plugins.package_too_large");
}

TEST_F(PackagePack, LimitsTheNumberOfFiles) {
  const std::size_t there = Archive(packed(), "x.tenon").files().size();
  for (std::size_t i = there; i < PackageLimits::files; ++i)
    test::write_file(folder_ + "/ui/" + std::to_string(i), "");
  const Archive full(packed(), "x.tenon");
  EXPECT_EQ(full.files().size(), PackageLimits::files);
  EXPECT_EQ(test::refused([&] { Archive(sign_package(full, make_key()), "x.tenon"); }), "");
  test::write_file(folder_ + "/ui/more", "");
  EXPECT_EQ(refused(), "plugins.package_too_large");
}

TEST_F(PackagePack, UnpacksTheSameFiles) {
  const Archive archive(packed(), "x.tenon");
  const std::string target = temporary_.path() + "/fresh";
  const mode_t mask = ::umask(0077);
  Contents::unchecked(archive).unpack(target);
  ::umask(mask);
  EXPECT_EQ(pack_folder(target).bytes, packed());
  EXPECT_FALSE(fs::exists(target + "/FILES"));
  for (const auto& entry : fs::recursive_directory_iterator(target)) {
    struct stat facts {};
    ASSERT_EQ(::lstat(entry.path().c_str(), &facts), 0);
    EXPECT_EQ(facts.st_mode & 07777, S_ISDIR(facts.st_mode) ? 0755U : 0644U) << entry.path();
  }
  EXPECT_EQ(test::refused([&] { Contents::unchecked(archive).unpack(target); }),
            "plugins.package_write_failed");
  EXPECT_EQ(pack_folder(target).bytes, packed()) << "what was there is not touched";
}

TEST_F(PackagePack, RemovesAFailedUnpack) {
  const std::string target = temporary_.path() + "/fresh";
  std::string bytes = packed();
  // The last file that has bytes, after others that are written first.
  const std::size_t at = bytes.find("ui/manifest.json{}");
  ASSERT_NE(at, std::string::npos);
  bytes[at + 17] = ']';
  const Archive archive(bytes, "x.tenon");
  EXPECT_EQ(test::refused([&] { Contents::unchecked(archive).unpack(target); }),
            "plugins.package_damaged");
  EXPECT_FALSE(fs::exists(target));
  fs::create_directory_symlink(temporary_.path(), target);
  EXPECT_EQ(test::refused([&] { Contents::unchecked(archive).unpack(target); }),
            "plugins.package_write_failed");
  EXPECT_FALSE(fs::exists(temporary_.path() + "/plugin.json"));
}

TEST_F(PackagePack, ReadsFilesWithinBounds) {
  const std::string code = "plugins.package_unreadable";
  EXPECT_EQ(test::refused([&] { Archive::read(temporary_.path() + "/nowhere"); }), code);
  EXPECT_EQ(test::refused([&] { Archive::read(temporary_.path()); }), code);
  EXPECT_EQ(test::refused([&] { Archive::read("/dev/zero"); }), code);
  sparse_file("large.tenon", PackageLimits::packed + 1);
  EXPECT_EQ(test::refused([&] { Archive::read(folder_ + "/large.tenon"); }),
            "plugins.package_too_large");
}

TEST_F(PackagePack, ReplacesFilesAtomically) {
  const std::string file = temporary_.path() + "/x.tenon";
  replace_file(file, "one");
  replace_file(file, "two");
  EXPECT_EQ(test::read_file(file), "two");
  const auto create = [&] { create_file(file, "three", 0600); };
  EXPECT_EQ(test::refused(create), "plugins.package_write_failed");
  EXPECT_EQ(test::read_file(file), "two");
  fs::create_directory(temporary_.path() + "/taken");
  EXPECT_EQ(test::refused([&] { replace_file(temporary_.path() + "/taken", "x"); }),
            "plugins.package_write_failed");
  std::size_t left = 0;
  for (const auto& entry : fs::directory_iterator(temporary_.path()))
    left += entry.path().string().ends_with(".part") ? 1 : 0;
  EXPECT_EQ(left, 0U);
}

}  // namespace
}  // namespace tenon::plugins
