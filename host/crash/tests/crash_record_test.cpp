#include "crash/crash_record.hpp"

#include <csignal>
#include <functional>
#include <string>
#include <thread>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "crash/area.hpp"
#include "observability/log.hpp"

namespace tenon::plugins {
namespace {

// Returns the report of a process that does this.
CrashReport left_by(const std::function<void()>& work) {
  const int area = RunningCalls::make_area();
  EXPECT_GE(area, 0);
  const pid_t child = ::fork();
  if (child == 0) {
    RunningCalls::use_area(area);
    note_faults();
    work();
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  const auto report = read_report(area);
  ::close(area);
  EXPECT_TRUE(report);
  return report.value_or(CrashReport());
}

TEST(CrashRecord, NamesTheInnermostCallOfTheThread) {
  const CrashReport report = left_by([] {
    const PluginName notes("notes");
    const PluginName mail("mail");
    const RunningCall route(notes.mark(Operation::route));
    { const RunningCall service(mail.mark(Operation::service)); }
    const observability::LogScope scope("third", "mail");
    const RunningCall again(mail.mark(Operation::service));
    CrashRecord::note(0, 0);
    CrashRecord::note(0, 0);
  });
  ASSERT_TRUE(report.call);
  EXPECT_EQ(*report.call, (NamedCall{"mail", Operation::service, "third", {}}));
  EXPECT_EQ(report.culprit(), &*report.call);
  EXPECT_TRUE(report.others.empty()) << report.others.front().plugin;
}

TEST(CrashRecord, NamesNoPluginIfNoneRuns) {
  const CrashReport report = left_by([] {
    const PluginName notes("notes");
    { const RunningCall route(notes.mark(Operation::route)); }
    CrashRecord::note(0, 0);
  });
  EXPECT_TRUE(report.is_empty());
  EXPECT_EQ(report.culprit(), nullptr);
}

TEST(CrashRecord, ListsCallsOfOtherThreadsOncePerPlugin) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "ThreadSanitizer allows no threads in a fork of a process that has some";
#endif
  const CrashReport report = left_by([] {
    const PluginName notes("notes");
    const PluginName tasks("tasks");
    const auto wait = [](const PluginName& plugin) {
      RunningCalls::slot().note_job("a job");
      const RunningCall call(plugin.mark(Operation::job));
      for (;;)
        ::pause();
    };
    for (const PluginName* plugin : {&notes, &notes, &tasks})
      std::thread([&wait, plugin] { wait(*plugin); }).detach();
    int running = 0;
    while (running < 3) {
      running = 0;
      for (const CallSlot& slot : RunningCalls::area().slots)
        running += slot.mark.load() != 0 ? 1 : 0;
    }
    ::_exit(3);
  });
  EXPECT_FALSE(report.call);
  ASSERT_EQ(report.others.size(), 2U);
  EXPECT_EQ(report.culprit(), nullptr) << "two may be to blame";
  EXPECT_NE(report.others[0].plugin, report.others[1].plugin);
  EXPECT_EQ(report.others[0].request, "a job");
}

TEST(CrashRecord, BlamesTheOnlyRunningPlugin) {
  const CrashReport report = left_by([] {
    const PluginName notes("notes");
    const RunningCall call(notes.mark(Operation::job));
    RunningCalls::slot().note_job(std::string(200, 'r'));
    ::kill(::getpid(), SIGKILL);
  });
  ASSERT_NE(report.culprit(), nullptr);
  EXPECT_EQ(report.culprit()->plugin, "notes");
  EXPECT_EQ(report.culprit()->request, std::string(CallSlot::max_job, 'r'));
}

TEST(CrashRecord, IgnoresProcessesThatAPluginForks) {
  const CrashReport report = left_by([] {
    const PluginName notes("notes");
    {
      const RunningCall call(notes.mark(Operation::route));
      const pid_t child = ::fork();
      if (child == 0) {
        CrashRecord::note(0, 0);
        ::_exit(0);
      }
      ::waitpid(child, nullptr, 0);
    }
  });
  EXPECT_TRUE(report.is_empty());
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
TEST(CrashRecord, NotesEachSignalOfAFault) {
  for (const int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGSYS, SIGTRAP}) {
    const CrashReport report = left_by([signal] {
      const PluginName notes("notes");
      const RunningCall call(notes.mark(Operation::route));
      ::raise(signal);
    });
    EXPECT_TRUE(report.call) << signal;
  }
}
#endif

TEST(CrashReport, RejectsMemoryThatIsNoArea) {
  EXPECT_FALSE(read_report(-1));
  EXPECT_FALSE(read_report(STDIN_FILENO));
}

// A plugin can write to it by mistake.
TEST(CrashReport, ReadsAnOverwrittenAreaWithinBounds) {
  const CrashReport report = left_by([] {
    auto* const bytes = reinterpret_cast<unsigned char*>(&RunningCalls::area());
    std::fill_n(bytes, sizeof(CrashArea), static_cast<unsigned char>(0xff));
  });
  EXPECT_TRUE(report.call);
  EXPECT_LE(report.trace.size(), CrashArea::max_trace);
}

TEST(RunningCalls, NumbersAPluginOnce) {
  const PluginName first("numbered");
  EXPECT_NE(first.number, 0U);
  EXPECT_EQ(PluginName("numbered").number, first.number);
  EXPECT_NE(PluginName("another").number, first.number);
  EXPECT_EQ(RunningCalls::id_of(first.number), "numbered");
  EXPECT_EQ(RunningCalls::id_of(0), "");
  EXPECT_EQ(RunningCalls::id_of(1'000'000), "");
}

TEST(RunningCalls, NamesNoPluginBeyondTheLimits) {
  const CrashReport report = left_by([] {
    for (CallSlot& slot : RunningCalls::area().slots)
      slot.is_taken.store(1);
    for (std::size_t i = 0; i < RunningCalls::max_plugins; ++i)
      static_cast<void>(RunningCalls::number_of("p" + std::to_string(i)));
    const PluginName last("one-too-many");
    const RunningCall call(PluginName("p1").mark(Operation::route));
    if (last.number != 0) RunningCalls::area().slots[0].mark.store(1 << 8);
    ::kill(::getpid(), SIGKILL);
  });
  EXPECT_TRUE(report.is_empty());
}

TEST(RunningCalls, LocatesThePluginOfAnAddress) {
  const PluginName plugin("placed");
  RunningCalls::add_module(plugin.number, 0x1000, 0x2000);
  EXPECT_EQ(RunningCalls::locate(0x1234).plugin, plugin.number);
  EXPECT_EQ(RunningCalls::locate(0x1234).offset, 0x234U);
  EXPECT_EQ(RunningCalls::locate(0x2000).plugin, 0U);
  EXPECT_EQ(RunningCalls::locate(0xfff).plugin, 0U);
  RunningCalls::remove_module(0x1000);
  EXPECT_EQ(RunningCalls::locate(0x1234).plugin, 0U);
}

TEST(NamedCall, DescribesItselfInWords) {
  EXPECT_EQ(to_text(NamedCall{"notes", Operation::route, "r1", "GET /api/notes"}),
            "the handler of a request (GET /api/notes, request r1)");
  EXPECT_EQ(to_text(NamedCall{"notes", Operation::job, "j1", {}}), "the handler of a job j1");
  EXPECT_EQ(to_text(NamedCall{"notes", Operation::own_thread, {}, {}}), "a thread of its own");
}

}  // namespace
}  // namespace tenon::plugins
