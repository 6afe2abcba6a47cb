#pragma once

#include "http/connection/application.hpp"

namespace tenon::identity {
class Identity;
}

namespace tenon::console {

/// GET /api/core/people?q=&kind=user|group&limit= or ?ids=id,id: what a picker shows, for everybody
/// who is signed in. {"items":[{"kind","id","name"}],"next":null}
class FindPeople final : public http::Handler {
 public:
  explicit FindPeople(identity::Identity& identity) : identity_(identity) {}
  void handle(const http::ExchangePtr& exchange) override;

 private:
  identity::Identity& identity_;
};

}  // namespace tenon::console
