#include "bridge/tables/search_interface.hpp"

#include "bridge/abi_error.hpp"
#include "bridge/bridge.hpp"
#include "bridge/db/db_interface.hpp"
#include "bridge/frame.hpp"
#include "bridge/tables/tables_interface.hpp"

namespace tenon::plugins {

/// The functions of the ABI table. Each finds the interface of the host, checks the state, and
/// catches every exception.
struct SearchFunctions {
  static tenon_code find(const tenon_host* host, const tenon_tables_actor* actor,
                         tenon_handle transaction, const tenon_search_query* query,
                         const tenon_text_sink* sink, tenon_error* error) noexcept {
    Bridge* bridge = Bridge::of(host);
    if (!bridge) return fail_argument(error, "The host is NULL.");
    if (!bridge->is_in(Phase::starting, Phase::quiescing))
      return fail_state(error, "Records can be used while starting, active or quiescing.");
    if (!DbInterface::is_borrowed_here(transaction) && !Frame::may_block())
      return fail_state(error, "Inline routes and queued writes must not wait for the database.");
    return guarded(error,
                   [&] { return bridge->tables().search(actor, transaction, query, sink, error); });
  }
};

const tenon_search SearchInterface::table = {sizeof(tenon_search), 0, &SearchFunctions::find};

}  // namespace tenon::plugins
