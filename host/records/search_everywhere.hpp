#pragma once

#include "http/application.hpp"

namespace tenon::identity {
class Permissions;
}

namespace tenon::records {

class SearchDirectory;

/// GET /api/core/search?q=&limit=: what the published tables of all active plugins have for who
/// asks, the best first. {"items":[{"plugin","table","id","title","highlight"}],"incomplete":[…]};
/// `incomplete` names the plugins that did not answer in time or not at all.
class SearchEverywhere final : public http::Handler {
 public:
  /// Both outlive it.
  SearchEverywhere(const SearchDirectory& directory, const identity::Permissions& permissions)
      : directory_(directory), permissions_(permissions) {}
  /// May block on the databases.
  void handle(const http::ExchangePtr& exchange) override;

 private:
  const SearchDirectory& directory_;
  const identity::Permissions& permissions_;
};

}  // namespace tenon::records
