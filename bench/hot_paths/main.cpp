// The hot paths of the host, one at a time.
//   tenon-bench-hot-paths list             names, operations and what they are, with tabs between
//   tenon-bench-hot-paths count NAME       runs it with callgrind's instrumentation on; prints the
//                                          number of operations. Under valgrind only
//   tenon-bench-hot-paths time NAME COUNT THREADS
//                                          nanoseconds an operation, the mean of the threads

#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "observability/log.hpp"
#include "path.hpp"

#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#else
#define RUNNING_ON_VALGRIND 0
#define CALLGRIND_START_INSTRUMENTATION
#define CALLGRIND_STOP_INSTRUMENTATION
#endif

namespace tenon::bench {
namespace {

std::vector<Path> all_paths() {
  std::vector<Path> all;
  for (auto* some :
       {parser_paths, http_paths, data_paths, search_paths, people_paths, plugin_paths}) {
    for (Path& path : some())
      all.push_back(std::move(path));
  }
  return all;
}

Path path_named(const std::string& name) {
  for (Path& path : all_paths()) {
    if (path.name == name) return std::move(path);
  }
  throw std::runtime_error("there is no path '" + name + "'; see list");
}

void run(const Operation& operation, std::size_t count, std::chrono::microseconds pause = {}) {
  for (std::size_t i = 0; i < count; ++i) {
    operation();
    if (pause.count() > 0) std::this_thread::sleep_for(pause);
  }
}

int count(const Path& path) {
  if (RUNNING_ON_VALGRIND == 0)
    throw std::runtime_error(
        "count runs under valgrind --tool=callgrind --instr-atstart=no, built with its headers");
  const Maker maker = path.prepare();
  const Operation operation = maker();
  // Pools, caches and what is learned of a handler come to rest first.
  run(operation, path.operations / 4, path.pause);
  CALLGRIND_START_INSTRUMENTATION;
  run(operation, path.operations, path.pause);
  CALLGRIND_STOP_INSTRUMENTATION;
  std::printf("%zu\n", path.operations);
  return 0;
}

int time(const Path& path, std::size_t operations, std::size_t threads) {
  using Clock = std::chrono::steady_clock;
  const Maker maker = path.prepare();
  std::vector<double> times(threads);
  std::vector<std::thread> running;
  for (double& mine : times) {
    running.emplace_back([&] {
      const Operation operation = maker();
      run(operation, operations / 10);
      const auto begin = Clock::now();
      run(operation, operations);
      mine = std::chrono::duration<double, std::nano>(Clock::now() - begin).count() /
             static_cast<double>(operations);
    });
  }
  double sum = 0;
  for (std::size_t i = 0; i < threads; ++i) {
    running[i].join();
    sum += times[i];
  }
  std::printf("%.1f\n", sum / static_cast<double>(threads));
  return 0;
}

std::size_t number(const char* text) {
  std::size_t value = 0;
  std::from_chars(text, text + std::strlen(text), value);
  if (value == 0) throw std::runtime_error(std::string(text) + " is not a number above 0");
  return value;
}

int main(int count_of_arguments, char** arguments) {
  // As servers run that count: without an access log.
  observability::Log log({.level = observability::Level::error, .access = false});
  observability::install_log(&log);
  const std::vector<std::string> words(arguments + 1, arguments + count_of_arguments);
  if (words == std::vector<std::string>{"list"}) {
    for (const Path& path : all_paths())
      std::printf("%s\t%zu\t%s\n", path.name.c_str(), path.operations, path.what.c_str());
    return 0;
  }
  if (words.size() == 2 && words[0] == "count") return count(path_named(words[1]));
  if (words.size() == 4 && words[0] == "time")
    return time(path_named(words[1]), number(arguments[3]), number(arguments[4]));
  std::fputs("usage: tenon-bench-hot-paths list | count NAME | time NAME COUNT THREADS\n", stderr);
  return 2;
}

}  // namespace
}  // namespace tenon::bench

int main(int count, char** arguments) {
  try {
    return tenon::bench::main(count, arguments);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tenon-bench-hot-paths: %s\n", error.what());
    return 1;
  }
}
