#include "loader/loader.hpp"

#include <filesystem>
#include <thread>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "packages/elf/elf_file.hpp"
#include "packages/manifest/manifest.hpp"
#include "packages/reason.hpp"
#include "packages/tests/plugin_folder.hpp"

namespace tenon::plugins {
namespace {

namespace fs = std::filesystem;

class LoaderTest : public testing::Test {
 protected:
  std::unique_ptr<Library> load(const std::string& library, const std::string& version = "1.0.0",
                                const std::string& id = "broken") {
    const std::string folder = test::put_plugin(folder_.path() + "/plugins", id,
                                                test::manifest_text(id, version), library);
    return loader_.load(read_manifest(folder), folder, ++generation_);
  }
  Reason why(const std::string& library) {
    try {
      load(library);
    } catch (const Refusal& refusal) {
      return refusal.reason();
    }
    return {};
  }
  std::size_t copies() const {
    std::size_t count = 0;
    for (const auto& entry : fs::recursive_directory_iterator(folder_.path() + "/run"))
      count += entry.is_regular_file();
    return count;
  }

  test::TemporaryFolder folder_;
  Loader loader_{folder_.path() + "/run"};
  std::uint64_t generation_ = 0;
};

TEST_F(LoaderTest, OpensAPrivateCopyAndCloses) {
  auto library = load("sound");
  EXPECT_EQ(library->facts().id, "broken");
  EXPECT_EQ(library->entry().abi_minor, 13);
  EXPECT_EQ(library->facts().may_stay_mapped, "");
  EXPECT_TRUE(is_mapped(library->path()));
  EXPECT_NE(library->path().find("/run/broken-"), std::string::npos);
  EXPECT_TRUE(library->path().ends_with("-1.so"));
  const std::string path = library->path();
  EXPECT_TRUE(loader_.unload("broken", std::move(library)));
  EXPECT_FALSE(is_mapped(path));
  EXPECT_FALSE(fs::exists(path));
  EXPECT_EQ(loader_.resident("broken"), 0U);
}

TEST_F(LoaderTest, LoadsTwoGenerationsAtOnce) {
  auto first = load("probe", "1.0.0", "probe");
  auto second = load("probe_upgraded", "2.0.0", "probe");
  auto same_again = load("probe_upgraded", "2.0.0", "probe");
  EXPECT_EQ(first->facts().version, "1.0.0");
  EXPECT_EQ(second->facts().version, "2.0.0");
  EXPECT_NE(&second->entry(), &same_again->entry());
  EXPECT_NE(&first->entry(), &second->entry());
}

TEST_F(LoaderTest, RefusesEachFaultByName) {
  const struct {
    const char* library;
    const char* code;
  } cases[] = {
      {"no_symbol", "plugins.missing_symbol"},     {"no_facts", "plugins.missing_facts"},
      {"bad_facts", "plugins.missing_facts"},      {"future_major", "plugins.abi_too_new"},
      {"needs_newer_host", "plugins.abi_too_new"}, {"entry_of_another", "plugins.facts_mismatch"},
      {"bad_magic", "plugins.entry_invalid"},      {"small_entry", "plugins.entry_invalid"},
      {"entry_flags", "plugins.abi_too_new"},      {"unresolved", "plugins.load_failed"},
      {"probe", "plugins.facts_mismatch"}};
  for (const auto& test : cases) {
    const Reason reason = why(test.library);
    EXPECT_EQ(reason.code, test.code) << test.library << ": " << reason.message;
    EXPECT_TRUE(reason.file.ends_with("plugins/broken/lib/" + std::string(host_architecture()) +
                                      "/broken.so"))
        << reason.file;
  }
  EXPECT_NE(why("unresolved").message.find("no_library_defines_this"), std::string::npos)
      << why("unresolved").message;
  EXPECT_EQ(copies(), 0U);
}

TEST_F(LoaderTest, RefusesAVersionUnlikeTheManifests) {
  EXPECT_EQ(test::refused([&] { load("probe", "3.0.0", "probe"); }), "plugins.facts_mismatch");
}

TEST_F(LoaderTest, RefusesMissingAndForeignLibraries) {
  const std::string folder =
      test::put_plugin(folder_.path() + "/plugins", "broken", test::manifest_text("broken"));
  const Manifest manifest = read_manifest(folder);
  EXPECT_EQ(test::refused([&] { loader_.load(manifest, folder, 1); }), "plugins.missing_library");
  test::write_file(folder + "/lib/vax/broken.so", "x");
  EXPECT_EQ(test::refused([&] { loader_.load(manifest, folder, 1); }),
            "plugins.wrong_architecture");
  test::write_file(folder + "/lib/" + std::string(host_architecture()) + "/broken.so",
                   "no library at all");
  EXPECT_EQ(test::refused([&] { loader_.load(manifest, folder, 1); }), "plugins.not_a_library");
  test::write_file(folder + "/lib/" + std::string(host_architecture()) + "/broken.so", "");
  EXPECT_EQ(test::refused([&] { loader_.load(manifest, folder, 1); }), "plugins.not_a_library");
  fs::remove(folder + "/lib/" + std::string(host_architecture()) + "/broken.so");
  fs::create_directory(folder + "/lib/" + std::string(host_architecture()) + "/broken.so");
  EXPECT_EQ(test::refused([&] { loader_.load(manifest, folder, 1); }), "plugins.missing_library");
  EXPECT_EQ(copies(), 0U);
}

TEST_F(LoaderTest, LoadsNothingForAPluginWithoutLibrary) {
  const std::string folder = test::put_plugin(folder_.path() + "/plugins", "links",
                                              R"({"id":"links","name":"Links","version":"1.0.0"})");
  const Manifest manifest = read_manifest(folder);
  EXPECT_EQ(loader_.load(manifest, folder, 1), nullptr);
  EXPECT_TRUE(loader_.unload("links", nullptr));
  test::write_file(folder + "/lib/vax/links.so", "x");
  EXPECT_EQ(test::refused([&] { loader_.load(manifest, folder, 1); }), "plugins.abi_missing");
}

TEST_F(LoaderTest, RefusesAManifestFromTheFuture) {
  const std::string folder = test::put_plugin(
      folder_.path() + "/plugins", "broken",
      R"({"id":"broken","name":"B","version":"1.0.0","abi":{"major":3,"minor":0}})");
  EXPECT_EQ(test::refused([&] { loader_.load(read_manifest(folder), folder, 1); }),
            "plugins.abi_too_new");
}

TEST_F(LoaderTest, RemovesCopiesOfAnEarlierProcess) {
  test::write_file(folder_.path() + "/run/broken-old-1.so", "x");
  test::write_file(folder_.path() + "/run/broken-new-1.so", "x");
  Loader again(folder_.path() + "/run");
  again.forget_left();
  EXPECT_EQ(copies(), 0U);
}

// The copy of the plugin that is put there, by another loader: its number as a file.
class LeftCopies : public LoaderTest {
 protected:
  ino_t load_again(const std::string& library) {
    const std::string folder = test::put_plugin(folder_.path() + "/plugins", "broken",
                                                test::manifest_text("broken", "1.0.0"), library);
    Loader loader(folder_.path() + "/run");
    auto opened = loader.load(read_manifest(folder), folder, 1);
    loader.forget_left();
    EXPECT_EQ(copies(), 1U);
    EXPECT_TRUE(is_mapped(opened->path()));
    loader.keep_copies();
    struct stat status {};
    EXPECT_EQ(::stat(opened->path().c_str(), &status), 0);
    path_ = opened->path();
    EXPECT_TRUE(loader.unload("broken", std::move(opened)));
    EXPECT_TRUE(fs::exists(path_)) << "it was to stay";
    return status.st_ino;
  }

  std::string path_;
};

TEST_F(LeftCopies, ReusesCopiesWithEqualBytes) {
  const ino_t first = load_again("sound");
  fs::rename(path_, fs::path(path_).parent_path() / (fs::path(path_).stem().string() + "2.so"));
  EXPECT_EQ(load_again("sound"), first);
  EXPECT_TRUE(path_.ends_with("-1.so")) << path_;
}

TEST_F(LeftCopies, IgnoresChangedOrWritableCopies) {
  load_again("sound");
  const std::string of_sound = path_;
  load_again("stop_hangs");
  EXPECT_NE(path_, of_sound);
  EXPECT_FALSE(fs::exists(of_sound));

  load_again("sound");
  fs::permissions(path_, fs::perms::owner_write, fs::perm_options::add);
  const auto size = fs::file_size(path_);
  test::write_file(path_, std::string(size, 'x'));
  load_again("sound");
  EXPECT_EQ(fs::file_size(path_), size);

  fs::permissions(path_, fs::perms::others_write, fs::perm_options::add);
  load_again("sound");
  EXPECT_EQ(fs::status(path_).permissions() & fs::perms::others_write, fs::perms::none);
}

TEST_F(LoaderTest, CountsLibrariesThatStayMapped) {
  auto library = load("throws", "1.0.0", "throws");
  EXPECT_NE(library->facts().may_stay_mapped, "");
  loader_.abandon("throws", load("sound"));
  EXPECT_EQ(loader_.resident("throws"), 1U);
  EXPECT_EQ(loader_.resident("broken"), 0U);
  EXPECT_TRUE(loader_.unload("throws", std::move(library)));
}

}  // namespace
}  // namespace tenon::plugins
