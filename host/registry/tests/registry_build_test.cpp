#include <filesystem>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/error.hpp"
#include "packages/archive/limits.hpp"
#include "packages/archive/pack.hpp"
#include "packages/tests/plugin_folder.hpp"
#include "registry/build.hpp"
#include "registry/changelog.hpp"
#include "registry/check.hpp"
#include "registry/limits.hpp"
#include "registry/tests/registry_fixture.hpp"

namespace tenon::plugins {
namespace {

namespace fs = std::filesystem;
using test::png;
using test::read_file;
using test::signed_package;
using test::signer;
using test::write_file;

class RegistryBuild : public testing::Test {
 protected:
  RegistryBuild() { trust(signer().public_key()); }

  void trust(const PublicKey& key) const {
    write_file(path("keys/" + key.id() + ".pub"), key.to_text());
  }
  std::string path(const std::string& name) const { return folder_.path() + "/" + name; }
  void put(const std::string& name, const std::string& bytes) const {
    write_file(path(name), bytes);
  }
  BuiltRegistry build(std::optional<std::uint64_t> serial = std::nullopt) const {
    return build_registry(folder_.path(), key_, serial);
  }
  std::string refused(std::optional<std::uint64_t> serial = std::nullopt) const {
    return test::refused([&] { build(serial); });
  }
  // Code and message of what one package is refused with.
  std::string fault() const {
    try {
      build();
    } catch (const base::Error& error) {
      EXPECT_EQ(error.code(), "plugins.registry_build_refused") << error.message();
      if (error.fields().size() != 1) return error.message();
      return error.fields()[0].field + " " + error.fields()[0].code + " " +
             error.fields()[0].message;
    }
    return {};
  }
  std::string fault_of(const std::string& bytes) const {
    put("x.tenon", bytes);
    const std::string said = fault();
    fs::remove(path("x.tenon"));
    return said.substr(0, said.find(' ', said.find(' ') + 1));
  }

  test::TemporaryFolder folder_;
  SecretKey key_ = make_key();
};

TEST_F(RegistryBuild, ListsTheContentOfPackages) {
  put("copper/copper-1.0.0.tenon",
      signed_package(
          "copper", "1.0.0", signer(),
          {{"CHANGELOG.md", "# Changes\n\n## 1.0.0 - 2030-01-01\n\n- first\n\n## 0.9.0\n"},
           {"screenshots/a.png", png(200)}},
          R"(,"description":"All of it","requires":{"silver":"^2.0"},)"
          R"("permissions":[{"id":"copper.use","title":"Use","roles":["member"]}])"));
  put("silver.tenon", signed_package("silver", "2.1.0", signer()));
  put("older/silver.tenon", signed_package("silver", "2.0.9", signer()));
  put("notes.txt", "not looked at");
  const BuiltRegistry built = build();
  EXPECT_TRUE(built.is_changed);
  const PackageIndex index =
      open_index(read_file(path("index.json")), read_file(path("index.json.minisig")),
                 key_.public_key(), "index.json");
  EXPECT_EQ(index.serial, 1U);
  ASSERT_EQ(index.plugins.size(), 2U);
  const IndexedPlugin& copper = index.plugins[0];
  EXPECT_EQ(copper.description, "All of it");
  const IndexedVersion& version = copper.versions.at(0);
  EXPECT_EQ(version.file, "copper/copper-1.0.0.tenon");
  EXPECT_EQ(version.size, fs::file_size(path(version.file)));
  EXPECT_EQ(version.hash, hash_of(read_file(path(version.file))));
  EXPECT_EQ(version.key, signer().public_key().id());
  EXPECT_EQ(version.abi_minor, 13U);
  EXPECT_EQ(version.architectures, (std::vector<std::string>{"x86_64"}));
  EXPECT_EQ(version.requires_plugins.at(0).range.text(), "^2.0");
  EXPECT_EQ(version.permissions.at(0).id, "copper.use");
  EXPECT_EQ(version.changelog, "- first\n");
  ASSERT_EQ(version.screenshots.size(), 1U);
  EXPECT_EQ(read_file(path("copper/1.0.0/screenshots/a.png")), png(200));
  ASSERT_EQ(index.plugins[1].versions.size(), 2U);
  EXPECT_EQ(index.plugins[1].versions[0].version_text, "2.1.0");
  ASSERT_EQ(index.keys.size(), 1U);
  check_registry(RegistryLocation(folder_.path()), index, folder_.path());
}

TEST_F(RegistryBuild, ListsLibrariesForOtherMachines) {
  const std::string own = read_file(test::built_library("sound"));
  std::string foreign = own;
  foreign[18] = '\xb7';  // EM_AARCH64
  put("x.tenon", signed_package("broken", "1.0.0", signer(), {{"lib/aarch64/broken.so", foreign}}));
  EXPECT_EQ(build().index.plugins[0].versions[0].architectures,
            (std::vector<std::string>{"aarch64", "x86_64"}));
  // A package that needs a newer host is listed, too.
  std::string newer = read_file(test::built_library("needs_newer_host"));
  newer[18] = '\xb7';
  put("x.tenon", signed_package("broken", "1.0.0", signer(), {{"lib/aarch64/broken.so", newer}}));
  EXPECT_EQ(build().index.plugins[0].versions[0].needs_minor, 200U);
  foreign.replace(foreign.find(R"("version":"1.0.0")"), 17, R"("version":"9.0.0")");
  EXPECT_EQ(
      fault_of(signed_package("broken", "1.0.0", signer(), {{"lib/aarch64/broken.so", foreign}})),
      "x.tenon plugins.facts_mismatch");
}

TEST_F(RegistryBuild, ListsAPluginWithoutLibrary) {
  const std::string manifest = R"({"id":"links","name":"Links","version":"1.0.0"})";
  const auto package = [&](std::vector<test::RawFile> files) {
    files.push_back({"plugin.json", manifest});
    return sign_package(Archive(test::bytes_of(test::package_of(files)), "x.tenon"), signer());
  };
  put("links.tenon", package({}));
  build();
  const PackageIndex index =
      open_index(read_file(path("index.json")), read_file(path("index.json.minisig")),
                 key_.public_key(), "index.json");
  const IndexedVersion& version = index.plugins.at(0).versions.at(0);
  EXPECT_FALSE(version.has_library);
  EXPECT_EQ(version.architectures, std::vector<std::string>());
  EXPECT_EQ(fault_of(package({{"lib/aarch64/links.so", "x"}})), "x.tenon plugins.abi_missing");
}

TEST_F(RegistryBuild, BuildsTheSameBytesAgain) {
  put("b.tenon", signed_package("copper", "1.0.0", signer()));
  put("a.tenon", signed_package("silver", "1.0.0", signer(), {{"screenshots/a.png", png()}}));
  build();
  const std::string first = read_file(path("index.json"));
  const std::string signature = read_file(path("index.json.minisig"));
  struct stat before {};
  ::stat(path("index.json").c_str(), &before);
  EXPECT_FALSE(build().is_changed);
  struct stat after {};
  ::stat(path("index.json").c_str(), &after);
  EXPECT_EQ(before.st_ino, after.st_ino) << "it was not even written";
  fs::remove(path("index.json"));
  fs::remove(path("index.json.minisig"));
  EXPECT_TRUE(build().is_changed);
  EXPECT_EQ(read_file(path("index.json")), first);
  EXPECT_EQ(read_file(path("index.json.minisig")), signature);
  // A lost file is restored with the same bytes.
  fs::remove(path("index.json.minisig"));
  EXPECT_TRUE(build().is_changed);
  EXPECT_EQ(read_file(path("index.json.minisig")), signature);
  fs::remove(path("silver/1.0.0/screenshots/a.png"));
  build();
  EXPECT_EQ(read_file(path("silver/1.0.0/screenshots/a.png")), png());
}

TEST_F(RegistryBuild, CountsItsChanges) {
  EXPECT_EQ(build().index.serial, 1U);
  put("a.tenon", signed_package("copper", "1.0.0", signer()));
  EXPECT_EQ(build().index.serial, 2U);
  EXPECT_EQ(build().index.serial, 2U);
  fs::remove(path("a.tenon"));
  EXPECT_EQ(build().index.serial, 3U);
  EXPECT_EQ(build(10).index.serial, 10U);
  EXPECT_EQ(build().index.serial, 10U);
  EXPECT_EQ(refused(9), "plugins.registry_serial");
  put("a.tenon", signed_package("copper", "1.0.0", signer()));
  EXPECT_EQ(refused(10), "plugins.registry_serial");
  EXPECT_EQ(build(11).index.serial, 11U);
  write_file(path("index.json"), "{}");
  EXPECT_EQ(refused(), "plugins.registry_serial");
  EXPECT_EQ(build(12).index.serial, 12U);
}

TEST_F(RegistryBuild, ChangesNothingWhenAPackageIsRefused) {
  put("a.tenon", signed_package("copper", "1.0.0", signer()));
  build();
  const std::string before = read_file(path("index.json"));
  put("b.tenon", signed_package("silver", "1.0.0", signer(), {{"screenshots/a.png", png()}}));
  put("c.tenon", "no package");
  put("d.tenon", "");
  try {
    build();
    FAIL();
  } catch (const base::Error& error) {
    EXPECT_EQ(error.code(), "plugins.registry_build_refused");
    ASSERT_EQ(error.fields().size(), 2U);
    EXPECT_EQ(error.fields()[0].field, "c.tenon");
    EXPECT_EQ(error.fields()[1].field, "d.tenon");
    EXPECT_EQ(error.fields()[1].code, "plugins.package_invalid");
  }
  EXPECT_EQ(read_file(path("index.json")), before);
  EXPECT_FALSE(fs::exists(path("silver")));
}

TEST_F(RegistryBuild, NamesTheRefusedPackage) {
  const std::string whole = signed_package("copper", "1.0.0", signer());
  EXPECT_EQ(fault_of(whole), "");
  std::string changed = whole;
  changed[changed.size() / 2] ^= 1;
  EXPECT_NE(fault_of(changed), "");
  EXPECT_EQ(fault_of(test::bytes_of(test::package_of({{"plugin.json", "{}"}}))),
            "x.tenon plugins.package_unsigned");
  const SecretKey stranger = make_key();
  const std::string foreign = signed_package("copper", "1.0.0", stranger);
  EXPECT_EQ(fault_of(foreign), "x.tenon plugins.registry_key_missing");
  // Another key under the same number.
  SecretKey forged = make_key();
  forged.number = signer().number;
  EXPECT_EQ(fault_of(signed_package("copper", "1.0.0", forged)),
            "x.tenon plugins.signature_invalid");
  const auto with = [&](const std::vector<test::RawFile>& files) {
    return fault_of(signed_package("copper", "1.0.0", signer(), files));
  };
  const std::string screenshot = "x.tenon plugins.registry_screenshot_invalid";
  const std::string too_large = "x.tenon plugins.registry_too_large";
  EXPECT_EQ(with({{"screenshots/a.gif", "GIF89a"}}), screenshot);
  EXPECT_EQ(with({{"screenshots/a.svg", "<svg/>"}}), screenshot);
  EXPECT_EQ(with({{"screenshots/a.webp", png()}}), screenshot);
  EXPECT_EQ(with({{"screenshots/deep/a.png", png()}}), screenshot);
  EXPECT_EQ(with({{"screenshots/a.png", png(RegistryLimits::screenshot)}}), "");
  EXPECT_EQ(with({{"screenshots/a.png", png(RegistryLimits::screenshot + 1)}}), too_large);
  std::vector<test::RawFile> many;
  for (std::size_t i = 0; i < RegistryLimits::screenshots; ++i)
    many.push_back({"screenshots/" + std::to_string(i) + ".png", png()});
  EXPECT_EQ(with(many), "");
  many.push_back({"screenshots/z.png", png()});
  EXPECT_EQ(with(many), too_large);
  const std::string heading = "## 1.0.0\n";
  EXPECT_EQ(with({{"CHANGELOG.md", heading + std::string(RegistryLimits::changelog - 1, 'x')}}),
            "");
  EXPECT_EQ(with({{"CHANGELOG.md", heading + std::string(RegistryLimits::changelog, 'x')}}),
            too_large);
  EXPECT_EQ(with({{"CHANGELOG.md", heading + "\xff"}}),
            "x.tenon plugins.registry_changelog_invalid");
  EXPECT_EQ(with({{"CHANGELOG.md", heading + "\x1b[2J"}}),
            "x.tenon plugins.registry_changelog_invalid");
  EXPECT_EQ(with({{"CHANGELOG.md", std::string(RegistryLimits::changes + 1, 'x')}}),
            "x.tenon plugins.package_too_large");
}

TEST_F(RegistryBuild, RefusesFoldersThatCannotBeServed) {
  const std::string whole = signed_package("copper", "1.0.0", signer());
  put("a b.tenon", whole);
  EXPECT_TRUE(fault().starts_with("a b.tenon plugins.registry_folder_invalid "));
  fs::remove(path("a b.tenon"));
  put("real", whole);
  fs::create_symlink("real", path("link.tenon"));
  EXPECT_TRUE(fault().starts_with("link.tenon plugins.registry_folder_invalid "));
  fs::remove(path("link.tenon"));
  put("a.tenon", whole);
  put("b.tenon", whole);
  EXPECT_TRUE(
      fault().starts_with("b.tenon plugins.registry_folder_invalid It is copper 1.0.0, and so "
                          "is a.tenon"));
  fs::remove(path("b.tenon"));
  std::string deep;
  for (int i = 0; i < RegistryLimits::folders; ++i)
    deep += "d/";
  put(deep + "b.tenon", signed_package("silver", "1.0.0", signer()));
  EXPECT_EQ(refused(), "");
  put(deep + "d/c.tenon", signed_package("golden", "1.0.0", signer()));
  EXPECT_EQ(refused(), "plugins.registry_folder_invalid");
  fs::remove_all(path("d"));
  write_file(path("keys/ada.pub"), make_key().public_key().to_text());
  EXPECT_EQ(refused(), "plugins.registry_folder_invalid");
  write_file(path("keys/ada.pub"), "no key");
  EXPECT_EQ(refused(), "plugins.signature_key_invalid");
  fs::remove(path("keys/ada.pub"));
  EXPECT_EQ(test::refused([&] { build_registry(path("missing"), key_, {}); }),
            "plugins.registry_folder_invalid");
}

TEST_F(RegistryBuild, DetectsAWrongIndex) {
  put("a.tenon", signed_package("copper", "1.0.0", signer(), {{"screenshots/a.png", png()}}));
  const RegistryLocation folder(folder_.path());
  const auto refused_check = [&](const std::function<void(IndexedVersion&)>& change) {
    PackageIndex index = build().index;
    change(index.plugins[0].versions[0]);
    return test::refused([&] { check_registry(folder, index, folder_.path()); });
  };
  EXPECT_EQ(refused_check([](IndexedVersion&) {}), "");
  EXPECT_EQ(refused_check([](IndexedVersion& v) { v.changelog = "better"; }),
            "plugins.registry_damaged");
  EXPECT_EQ(refused_check([](IndexedVersion& v) { v.size += 1; }), "plugins.registry_damaged");
  EXPECT_EQ(refused_check([](IndexedVersion& v) { v.size -= 1; }), "plugins.registry_damaged");
  EXPECT_EQ(refused_check([](IndexedVersion& v) { v.hash[0] ^= 1; }), "plugins.registry_damaged");
  EXPECT_EQ(refused_check([](IndexedVersion& v) { v.file = "b.tenon"; }),
            "plugins.registry_unreachable");
  const PackageIndex index = build().index;
  write_file(path("copper/1.0.0/screenshots/a.png"), png(99));
  EXPECT_EQ(test::refused([&] { check_registry(folder, index, folder_.path()); }),
            "plugins.registry_damaged");
  // No fetched file remains.
  for (const auto& entry : fs::directory_iterator(folder_.path()))
    EXPECT_FALSE(entry.path().filename().string().starts_with("fetched-"));
}

TEST(RegistryChangelog, ReturnsTheLinesOfOneVersion) {
  const std::string text =
      "# Changes\r\n## Unreleased\n- soon\n## [1.2.0] - 2030-01-01\r\n\r\n- a\r\n\r\n### Fixed\n- "
      "b\n \n"
      "## v1.1.0\nold\n## 1.1.0-beta.1 (first)\nolder\n# Other\nno\n";
  EXPECT_EQ(changelog_of(text, "1.2.0"), "- a\n\n### Fixed\n- b\n");
  EXPECT_EQ(changelog_of(text, "1.1.0"), "old\n");
  EXPECT_EQ(changelog_of(text, "1.1.0-beta.1"), "older\n");
  EXPECT_EQ(changelog_of(text, "1.0.0"), "");
  EXPECT_EQ(changelog_of(text, "1.1"), "");
  EXPECT_EQ(changelog_of("## 1.0.0", "1.0.0"), "");
  EXPECT_EQ(changelog_of("", "1.0.0"), "");
}

}  // namespace
}  // namespace tenon::plugins
