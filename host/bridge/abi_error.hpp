#pragma once

#include <exception>
#include <new>
#include <string_view>

#include <tenon/abi.h>

namespace tenon::base {
class Error;
}

namespace tenon::plugins {

/// Fills the error of a caller, as far as its size goes, cutting texts that are too long. `out` may
/// be null. Returns `code`.
tenon_code fail(tenon_error* out, tenon_code code, int status, std::string_view name,
                std::string_view message) noexcept;

/// Reports a wrong argument; `message` says which and why.
tenon_code fail_argument(tenon_error* out, std::string_view message) noexcept;
/// Reports that the function may not be called now.
tenon_code fail_state(tenon_error* out, std::string_view message) noexcept;

/// Returns the ABI code of an error of the host.
tenon_code code_of(const base::Error& error) noexcept;

/// Turns the exception that is being handled into a code, and fills `out`.
tenon_code fail_exception(tenon_error* out) noexcept;

/// Runs the body of a function of the ABI and catches everything that it throws.
template <typename Body>
tenon_code guarded(tenon_error* error, Body&& body) noexcept {
  try {
    return body();
  } catch (...) {
    return fail_exception(error);
  }
}

}  // namespace tenon::plugins
