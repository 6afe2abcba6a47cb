#include "lifecycle/probation/quarantine.hpp"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "lifecycle/stored_plugins.hpp"
#include "lifecycle/tests/plugin_host.hpp"

namespace tenon::plugins {
namespace {

using test::PluginHost;

constexpr int process = 12;

Restart after(int signal, int exit_code = 0) {
  return {ProcessExit{process, signal, exit_code}, false};
}

// A host with two plugins whose process before left this record.
class CrashedHost {
 public:
  CrashedHost(const std::string& text, const Restart& restart)
      : host(PluginHost::Options{.restart = restart}) {
    host.put_probe();
    host.put("other", "other");
    leave(text);
    host.start();
  }
  void leave(const std::string& text) const {
    std::ofstream(host.folder() + "/data/run/loading") << "tenon-loading 12\n" << text << "\n";
  }
  std::optional<PreviousRecord> record() const {
    return read_crash_journal(host.folder() + "/data");
  }

  PluginHost host;
};

TEST(ProcessExit, DescribesItselfInWords) {
  EXPECT_EQ(to_text({process, SIGSEGV, 0}), "signal 11 (SIGSEGV)");
  EXPECT_EQ(to_text({process, 0, 3}), "exit code 3");
  EXPECT_EQ(to_text({process, 63, 0}), "signal 63");
}

TEST(ProcessExit, CountsAsAFaultUnlessSentFromOutside) {
  for (const int signal : {0, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP})
    EXPECT_TRUE(is_fault({process, signal, 0})) << signal;
  for (const int signal : {SIGKILL, SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1})
    EXPECT_FALSE(is_fault({process, signal, 0})) << signal;
}

TEST(Suspect, PrefersTheLoadingPluginToTheNewest) {
  const ProbationEntry old{"old", StartStage::on_probation, false, {}};
  const ProbationEntry newest{"newest", StartStage::on_probation, false, {}};
  const ProbationEntry loading{"loading", StartStage::loading, false, {}};
  const ProbationEntry starting{"starting", StartStage::starting, false, {}};
  EXPECT_EQ(suspect_of({}), nullptr);
  const PreviousRecord two{process, {old, newest}};
  EXPECT_EQ(*suspect_of(two), newest);
  const PreviousRecord three{process, {old, loading, newest}};
  EXPECT_EQ(*suspect_of(three), loading);
  const PreviousRecord four{process, {loading, old, starting, newest}};
  EXPECT_EQ(*suspect_of(four), starting);
}

TEST(Quarantine, KeepsOutACrashedPluginUntilEnabled) {
  CrashedHost left("loading probe\n", after(SIGSEGV));
  PluginHost& host = left.host;
  EXPECT_EQ(host.state("probe"), "quarantined:plugins.crashed");
  EXPECT_TRUE(host.status("probe").enabled);
  const std::string message = host.status("probe").reason->message;
  EXPECT_NE(message.find("while the library of this plugin was loaded, by signal 11 (SIGSEGV)"),
            std::string::npos)
      << message;
  EXPECT_EQ(host.get("/api/probe/hello").status, 503);
  EXPECT_EQ(host.state("other"), "active");
  EXPECT_NE(host.metrics_text().find(R"(tenon_plugins_state{plugin="probe",state="quarantined"})"),
            std::string::npos);

  host.restart();
  host.start();
  EXPECT_EQ(host.state("probe"), "quarantined:plugins.crashed");

  host.lifecycle().enable("probe");
  EXPECT_EQ(host.state("probe"), "active");
  ASSERT_TRUE(left.record());
  EXPECT_EQ(left.record()->entries,
            (std::vector<ProbationEntry>{{"probe", StartStage::on_probation, false, {}}}));
  host.restart();
  EXPECT_FALSE(left.record());
  host.start();
  EXPECT_EQ(host.state("probe"), "active");
}

TEST(Quarantine, ReportsTheStageAndTheExit) {
  CrashedHost starting("starting probe\n", after(0, 7));
  EXPECT_NE(starting.host.status("probe").reason->message.find(
                "while this plugin was started, by exit code 7"),
            std::string::npos);
  CrashedHost on_probation("young probe\n", after(SIGABRT));
  EXPECT_NE(on_probation.host.status("probe").reason->message.find(
                "within a minute after this plugin was enabled, by signal 6 (SIGABRT)"),
            std::string::npos);
}

TEST(Quarantine, SuspectsThePluginAfterAnExternalKill) {
  for (const Restart& restart :
       {after(SIGKILL), Restart{}, Restart{ProcessExit{99, SIGSEGV, 0}, false}}) {
    CrashedHost left("loading probe\n", restart);
    EXPECT_EQ(left.host.state("probe"), "active");
    EXPECT_EQ(left.record()->entries,
              (std::vector<ProbationEntry>{{"probe", StartStage::on_probation, true, {}}}));
    // Now it has ended twice with the same plugin.
    left.host.restart();
    left.leave("young probe suspect\n");
    left.host.start();
    EXPECT_EQ(left.host.state("probe"), "quarantined:plugins.crashed");
    EXPECT_NE(left.host.status("probe").reason->message.find("twice in a row"), std::string::npos);
  }
}

TEST(Quarantine, IgnoresCrashesOfAVersionBeingTried) {
  for (const char* text : {"starting probe tries 1.1.0\n", "loading probe suspect tries 1.1.0\n"}) {
    CrashedHost left(text, after(SIGSEGV));
    EXPECT_EQ(left.host.state("probe"), "active");
    EXPECT_TRUE(left.record()->entries.empty());
  }
  CrashedHost same("starting probe tries 1.0.0\n", after(SIGSEGV));
  EXPECT_EQ(same.host.state("probe"), "quarantined:plugins.crashed");
  CrashedHost gone("starting absent tries 1.0.0\n", after(SIGSEGV));
  EXPECT_EQ(gone.host.state("probe"), "active");
}

TEST(Quarantine, KeepsOtherPluginsOnProbation) {
  CrashedHost left("young other\nyoung probe\n", after(SIGSEGV));
  EXPECT_EQ(left.host.state("probe"), "quarantined:plugins.crashed");
  EXPECT_EQ(left.host.state("other"), "active");
  EXPECT_EQ(left.record()->entries,
            (std::vector<ProbationEntry>{{"other", StartStage::on_probation, false, {}}}));
  left.host.lifecycle().disable("other");
  EXPECT_TRUE(left.record()->entries.empty());
}

TEST(Quarantine, SuspectsNoPluginInAnEmptyRecord) {
  CrashedHost left("", after(SIGSEGV));
  EXPECT_EQ(left.host.state("probe"), "active");
  EXPECT_EQ(left.host.state("other"), "active");
  EXPECT_TRUE(left.record()->entries.empty());
}

TEST(Quarantine, HidesADisabledPluginUntilItIsEnabled) {
  CrashedHost left("loading probe\n", after(SIGSEGV));
  PluginHost& host = left.host;
  host.lifecycle().disable("probe");
  EXPECT_EQ(host.state("probe"), "disabled");
  EXPECT_EQ(host.get("/api/probe/hello").status, 404);
  host.restart();
  StoredPlugins stored(host.database(), host.folder(), host.directories());
  EXPECT_EQ(stored.set_enabled("probe", true).state, State::discovered);
  host.start();
  EXPECT_EQ(host.state("probe"), "active");
}

TEST(Quarantine, ListsAndLiftsWithoutAServer) {
  CrashedHost left("loading probe\n", after(SIGSEGV));
  left.host.restart();
  StoredPlugins stored(left.host.database(), left.host.folder(), left.host.directories());
  const Listing listing = stored.list();
  ASSERT_EQ(listing.size(), 2U);
  EXPECT_EQ(listing[1]->state, State::quarantined);
  EXPECT_EQ(listing[1]->reason->code, crashed_code);
  EXPECT_EQ(stored.set_enabled("probe", true).state, State::discovered);
}

TEST(Quarantine, RefusesPluginsThatRequireOneOfItsOwn) {
  PluginHost host(PluginHost::Options{.restart = after(SIGSEGV)});
  host.put("other", "other");
  host.put("probe", "probe", "1.0.0", R"(,"requires":{"other":"^1"})");
  std::ofstream(host.folder() + "/data/run/loading") << "tenon-loading 12\nloading other\n\n";
  host.start();
  EXPECT_EQ(host.state("other"), "quarantined:plugins.crashed");
  EXPECT_EQ(host.state("probe"), "failed:plugins.requires_inactive");
}

TEST(SafeMode, EnablesPluginsOneByOne) {
  CrashedHost left("", Restart{ProcessExit{process, SIGSEGV, 0}, true});
  PluginHost& host = left.host;
  EXPECT_EQ(host.state("probe"), "quarantined:plugins.safe_mode");
  EXPECT_EQ(host.state("other"), "quarantined:plugins.safe_mode");
  EXPECT_EQ(host.mapped(), 0U);
  host.lifecycle().enable("other");
  EXPECT_EQ(host.state("other"), "active");
  EXPECT_EQ(host.state("probe"), "quarantined:plugins.safe_mode");
}

}  // namespace
}  // namespace tenon::plugins
