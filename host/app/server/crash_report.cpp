#include "app/server/crash_report.hpp"

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <utility>

#include "admin_api/plugins/last_crashes.hpp"
#include "app/dev/child_process.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "crash/crash_record.hpp"
#include "observability/log.hpp"

namespace tenon::app {

namespace {

struct StackLocation {
  std::string plugin;
  unsigned long long offset = 0;
};

// "notes+0x1a2b"
std::optional<StackLocation> read_place(const std::string& text) {
  const std::size_t plus = text.rfind("+0x");
  if (plus == std::string::npos) return std::nullopt;
  return StackLocation{text.substr(0, plus), std::strtoull(text.c_str() + plus + 1, nullptr, 16)};
}

// "notes::Notes::rename(…) at src/notes.cpp:120"; empty if neither is known. A return address comes
// after its call, so the call is looked up.
std::string name_of(const std::string& library, unsigned long long address) {
  char text[32];
  std::snprintf(text, sizeof text, "0x%llx", address);
  ChildProcess program({{"addr2line", "--demangle", "--functions", "--exe", library, text}, "/"},
                       {.pipes_output = true, .merges_errors = true});
  const auto function = program.read_line();
  const auto line = program.read_line();
  if (program.wait() != 0 || !function || *function == "??") return {};
  if (!line || line->starts_with("??")) return *function;
  return *function + " at " + *line;
}

}  // namespace

std::vector<std::string> name_functions(
    const std::vector<std::string>& trace,
    const std::function<std::string(const std::string& plugin)>& library_of) {
  std::vector<std::string> named = trace;
  for (std::size_t i = 0; i < named.size(); ++i) {
    const auto place = read_place(named[i]);
    if (!place || place->offset == 0) continue;
    const std::string library = library_of(place->plugin);
    if (library.empty()) continue;
    try {
      const unsigned long long before_return = i == 0 ? 0 : 1;
      const std::string name = name_of(library, place->offset - before_return);
      if (!name.empty()) named[i] = place->plugin + ": " + name;
    } catch (const base::Error&) {
      return named;  // there is no addr2line
    }
  }
  return named;
}

CrashReporter::CrashReporter(const plugins::Restart& restart, console::LastCrashes& crashes,
                             LibraryOf library_of)
    : restart_(restart), crashes_(crashes), library_of_(std::move(library_of)) {
  const plugins::NamedCall* const call = restart.report.culprit();
  if (call == nullptr || !restart.process_exit) return;
  crashes.set(call->plugin,
              {base::rfc3339(base::unix_milliseconds()), plugins::to_text(*restart.process_exit),
               plugins::to_text(*call), call->request, restart.report.trace});
}

void CrashReporter::start() {
  const plugins::NamedCall* const call = restart_.report.culprit();
  if (call == nullptr || restart_.report.trace.empty()) return;
  thread_ = std::thread([this, plugin = call->plugin] {
    try {
      const std::vector<std::string> named = name_functions(restart_.report.trace, library_of_);
      if (named == restart_.report.trace) return;
      std::string lines;
      for (const std::string& line : named)
        lines.append(lines.empty() ? "" : "\n").append(line);
      observability::log_error("the plugin crashed the server here",
                               {{"plugin", plugin}, {"stack", lines}});
      crashes_.set_trace(plugin, named);
    } catch (const std::exception& failure) {
      observability::log_warning("the stack of a crash cannot be named",
                                 {{"plugin", plugin}, {"reason", failure.what()}});
    }
  });
}

CrashReporter::~CrashReporter() {
  if (thread_.joinable()) thread_.join();
}

}  // namespace tenon::app
