#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <gtest/gtest.h>

#include "base/clock.hpp"
#include "lifecycle/host_tables.hpp"
#include "lifecycle/tests/plugin_host.hpp"
#include "packages/installed/package_store.hpp"
#include "packages/installed/uploads.hpp"
#include "packages/keyring/keyring.hpp"
#include "packages/reason.hpp"
#include "packages/signature/keys.hpp"
#include "packages/tests/refused.hpp"

namespace tenon::plugins::test {

namespace {

namespace fs = std::filesystem;

std::string number_text(std::size_t number) {
  constexpr char digits[] = "0123456789ABCDEF";
  std::string text(16, '0');
  for (std::size_t at = 16; number != 0; number /= 16)
    text[--at] = digits[number % 16];
  return text;
}

std::string upload_name(char digit) {
  return std::string(128, digit);
}

class StoreTest : public ::testing::Test {
 protected:
  StoreTest() { make_host_tables(host_.database()); }

  InstalledVersion version(const std::string& text) {
    InstalledVersion one;
    one.plugin = "notes";
    one.version = text;
    one.folder = "plugins/notes/" + text;
    one.signer = number_text(1);
    return one;
  }

  PluginHost host_;
};

class KeyringTest : public StoreTest {
 protected:
  Keyring keyring_{host_.database()};
};

class PackageStoreTest : public StoreTest {
 protected:
  PackageStore store_{host_.database(), host_.folder()};
};

}  // namespace

TEST_F(KeyringTest, LimitsNamesAndReasons) {
  const PublicKey key = make_key().public_key();
  EXPECT_EQ(code_of([&] { keyring_.trust(key, std::string(Keyring::max_name + 1, 'a'), "local"); }),
            "plugins.signature_key_invalid");
  EXPECT_EQ(code_of([&] { keyring_.trust(key, "two\nlines", "local"); }),
            "plugins.signature_key_invalid");
  EXPECT_TRUE(keyring_.list().empty());
  EXPECT_EQ(keyring_.trust(key, std::string(Keyring::max_name, 'a'), "local").number, key.id());
  EXPECT_EQ(code_of([&] {
              keyring_.revoke(key.id(), std::string(Keyring::max_reason + 1, 'a'), "local");
            }),
            "plugins.signature_key_invalid");
  EXPECT_EQ(keyring_.find(key.id())->trust, Trust::trusted);
  EXPECT_EQ(keyring_.revoke(key.id(), std::string(Keyring::max_reason, 'a'), "local").trust,
            Trust::revoked);
}

TEST_F(KeyringTest, LimitsTheNumberOfKeys) {
  for (std::size_t number = 0; number < Keyring::max_keys; ++number)
    keyring_.revoke(number_text(number), {}, "local");
  EXPECT_EQ(code_of([&] { keyring_.revoke(number_text(Keyring::max_keys), {}, "local"); }),
            "plugins.signature_too_many_keys");
  EXPECT_EQ(code_of([&] { keyring_.trust(make_key().public_key(), "ada", "local"); }),
            "plugins.signature_too_many_keys");
  // An existing key can be revoked again.
  EXPECT_EQ(keyring_.revoke(number_text(0), "again", "local").reason, "again");
  EXPECT_EQ(keyring_.list().size(), Keyring::max_keys);
}

TEST_F(KeyringTest, RefusesConflictingAndRevokedKeys) {
  const PublicKey key = make_key().public_key();
  keyring_.trust(key, "ada", "local");
  PublicKey other = make_key().public_key();
  other.number = key.number;
  EXPECT_EQ(code_of([&] { keyring_.trust(other, "eve", "local"); }),
            "plugins.signature_key_conflict");
  EXPECT_EQ(keyring_.require_trusted(key.id(), "file").key, key.key);
  keyring_.require_not_revoked(key.id(), "file");
  keyring_.revoke(key.id(), "stolen", "local");
  EXPECT_EQ(code_of([&] { keyring_.require_trusted(key.id(), "file"); }), "plugins.signer_revoked");
  EXPECT_EQ(code_of([&] { keyring_.require_not_revoked(key.id(), "file"); }),
            "plugins.signer_revoked");
  EXPECT_EQ(code_of([&] { keyring_.trust(key, "ada", "local"); }), "plugins.signature_key_revoked");
  EXPECT_EQ(code_of([&] { keyring_.forget(key.id()); }), "plugins.signature_key_revoked");
  EXPECT_EQ(code_of([&] { keyring_.forget(number_text(7)); }), "plugins.signature_key_unknown");
  EXPECT_EQ(code_of([&] { keyring_.require_trusted(number_text(7), "file"); }),
            "plugins.signer_unknown");
}

TEST_F(StoreTest, RemovesTheOldestUploadForANewOne) {
  PackageUploads uploads(host_.folder());
  const std::string digits = "0123456789";
  for (std::size_t at = 0; at <= PackageUploads::max_files; ++at) {
    uploads.keep(upload_name(digits[at]), "bytes");
    // As if it had come so many seconds before the next one.
    const auto back = std::chrono::seconds(PackageUploads::max_files - at);
    fs::last_write_time(host_.folder() + "/plugins/.uploads/" + upload_name(digits[at]),
                        fs::file_time_type::clock::now() - back);
  }
  EXPECT_EQ(code_of([&] { uploads.find(upload_name('0')); }), "plugins.package_unknown");
  for (std::size_t at = 1; at <= PackageUploads::max_files; ++at)
    EXPECT_NE(uploads.find(upload_name(digits[at])), "");
  uploads.forget(upload_name('1'));
  EXPECT_EQ(code_of([&] { uploads.find(upload_name('1')); }), "plugins.package_unknown");
  EXPECT_EQ(code_of([&] { uploads.find("../tenon.db"); }), "plugins.package_unknown");
}

TEST_F(PackageStoreTest, KeepsOnePreviousVersionUntilItExpires) {
  for (const char* text : {"1.0.0", "1.1.0", "1.2.0"}) {
    fs::create_directories(store_.absolute(version(text).folder));
    store_.commit(version(text), std::nullopt, std::string(no_data));
  }
  EXPECT_EQ(store_.current("notes")->version, "1.2.0");
  EXPECT_EQ(store_.previous("notes")->version, "1.1.0");
  store_.sweep();
  const auto folders = [this] {
    return std::distance(fs::directory_iterator(store_.absolute("plugins/notes")),
                         fs::directory_iterator());
  };
  EXPECT_EQ(folders(), 2);
  store_.expire(base::unix_milliseconds() - 60'000);
  EXPECT_TRUE(store_.previous("notes"));
  store_.expire(base::unix_milliseconds() + 60'000);
  EXPECT_FALSE(store_.previous("notes"));
  store_.sweep();
  EXPECT_EQ(folders(), 1);
  EXPECT_EQ(store_.current("notes")->version, "1.2.0");
}

}  // namespace tenon::plugins::test
