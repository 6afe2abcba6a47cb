#include "app/server/stall_report.hpp"

#include <exception>

#include "app/server/crash_report.hpp"
#include "crash/crash_record.hpp"
#include "observability/log.hpp"
#include "observability/work.hpp"

namespace tenon::app {

namespace {

void log_stack(const std::vector<std::string>& trace) {
  std::string lines;
  for (const std::string& line : trace)
    lines.append(lines.empty() ? "" : "\n").append(line);
  observability::log_warning("the inline handler blocks here", {{"stack", lines}});
}

}  // namespace

StallReporter::~StallReporter() {
  for (std::thread& thread : threads_)
    thread.join();
}

void StallReporter::report(const observability::Work& work) noexcept try {
  const std::lock_guard lock(mutex_);
  threads_.emplace_back([this, plugin = std::string(work.plugin), route = std::string(work.route),
                         request = std::string(work.request_id)] {
    const observability::Work own{request, plugin, route};
    const observability::WorkScope scope(&own);
    try {
      const std::vector<std::string> trace = plugins::running_stack(plugin, request);
      if (!trace.empty()) log_stack(name_functions(trace, library_of_));
    } catch (const std::exception& failure) {
      observability::log_warning("the stack of an inline handler cannot be named",
                                 {{"reason", failure.what()}});
    }
  });
} catch (const std::exception&) {  // no memory or no thread: the log has the line of the dispatcher
}

}  // namespace tenon::app
