#pragma once

#include <string>
#include <variant>
#include <vector>

#include "app/supervisor/supervisor_state.hpp"

namespace tenon::app {

/// The role of a process after supervise(): the supervisor, with the exit code of the program, or a
/// host that it forked, which must serve with the handover.
using Role = std::variant<int, Handover>;

/// Forks the host, and again when it does not stop cleanly (restart_policy.hpp), until it stops
/// cleanly or SIGTERM, SIGINT, SIGHUP or SIGQUIT came, which it hands on; another one a second
/// later kills the host. Needs `data` and the listening socket of the state, which it closes.
/// `arguments` are those of `tenon serve`.
///
/// A host is a copy of this process and has its addresses. So that no two hosts have the same, the
/// supervisor runs its program again, in this process, within two seconds after a host is ready:
/// the new program takes the state from take_supervisor_state().
///
/// Returns twice, in the supervisor at its end, and in each host: the exit code is the host's; 128
/// and the signal's number where that ended a host that was to end; 1 when it gives up. To be
/// called before there are threads; it makes none, and keeps neither a database nor a file open,
/// but the memory in which the host says what it runs (plugins/crash).
Role supervise(SupervisorState state, const std::vector<std::string>& arguments);

/// Returns what an earlier program of this process handed over; nothing at the first start.
std::optional<SupervisorState> take_supervisor_state();

}  // namespace tenon::app
