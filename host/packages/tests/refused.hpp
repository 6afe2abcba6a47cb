#pragma once

#include <string>

#include "base/error.hpp"

namespace tenon::plugins::test {

/// The code of what `work` is refused with; empty where it is not.
template <typename Work>
std::string code_of(const Work& work) {
  try {
    work();
  } catch (const base::Error& error) {
    return error.code();
  }
  return {};
}

}  // namespace tenon::plugins::test
