#include "observability/work.hpp"

namespace tenon::observability {

constinit thread_local const Work* innermost_work = nullptr;

}  // namespace tenon::observability
