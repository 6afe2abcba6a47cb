#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <thread>

#include <gtest/gtest.h>

#include "packages/archive/archive.hpp"
#include "packages/archive/file_list.hpp"
#include "packages/signature/signature.hpp"
#include "packages/tests/plugin_folder.hpp"
#include "registry/build.hpp"
#include "registry/downloads.hpp"
#include "registry/index_cache.hpp"
#include "registry/tests/registry_fixture.hpp"

namespace tenon::plugins {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

// A registry in a folder with copper 1.0.0 and 1.1.0.
class RegistryDownloads : public testing::Test {
 protected:
  RegistryDownloads() {
    test::write_file(path("registry.pub"), key_.public_key().to_text());
    test::write_file(path("served/keys/" + key_.public_key().id() + ".pub"),
                     key_.public_key().to_text());
    for (const char* version : {"1.0.0", "1.1.0"}) {
      packages_.push_back(test::signed_package("copper", version, key_));
      test::write_file(path(std::string("served/copper-") + version + ".tenon"), packages_.back());
    }
    build_registry(path("served"), key_, {});
  }

  std::string path(const std::string& name) const { return folder_.path() + "/" + name; }
  Downloads& downloads() {
    if (!downloads_) {
      cache_.emplace(IndexCache::Options{RegistryLocation(path("served")), path("registry.pub"),
                                         path("kept"), 1h});
      downloads_.emplace(&*cache_, path("kept"),
                         [this](const std::string& name, std::string_view bytes) {
                           std::unique_lock lock(mutex_);
                           changed_.wait(lock, [this] { return !is_held_; });
                           kept_[name] = bytes;
                         });
    }
    return *downloads_;
  }
  Download ended(std::uint64_t number) {
    Download download = downloads().find(number);
    while (download.state == DownloadState::running) {
      std::this_thread::sleep_for(1ms);
      download = downloads().find(number);
    }
    return download;
  }
  void hold(bool is_held) {
    const std::lock_guard lock(mutex_);
    is_held_ = is_held;
    changed_.notify_all();
  }
  std::size_t files_under_way() const {
    std::size_t count = 0;
    for (const auto& entry : fs::directory_iterator(path("kept")))
      count += entry.path().filename().string().starts_with("fetched-") ? 1 : 0;
    return count;
  }

  test::TemporaryFolder folder_;
  SecretKey key_ = make_key();
  std::vector<std::string> packages_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_held_ = false;
  std::map<std::string, std::string> kept_;
  std::optional<IndexCache> cache_;
  std::optional<Downloads> downloads_;
};

TEST_F(RegistryDownloads, DownloadsAnIndexedVersion) {
  test::write_file(path("kept/fetched-left"), "by an earlier process");
  const Download begun = downloads().start("copper", "");
  EXPECT_EQ(begun.version, "1.1.0");
  EXPECT_EQ(begun.total, packages_[1].size());
  const Download done = ended(begun.number);
  EXPECT_EQ(to_string(done.state), "done");
  EXPECT_EQ(done.done, done.total);
  EXPECT_EQ(kept_.at(done.package), packages_[1]);
  EXPECT_EQ(kept_.at(downloads().fetch_and_keep("copper", "1.0.0")), packages_[0]);
  EXPECT_EQ(files_under_way(), 0U);
}

TEST_F(RegistryDownloads, NamesTheFault) {
  EXPECT_EQ(test::refused([&] { downloads().start("silver", ""); }), "plugins.registry_unknown");
  EXPECT_EQ(test::refused([&] { downloads().start("copper", "2.0.0"); }),
            "plugins.registry_unknown");
  EXPECT_EQ(test::refused([&] { downloads().find(1); }), "plugins.registry_unknown");
  EXPECT_EQ(test::refused([&] { downloads().cancel(0); }), "plugins.registry_unknown");
  test::write_file(path("served/copper-1.1.0.tenon"), packages_[0]);
  const Download failed = ended(downloads().start("copper", "1.1.0").number);
  EXPECT_EQ(to_string(failed.state), "failed");
  EXPECT_EQ(failed.error.value().code, "plugins.registry_damaged");
  EXPECT_TRUE(failed.package.empty());
  EXPECT_TRUE(kept_.empty());
  EXPECT_EQ(files_under_way(), 0U);
  Downloads none(nullptr, path("kept"), {});
  EXPECT_EQ(test::refused([&] { none.start("copper", ""); }), "plugins.registry_unknown");
}

TEST_F(RegistryDownloads, ChecksThePluginAgainstTheIndex) {
  BuiltRegistry built = build_registry(path("served"), key_, {});
  IndexedVersion& newest = built.index.plugins.at(0).versions.at(0);
  const IndexedVersion& older = built.index.plugins[0].versions.at(1);
  newest.file = older.file;
  newest.size = older.size;
  newest.hash = older.hash;
  const std::string text = write_index(built.index);
  test::write_file(path("served/index.json"), text);
  test::write_file(path("served/index.json.minisig"), sign_text(text, key_, "-").to_text());
  const Download failed = ended(downloads().start("copper", "1.1.0").number);
  EXPECT_EQ(failed.error.value().code, "plugins.registry_damaged");
  EXPECT_NE(failed.error->message.find("it is copper 1.1.0, and it is copper 1.0.0"),
            std::string::npos);
  EXPECT_TRUE(kept_.empty());
}

TEST_F(RegistryDownloads, RunsTwoAtOnceAndForgetsTheOldest) {
  hold(true);
  const std::uint64_t first = downloads().start("copper", "").number;
  const std::uint64_t second = downloads().start("copper", "1.0.0").number;
  EXPECT_EQ(test::refused([&] { downloads().start("copper", ""); }), "plugins.registry_busy");
  hold(false);
  ended(first);
  ended(second);
  for (std::size_t i = 2; i < Downloads::max_known; ++i)
    ended(downloads().start("copper", "").number);
  downloads().find(first);
  ended(downloads().start("copper", "").number);
  EXPECT_EQ(test::refused([&] { downloads().find(first); }), "plugins.registry_unknown");
  downloads().find(second);
}

TEST_F(RegistryDownloads, StartsNoneAfterStop) {
  downloads().stop();
  EXPECT_EQ(to_string(ended(downloads().start("copper", "").number).state), "stopped");
  EXPECT_EQ(test::refused([&] { downloads().fetch_and_keep("copper", ""); }),
            "plugins.registry_unreachable");
  EXPECT_TRUE(kept_.empty());
}

}  // namespace
}  // namespace tenon::plugins
