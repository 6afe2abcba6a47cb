#include "settings/store.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "data/database.hpp"
#include "engines/tests/support.hpp"

namespace tenon::settings {
namespace {

class Recorder final : public Listener {
 public:
  void on_loaded(Values values) override { loaded = std::move(values); }
  void on_changed(const std::vector<Change>& changes) override {
    for (const Change& change : changes)
      changed += change.key + "=" + change.json + ";";
  }
  void deliver() noexcept override { ++deliveries; }
  Values loaded;
  std::string changed;
  int deliveries = 0;
};

class SettingsStoreTest : public testing::Test {
 protected:
  SettingsStoreTest() {
    data::DatabaseOptions options;
    options.path = folder_.file("tenon.db");
    options.confinement = data::Confinement::host();
    database_ = std::make_unique<data::Database>(std::move(options));
    database_->exec(
        "CREATE TABLE plugins_settings(plugin TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT "
        "NULL, PRIMARY KEY (plugin, key)) "
        "STRICT, WITHOUT ROWID");
    store_ = std::make_unique<Store>(*database_, key_file_);
  }
  void set(const char* key, const char* json, bool is_secret = false) {
    store_->change("notes", [&](const Values&) -> std::vector<Change> {
      return {{key, json, is_secret}};
    });
  }
  std::string stored(const char* key) {
    data::Rows rows = database_->query("SELECT value FROM plugins_settings WHERE key = ?1", {key});
    return rows.next() ? std::string(rows.text(0)) : std::string();
  }

  data::test::Folder folder_;
  const std::string key_file_ = folder_.file("secrets.key");
  std::unique_ptr<data::Database> database_;
  std::unique_ptr<Store> store_;
};

TEST_F(SettingsStoreTest, StoresAndRemovesValues) {
  set("a", "1");
  set("b", "[2]");
  set("a", "3");
  EXPECT_EQ(store_->read("notes"), (Values{{"a", "3"}, {"b", "[2]"}}));
  EXPECT_TRUE(store_->read("tasks").empty());
  set("a", "");
  EXPECT_EQ(store_->read("notes"), (Values{{"b", "[2]"}}));
  EXPECT_FALSE(std::filesystem::exists(key_file_));
}

TEST_F(SettingsStoreTest, StoresNothingIfTheCallerThrows) {
  set("a", "1");
  EXPECT_THROW(store_->change("notes",
                              [](const Values& stored) -> std::vector<Change> {
                                EXPECT_EQ(stored.at("a"), "1");
                                throw base::Error(422, "x.refused", "No.");
                              }),
               base::Error);
  EXPECT_EQ(stored("a"), "1");
}

TEST_F(SettingsStoreTest, EncryptsSecrets) {
  set("token", "\"hunter2\"", true);
  EXPECT_TRUE(SecretKey::is_sealed(stored("token")));
  EXPECT_EQ(stored("token").find("hunter2"), std::string::npos);
  EXPECT_EQ(store_->read("notes").at("token"), "\"hunter2\"");
  EXPECT_TRUE(store_->read_for_export("notes").empty());
  EXPECT_EQ(std::filesystem::status(key_file_).permissions(), std::filesystem::perms(0600));
  const std::string first = stored("token");
  set("token", "\"hunter2\"", true);
  EXPECT_NE(stored("token"), first) << "a new nonce for each change";
  Store again(*database_, key_file_);
  EXPECT_EQ(again.read("notes").at("token"), "\"hunter2\"");
}

TEST_F(SettingsStoreTest, OpensASecretOnlyInItsOwnRow) {
  set("token", "\"hunter2\"", true);
  database_->exec("INSERT INTO plugins_settings SELECT 'other', key, value FROM plugins_settings");
  database_->exec(
      "INSERT INTO plugins_settings SELECT 'notes', 'shown', value FROM plugins_settings WHERE "
      "plugin = 'notes'");
  EXPECT_TRUE(store_->read("other").empty());
  EXPECT_EQ(store_->read("notes"), (Values{{"token", "\"hunter2\""}}));
  database_->exec(
      "UPDATE plugins_settings SET value = substr(value, 1, length(value) - 2) || 'AA'");
  EXPECT_TRUE(store_->read("notes").empty());
}

TEST_F(SettingsStoreTest, LeavesOutSecretsOfALostKey) {
  set("token", "\"hunter2\"", true);
  set("a", "1");
  std::filesystem::remove(key_file_);
  Store without(*database_, key_file_);
  EXPECT_EQ(without.read("notes"), (Values{{"a", "1"}}));
  set("a", "");
  EXPECT_FALSE(without.is_empty("notes")) << "the secret is still stored";
  EXPECT_TRUE(without.is_empty("tasks"));
  EXPECT_FALSE(std::filesystem::exists(key_file_)) << "reading makes no key";
  std::ofstream(key_file_) << "short";
  Store damaged(*database_, key_file_);
  try {
    damaged.read("notes");
    ADD_FAILURE();
  } catch (const base::Error& error) {
    EXPECT_EQ(error.code(), "settings.key_damaged");
  }
}

TEST_F(SettingsStoreTest, NotifiesListenersOfTheirPlugin) {
  set("a", "1");
  auto listener = std::make_shared<Recorder>();
  auto other = std::make_shared<Recorder>();
  store_->subscribe("notes", listener);
  store_->subscribe("tasks", other);
  EXPECT_EQ(listener->loaded, (Values{{"a", "1"}}));
  set("a", "2");
  set("token", "\"x\"", true);
  set("a", "");
  EXPECT_EQ(listener->changed, "a=2;token=\"x\";a=;");
  EXPECT_EQ(listener->deliveries, 3);
  EXPECT_EQ(other->deliveries, 0);
  const std::weak_ptr<Recorder> gone = listener;
  listener.reset();
  EXPECT_TRUE(gone.expired());
  set("a", "4");
}

}  // namespace
}  // namespace tenon::settings
