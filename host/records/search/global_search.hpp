#pragma once

#include <chrono>

#include "http/connection/application.hpp"
#include "records/model/limits.hpp"

namespace tenon::identity {
class Permissions;
}

namespace tenon::records {

class SearchDirectory;

/// How long a search over all plugins takes at most.
struct SearchTimes {
  std::chrono::milliseconds plugin = plugin_search_time;
  std::chrono::milliseconds all = search_time;
};

/// GET /api/core/search?q=&limit=: the matching records in the published tables of all active
/// plugins that the user may see, the best first.
/// {"items":[{"plugin","table","id","title","highlight"}],"incomplete":[…]}; `incomplete` names the
/// plugins whose search failed or exceeded its time.
class GlobalSearch final : public http::Handler {
 public:
  /// Both outlive it.
  GlobalSearch(const SearchDirectory& directory, const identity::Permissions& permissions,
               SearchTimes times = {})
      : directory_(directory), permissions_(permissions), times_(times) {}
  /// May block on the databases.
  void handle(const http::ExchangePtr& exchange) override;

 private:
  const SearchDirectory& directory_;
  const identity::Permissions& permissions_;
  const SearchTimes times_;
};

}  // namespace tenon::records
