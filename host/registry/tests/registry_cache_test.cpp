#include <atomic>
#include <filesystem>
#include <thread>

#include <gtest/gtest.h>

#include "packages/signature/signature.hpp"
#include "packages/tests/plugin_folder.hpp"
#include "registry/index_cache.hpp"
#include "registry/tests/registry_fixture.hpp"

namespace tenon::plugins {
namespace {

using namespace std::chrono_literals;

class RegistryCache : public testing::Test {
 protected:
  RegistryCache() {
    test::write_file(path("registry.pub"), key_.public_key().to_text());
    serve(7);
  }

  std::string path(const std::string& name) const { return folder_.path() + "/" + name; }
  void serve(std::uint64_t serial) const { serve(serial, key_); }
  void serve(std::uint64_t serial, const SecretKey& key) const {
    PackageIndex index = test::sample_index();
    index.serial = serial;
    const std::string text = write_index(index);
    test::write_file(path("served/index.json"), text);
    test::write_file(path("served/index.json.minisig"), sign_text(text, key, "-").to_text());
  }
  IndexCache::Options options(std::chrono::milliseconds refresh_interval = 1h) const {
    return {RegistryLocation(path("served")), path("registry.pub"), path("kept"), refresh_interval};
  }
  static std::uint64_t serial(const RegistryState& state) {
    return state.index ? state.index->serial : 0;
  }
  static std::string error(const RegistryState& state) {
    return state.error ? state.error->code : "";
  }

  test::TemporaryFolder folder_;
  SecretKey key_ = make_key();
};

TEST_F(RegistryCache, RefreshesWhenDue) {
  IndexCache cache(options());
  EXPECT_EQ(serial(cache.current()), 7U);
  serve(8);
  EXPECT_EQ(serial(cache.current()), 7U);
  const RegistryState state = cache.refresh();
  EXPECT_EQ(serial(state), 8U);
  EXPECT_EQ(error(state), "");
  EXPECT_GT(state.read_ms, 0);
  IndexCache impatient(options(0ms));
  EXPECT_EQ(serial(impatient.current()), 8U);
  serve(9);
  EXPECT_EQ(serial(impatient.current()), 9U);
}

TEST_F(RegistryCache, KeepsTheLastGoodIndex) {
  IndexCache cache(options());
  const std::int64_t read = cache.refresh().read_ms;
  std::filesystem::remove(path("served/index.json"));
  const RegistryState state = cache.refresh();
  EXPECT_EQ(serial(state), 7U);
  EXPECT_EQ(error(state), "plugins.registry_unreachable");
  EXPECT_EQ(state.read_ms, read);
  // Also a new process has it.
  IndexCache next(options());
  const RegistryState kept = next.current();
  EXPECT_EQ(serial(kept), 7U);
  EXPECT_EQ(error(kept), "plugins.registry_unreachable");
  EXPECT_EQ(kept.read_ms, 0);
  EXPECT_GT(kept.tried_ms, 0);
  serve(8);
  EXPECT_EQ(error(next.refresh()), "");
}

TEST_F(RegistryCache, RefusesAnOlderSerial) {
  IndexCache cache(options());
  cache.refresh();
  serve(6);
  const RegistryState state = cache.refresh();
  EXPECT_EQ(serial(state), 7U);
  EXPECT_EQ(error(state), "plugins.registry_older");
  IndexCache next(options());
  EXPECT_EQ(error(next.current()), "plugins.registry_older");
  serve(7);
  EXPECT_EQ(error(next.refresh()), "");
  // An admin who recreates a registry deletes the cache.
  serve(1);
  std::filesystem::remove_all(path("kept"));
  IndexCache fresh(options());
  EXPECT_EQ(serial(fresh.current()), 1U);
}

TEST_F(RegistryCache, TrustsItsKeyOnly) {
  const SecretKey other = make_key();
  serve(9, other);
  IndexCache cache(options());
  EXPECT_EQ(serial(cache.current()), 0U);
  EXPECT_EQ(error(cache.current()), "plugins.signature_wrong_key");
  serve(7);
  EXPECT_EQ(serial(cache.refresh()), 7U);
  // The cached index is signed as well.
  for (const auto& entry : std::filesystem::directory_iterator(path("kept"))) {
    std::string text = test::read_file(entry.path().string());
    text.replace(text.find("\"serial\":7"), 10, "\"serial\":9");
    test::write_file(entry.path().string(), text);
  }
  IndexCache next(options());
  EXPECT_EQ(serial(next.current()), 7U);
  EXPECT_EQ(error(next.current()), "");
  // Another key, another registry: its serials start again.
  test::write_file(path("registry.pub"), other.public_key().to_text());
  serve(2, other);
  EXPECT_EQ(serial(next.refresh()), 2U);
  test::write_file(path("registry.pub"), "no key");
  EXPECT_EQ(error(next.refresh()), "plugins.signature_key_invalid");
  EXPECT_EQ(serial(next.refresh()), 2U);
}

TEST_F(RegistryCache, AllowsConcurrentReaders) {
  IndexCache cache(options(0ms));
  std::atomic<int> good{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      for (int round = 0; round < 20; ++round) {
        const RegistryState state = i == 0 ? cache.refresh() : cache.current();
        if (serial(state) == 7 && error(state).empty()) ++good;
      }
    });
  }
  for (std::thread& thread : threads)
    thread.join();
  EXPECT_EQ(good, 80);
}

TEST_F(RegistryCache, ReadsNothingAfterStop) {
  IndexCache cache(
      {RegistryLocation("http://127.0.0.1:9"), path("registry.pub"), path("kept"), 1h});
  cache.stop();
  const RegistryState state = cache.current();
  EXPECT_EQ(error(state), "plugins.registry_unreachable");
  EXPECT_NE(state.error->message.find("the server stops"), std::string::npos);
}

}  // namespace
}  // namespace tenon::plugins
