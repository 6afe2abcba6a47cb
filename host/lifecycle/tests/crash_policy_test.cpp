#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>

#include <gtest/gtest.h>

#include "data/database.hpp"
#include "lifecycle/plugin_states.hpp"
#include "lifecycle/probation/quarantine.hpp"
#include "packages/tests/plugin_folder.hpp"

namespace tenon::plugins {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds long_ago = std::chrono::hours(1);
constexpr milliseconds short_time{2'000};

/// A server that goes down again and again, each time as the test says.
class CrashPolicy : public testing::Test {
 protected:
  CrashPolicy() {
    std::filesystem::create_directories(folder_.path() + "/run");
    data::DatabaseOptions options;
    options.path = folder_.path() + "/tenon.db";
    options.confinement = data::Confinement::host();
    database_ = std::make_unique<data::Database>(options);
  }

  /// The job that is not run again.
  std::string after(const CrashReport& report, milliseconds lived = long_ago,
                    int signal = SIGSEGV) {
    Restart restart;
    restart.process_exit = ProcessExit{++process_, signal, 0};
    restart.report = report;
    restart.lived = lived;
    Quarantine quarantine(*database_, folder_.path());
    quarantine.check_last_run(restart, [](const std::string&) { return std::string("1.0.0"); });
    return quarantine.crashing_job();
  }
  std::string after(Operation operation, const std::string& request = "r",
                    milliseconds lived = long_ago, const std::string& plugin = "notes") {
    return after(CrashReport{.call = NamedCall{plugin, operation, request, {}}}, lived);
  }
  /// The reason that the admin reads; empty: the plugin is not kept out.
  std::string reason(const std::string& plugin = "notes") {
    Quarantine quarantine(*database_, folder_.path());
    quarantine.check_last_run({}, [](const std::string&) { return std::string(); });
    PluginStatus status;
    status.id = plugin;
    return quarantine.hold(status) ? status.reason->message : std::string();
  }

  test::TemporaryFolder folder_;
  std::unique_ptr<data::Database> database_;
  int process_ = 100;
};

TEST_F(CrashPolicy, KeepsOutAfterTwoCrashesInTenMinutes) {
  after(Operation::route);
  EXPECT_EQ(reason(), "");
  after(Operation::service);
  const std::string why = reason();
  EXPECT_NE(why.find("in the handler of a service (request r) of this plugin, by signal 11 "
                     "(SIGSEGV), for the second time within ten minutes"),
            std::string::npos)
      << why;
}

TEST_F(CrashPolicy, IgnoresCrashesOfAnotherPlugin) {
  after(Operation::route);
  after(Operation::route, "r", long_ago, "tasks");
  EXPECT_EQ(reason(), "");
  EXPECT_EQ(reason("tasks"), "");
}

TEST_F(CrashPolicy, IgnoresOldCrashes) {
  after(Operation::route);
  database_->exec("UPDATE plugins_crashes SET at_ms = at_ms - ?1",
                  {milliseconds(Quarantine::counted).count() + 1'000});
  after(Operation::route);
  EXPECT_EQ(reason(), "");
}

TEST_F(CrashPolicy, KeepsOutAPluginThatCrashesEarly) {
  after(Operation::own_thread, "", short_time);
  EXPECT_NE(reason().find("within a minute after it was started"), std::string::npos) << reason();
}

TEST_F(CrashPolicy, SetsAsideAJobAtItsSecondCrash) {
  EXPECT_EQ(after(Operation::job, "one", short_time), "");
  EXPECT_EQ(after(Operation::job, "one", short_time), "one");
  EXPECT_EQ(reason(), "");
  EXPECT_EQ(after(Operation::job, "other", short_time), "");
  EXPECT_NE(reason().find("for the third time within ten minutes"), std::string::npos) << reason();
}

TEST_F(CrashPolicy, RemembersAJobLongerThanTenMinutes) {
  after(Operation::job, "one");
  database_->exec("UPDATE plugins_crashes SET at_ms = at_ms - ?1",
                  {milliseconds(Quarantine::counted).count() * 10});
  EXPECT_EQ(after(Operation::job, "one"), "one");
  EXPECT_EQ(reason(), "");
}

TEST_F(CrashPolicy, KeepsOutCommonSuspectsAtTheThirdCrash) {
  const NamedCall notes{"notes", Operation::route, "r", {}};
  const NamedCall tasks{"tasks", Operation::route, "r", {}};
  const NamedCall other{"other", Operation::route, "r", {}};
  after(CrashReport{.others = {notes, tasks}}, short_time);
  after(CrashReport{.others = {notes, other}}, short_time);
  EXPECT_EQ(reason(), "");
  after(CrashReport{.others = {notes, tasks}}, short_time);
  EXPECT_NE(reason().find("other plugins may be to blame"), std::string::npos) << reason();
  EXPECT_EQ(reason("tasks"), "");
  EXPECT_EQ(reason("other"), "");
}

TEST_F(CrashPolicy, KeepsOutNoPluginWithoutASuspect) {
  for (int i = 0; i < 4; ++i)
    after(CrashReport{}, short_time);
  EXPECT_EQ(reason(), "");
}

TEST_F(CrashPolicy, BlamesTheNamedPluginBeforeTheNewest) {
  test::write_file(folder_.path() + "/run/loading", "tenon-loading 101\nyoung tasks\n\n");
  after(Operation::route);
  EXPECT_EQ(reason("tasks"), "");
  EXPECT_EQ(reason("notes"), "") << "its first one";
  test::write_file(folder_.path() + "/run/loading",
                   "tenon-loading 102\nyoung notes\nyoung tasks\n\n");
  after(Operation::route);
  EXPECT_EQ(reason("tasks"), "");
  EXPECT_NE(reason("notes").find("within a minute after this plugin was enabled, in the handler"),
            std::string::npos)
      << reason();
}

TEST_F(CrashPolicy, KeepsTheLastCrashesOnly) {
  QuarantineStore store(*database_);
  for (std::size_t i = 0; i < QuarantineStore::retained_crashes + 5; ++i)
    store.add_crash({"notes", Operation::job, std::to_string(i), {}}, true, "",
                    1'000 + static_cast<std::int64_t>(i));
  EXPECT_EQ(store.crashes_since("notes", true, 0),
            static_cast<std::int64_t>(QuarantineStore::retained_crashes));
  EXPECT_EQ(store.crashes_in_job("4"), 0);
  EXPECT_EQ(store.crashes_in_job("5"), 1);
}

}  // namespace
}  // namespace tenon::plugins
