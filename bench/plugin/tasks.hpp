#pragma once

#include <tenon/host.hpp>

namespace bench {

/// GET /tasks (the newest 50), GET /tasks/{id} and POST /tasks, for those with bench.tasks: the
/// routes that part `records` compares. `host` outlives them.
void add_task_routes(tenon::Host& host);

}  // namespace bench
