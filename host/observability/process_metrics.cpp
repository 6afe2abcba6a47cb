#include "observability/process_metrics.hpp"

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <dirent.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.hpp"
#include "observability/metrics.hpp"

namespace tenon::observability {

namespace {

// Fields of /proc/self/stat after the command's name (proc(5) counts from 1, so [0] here is its
// field 3).
std::vector<double> read_stat() {
  std::ifstream file("/proc/self/stat");
  std::string text;
  std::getline(file, text);
  const std::size_t end_of_name = text.rfind(')');
  std::vector<double> fields;
  if (end_of_name == std::string::npos) return fields;
  std::istringstream rest(text.substr(end_of_name + 1));
  std::string state;
  rest >> state;
  fields.push_back(0);
  for (double value = 0; rest >> value;)
    fields.push_back(value);
  return fields;
}

double count_open_files() {
  DIR* directory = ::opendir("/proc/self/fd");
  if (directory == nullptr) return 0;
  double count = -3;  // ".", ".." and the directory itself
  while (::readdir(directory) != nullptr)
    ++count;  // NOLINT(concurrency-mt-unsafe): the stream is our own
  ::closedir(directory);
  return count;
}

double limit_of(__rlimit_resource resource) {
  struct rlimit limit {};
  if (::getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return -1;
  return static_cast<double>(limit.rlim_cur);
}

}  // namespace

void add_process_metrics(Metrics& metrics) {
  const double started = static_cast<double>(base::unix_milliseconds()) / 1000;
  metrics.add_collector([started](MetricsSink& sink) {
    const std::vector<double> stat = read_stat();
    if (stat.size() < 22) return;
    const auto ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
    const auto page = static_cast<double>(::sysconf(_SC_PAGESIZE));
    sink.fractional_counter("process_cpu_seconds_total",
                            "User and system time that this process ran, in seconds.", {},
                            (stat[11] + stat[12]) / ticks);
    sink.gauge("process_threads", "Threads.", {}, stat[17]);
    sink.gauge("process_virtual_memory_bytes", "Address space, in bytes.", {}, stat[20]);
    sink.gauge("process_virtual_memory_max_bytes",
               "Most address space allowed; -1 without a limit.", {}, limit_of(RLIMIT_AS));
    sink.gauge("process_resident_memory_bytes", "Memory in RAM, in bytes.", {}, stat[21] * page);
    sink.gauge("process_open_fds", "Open file descriptors.", {}, count_open_files());
    sink.gauge("process_max_fds", "Most open file descriptors allowed.", {},
               limit_of(RLIMIT_NOFILE));
    sink.gauge("process_start_time_seconds", "When it started, in seconds since 1970.", {},
               started);
  });
}

}  // namespace tenon::observability
