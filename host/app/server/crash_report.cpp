#include "app/server/crash_report.hpp"

#include <cstdio>
#include <cstdlib>
#include <map>
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
std::optional<StackLocation> read_location(const std::string& text) {
  const std::size_t plus = text.rfind("+0x");
  if (plus == std::string::npos) return std::nullopt;
  return StackLocation{text.substr(0, plus), std::strtoull(text.c_str() + plus + 1, nullptr, 16)};
}

// An address of a stack that is looked up in a library.
struct NamedAddress {
  std::size_t index;  // in the stack
  unsigned long long address;
};

// Returns for each address "notes::Notes::rename(…) at src/notes.cpp:120"; empty if neither is
// known. One run of addr2line for all: it reads the debug information of the library each time.
std::vector<std::string> names_of(const std::string& library,
                                  const std::vector<NamedAddress>& locations) {
  std::vector<std::string> words{"addr2line", "--demangle", "--functions", "--exe", library};
  for (const NamedAddress& location : locations) {
    char text[32];
    std::snprintf(text, sizeof text, "0x%llx", location.address);
    words.emplace_back(text);
  }
  ChildProcess program({words, "/"}, {.pipes_output = true, .merges_errors = true});
  std::vector<std::string> names(locations.size());
  for (std::string& name : names) {
    const auto function = program.read_line();
    const auto line = program.read_line();
    if (!function || !line || *function == "??") continue;
    name = line->starts_with("??") ? *function : *function + " at " + *line;
  }
  while (program.read_line()) {
  }
  return program.wait() == 0 ? names : std::vector<std::string>(locations.size());
}

}  // namespace

std::vector<std::string> name_functions(
    const std::vector<std::string>& trace,
    const std::function<std::string(const std::string& plugin)>& library_of) {
  std::vector<std::string> named = trace;
  std::map<std::string, std::vector<NamedAddress>> by_plugin;
  for (std::size_t i = 0; i < named.size(); ++i) {
    const auto location = read_location(named[i]);
    if (!location || location->offset == 0) continue;
    // A return address comes after its call, so the call is looked up.
    by_plugin[location->plugin].push_back({i, location->offset - (i == 0 ? 0 : 1)});
  }
  for (const auto& [plugin, locations] : by_plugin) {
    const std::string library = library_of(plugin);
    if (library.empty()) continue;
    try {
      const std::vector<std::string> names = names_of(library, locations);
      for (std::size_t i = 0; i < locations.size(); ++i) {
        if (!names[i].empty()) named[locations[i].index] = plugin + ": " + names[i];
      }
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
