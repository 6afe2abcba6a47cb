// Runs every build of the exercise on the host in memory: the same requests return the same bytes.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sqlite3.h>

#include "fake_host.hpp"
#include "opened_library.hpp"

namespace tenon::test {
namespace {

namespace fs = std::filesystem;

/// Every exercise that was built here, and every golden one.
std::vector<std::string> libraries() {
  std::vector<std::string> found;
  for (const char* folder : {TENON_EXERCISES, TENON_GOLDEN}) {
    if (!fs::exists(folder)) continue;
    for (const auto& item : fs::recursive_directory_iterator(folder)) {
      if (item.path().extension() == ".so" && item.path().parent_path().filename() == TENON_ARCH) {
        found.push_back(item.path().string());
      }
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::string name_of(const testing::TestParamInfo<std::string>& info) {
  std::string name = fs::path(info.param).stem().string();
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

class Exercise : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    library_ = std::make_unique<OpenedLibrary>(GetParam());
    const tenon_plugin_entry* entry = library_->entry();
    ASSERT_NE(entry, nullptr);
    ASSERT_EQ(entry->magic, TENON_ENTRY_MAGIC);
    ASSERT_GE(entry->size, sizeof(tenon_plugin_entry));
    id = std::string(entry->id.data, entry->id.size);
    host = std::make_unique<FakeHost>(id);
    host->users = {{"ada", "Ada"}, {"bob", "Bob"}};
    host->permissions = {id + ".read"};
    host->settings["color"] = "\"green\"";
    ASSERT_EQ(sqlite3_exec(host->sqlite(),
                           "CREATE TABLE items (id TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE)",
                           nullptr, nullptr, nullptr),
              SQLITE_OK);
    tenon_error error{};
    error.size = sizeof error;
    ASSERT_EQ(entry->create(host->raw(), &plugin, &error), TENON_OK) << error.message;
    ASSERT_EQ(plugin->start(plugin, &error), TENON_OK) << error.message;
  }

  void TearDown() override {
    leave();
    library_->close();
    EXPECT_FALSE(library_->is_mapped());
  }

  void leave() {
    if (plugin == nullptr) return;
    if (plugin->quiesce != nullptr) plugin->quiesce(plugin, 1000);
    if (plugin->stop != nullptr) plugin->stop(plugin);
    host->drop_callbacks();
    plugin->destroy(plugin);
    plugin = nullptr;
  }

  RecordedResponse send(std::uint32_t method, const std::string& pattern, std::string body = {},
                        std::string query = {}) {
    return host->response(
        host->start({method, pattern, {}, std::move(query), std::move(body), {}, "ada"}));
  }

  std::string id;
  std::unique_ptr<FakeHost> host;
  tenon_plugin* plugin = nullptr;

 private:
  std::unique_ptr<OpenedLibrary> library_;
};

TEST_P(Exercise, RespondsAtOnce) {
  EXPECT_EQ(host->get("/hello/{name}", {"wörld \"x\""}).body, R"({"hello":"wörld \"x\""})");
  const RecordedResponse echo = send(TENON_HTTP_POST, "/echo", R"({"a":[1,2]})");
  EXPECT_EQ(echo.status, 201);
  EXPECT_EQ(echo.body, R"({"a":[1,2]})");
  EXPECT_EQ(echo.headers,
            (std::vector<std::pair<std::string, std::string>>{{"x-exercise", "echo"}}));
  EXPECT_EQ(host->get("/rest/{rest...}", {"a/b c"}).body, "a/b c");
}

TEST_P(Exercise, SendsProblems) {
  const RecordedResponse response = host->get("/fail");
  EXPECT_EQ(response.status, 422);
  EXPECT_EQ(response.code, "exercise.failed");
  EXPECT_EQ(response.body, "This always fails.");
  EXPECT_EQ(response.extra, R"({"extra":{"depth":1}})");
  EXPECT_EQ(response.problem_fields, std::vector<std::string>{"field"});
  // Golden plugins of 0.9 were built before a problem could carry header fields.
  std::vector<std::pair<std::string, std::string>> fields;
  if (!id.starts_with("golden-0-9-")) fields.emplace_back("x-exercise", "fail");
  EXPECT_EQ(response.headers, fields);
}

TEST_P(Exercise, RespondsLaterOnceToConnectedClients) {
  const tenon_handle first = host->start({.pattern = "/later"});
  const tenon_handle second = host->start({.pattern = "/later"});
  EXPECT_EQ(host->response(first).returned, TENON_PENDING);
  host->hang_up(second);
  EXPECT_EQ(host->get("/wake").body, R"({"woken":1})");
  EXPECT_EQ(host->response(first).body, "late");
  EXPECT_EQ(host->get("/wake").body, R"({"woken":0})");
}

TEST_P(Exercise, RespondsToPendingRequestsWhenItQuiesces) {
  const tenon_handle request = host->start({.pattern = "/later"});
  ASSERT_EQ(plugin->quiesce(plugin, 1000), TENON_OK);
  EXPECT_EQ(host->response(request).status, 503);
  EXPECT_EQ(host->response(request).code, "exercise.leaving");
}

TEST_P(Exercise, StreamsWithBackPressure) {
  host->set_room(16);
  const tenon_handle request = host->start({.pattern = "/stream", .query = "lines=5"});
  EXPECT_EQ(host->response(request).body, "line 1\nline 2\nline 3\n");
  EXPECT_FALSE(host->response(request).ended);
  host->drain(request);
  EXPECT_EQ(host->response(request).body, "line 1\nline 2\nline 3\nline 4\nline 5\n");
  EXPECT_EQ(host->response(request).ended, TENON_OK);
  EXPECT_EQ(host->response(host->start({.pattern = "/stream", .query = "lines=0"})).ended,
            TENON_OK);
}

TEST_P(Exercise, StopsStreamingToDisconnectedClient) {
  host->set_room(16);
  const tenon_handle request = host->start({.pattern = "/stream", .query = "lines=500"});
  host->hang_up(request);
  EXPECT_EQ(host->response(request).ended, TENON_E_CLOSED);
}

TEST_P(Exercise, ReadsBodyInPieces) {
  const tenon_handle request = host->start({.method = TENON_HTTP_PUT, .pattern = "/upload"});
  EXPECT_EQ(host->push_body(request, "foo"), TENON_OK);
  EXPECT_EQ(host->push_body(request, "bar"), TENON_OK);
  host->end_body(request, TENON_OK);
  EXPECT_EQ(host->response(request).body, R"({"bytes":6,"sum":3214735720})");
  const tenon_handle large = host->start({.method = TENON_HTTP_PUT, .pattern = "/upload"});
  host->end_body(large, TENON_E_TOO_LARGE);
  EXPECT_EQ(host->response(large).status, 413);
}

TEST_P(Exercise, IdentifiesCaller) {
  EXPECT_EQ(send(TENON_HTTP_GET, "/who").body, R"({"login":"ada","read":true,"write":false})");
  EXPECT_EQ(send(TENON_HTTP_GET, "/users").body, R"({"logins":["ada","bob"]})");
}

TEST_P(Exercise, KeepsRows) {
  for (const char* name : {"b", "a", "c\nd"})
    EXPECT_EQ(send(TENON_HTTP_POST, "/items", name).status, 201);
  EXPECT_EQ(send(TENON_HTTP_POST, "/items", "z", "undo=true").status, 201);
  const RecordedResponse twice = send(TENON_HTTP_POST, "/items", "a");
  EXPECT_EQ(twice.status, 409);
  EXPECT_EQ(twice.code, "data.unique");
  EXPECT_EQ(send(TENON_HTTP_GET, "/items").body, R"({"items":["a","b","c\nd"]})");
  EXPECT_EQ(host->open_cursors, 0);
  EXPECT_EQ(host->open_transactions, 0);
}

TEST_P(Exercise, StoresSettingsAndReceivesChanges) {
  EXPECT_EQ(send(TENON_HTTP_GET, "/setting").body, R"({"change":"","color":"green"})");
  EXPECT_EQ(send(TENON_HTTP_PUT, "/setting", "\"red\"").status, 204);
  EXPECT_EQ(send(TENON_HTTP_GET, "/setting").body, R"({"change":"color=\"red\"","color":"red"})");
}

TEST_P(Exercise, ReportsHealth) {
  // Golden plugins of earlier versions were built before there was a health check.
  if (plugin->size < TENON_NEED(tenon_plugin, health)) {
    EXPECT_TRUE(id.starts_with("golden-0-9-") || id.starts_with("golden-0-10-"));
    return;
  }
  tenon_error error{};
  error.size = sizeof error;
  EXPECT_EQ(plugin->health(plugin, &error), TENON_OK);
  EXPECT_EQ(send(TENON_HTTP_PUT, "/setting", "\"pale\"").status, 204);
  EXPECT_EQ(plugin->health(plugin, &error), TENON_E_INTERNAL);
  EXPECT_STREQ(error.name, "exercise.pale");
  EXPECT_STREQ(error.message, "It is pale.");
}

TEST_P(Exercise, FailsCleanlyOnHostWithoutInterface) {
  FakeHost older(id);
  older.limit(TENON_SETTINGS_ID, 0);
  tenon_plugin* refused = nullptr;
  tenon_error error{};
  error.size = sizeof error;
  OpenedLibrary again(GetParam());
  EXPECT_LT(again.entry()->create(older.raw(), &refused, &error), 0);
  EXPECT_EQ(refused, nullptr);
}

TEST_P(Exercise, RunsNextToAnotherInstance) {
  OpenedLibrary again(GetParam());
  FakeHost other(id);
  tenon_plugin* second = nullptr;
  tenon_error error{};
  error.size = sizeof error;
  ASSERT_EQ(again.entry()->create(other.raw(), &second, &error), TENON_OK);
  ASSERT_EQ(second->start(second, &error), TENON_OK);
  EXPECT_EQ(other.get("/hello/{name}", {"x"}).body, R"({"hello":"x"})");
  leave();
  EXPECT_EQ(other.get("/hello/{name}", {"y"}).body, R"({"hello":"y"})");
  second->quiesce(second, 0);
  if (second->stop != nullptr) second->stop(second);
  other.drop_callbacks();
  second->destroy(second);
}

TEST_P(Exercise, StoresFactsInLibrary) {
  std::ifstream file(GetParam(), std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  const std::string minor = id.starts_with("golden-0-9-")    ? "9"
                            : id.starts_with("golden-0-10-") ? "10"
                            : id.starts_with("golden-0-11-") ? "11"
                            : id.starts_with("golden-0-12-") ? "12"
                                                             : "13";
  EXPECT_NE(
      bytes.str().find("{\"id\":\"" + id +
                       "\",\"version\":\"1.0.0\",\"abi\":{\"major\":0,\"minor\":" + minor + "}"),
      std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Libraries, Exercise, testing::ValuesIn(libraries()), name_of);

}  // namespace
}  // namespace tenon::test
