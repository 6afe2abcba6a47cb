#include "engines/register.hpp"

namespace {

// Linked into programs whose main() does not register: tests, whose main() is GoogleTest's, and
// benchmarks.
[[maybe_unused]] const bool is_registered = (tenon::engines::register_all(), true);

}  // namespace
