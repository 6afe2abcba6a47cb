#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace tenon::bench {

/// One run of a hot path.
using Operation = std::function<void()>;
/// Gives each thread that measures an operation of its own, over what was prepared once.
using Maker = std::function<Operation()>;

/// An operation of the host for every request, row or event.
struct Path {
  std::string name;
  std::string what;        ///< one line
  std::size_t operations;  ///< that are counted in one run
  std::function<Maker()> prepare;
  /// After every counted operation, for all threads to go to sleep: whether one sleeps already when
  /// the next begins is chance else.
  std::chrono::microseconds pause{0};
};

/// For paths that one thread runs.
inline Maker one_thread(Operation operation) {
  return [operation = std::move(operation)] { return operation; };
}

/// Keeps the compiler from leaving out a value that is not used.
template <typename Value>
void keep(const Value& value) {
  asm volatile("" : : "r"(&value) : "memory");
}

std::vector<Path> parser_paths();
std::vector<Path> http_paths();
std::vector<Path> data_paths();
std::vector<Path> search_paths();
std::vector<Path> people_paths();
std::vector<Path> plugin_paths();

}  // namespace tenon::bench
