#pragma once

#include "http/connection/application.hpp"

namespace tenon::identity {
class Identity;
}

namespace tenon::console {

/// POST /api/core/account/password: one's own, with the old one. All other sessions of the user
/// end.
class ChangeOwnPassword final : public http::Handler {
 public:
  explicit ChangeOwnPassword(identity::Identity& identity) : identity_(identity) {}
  void handle(const http::ExchangePtr& exchange) override;

 private:
  identity::Identity& identity_;
};

/// GET /api/core/sessions: one's own.
class ListSessions final : public http::Handler {
 public:
  explicit ListSessions(identity::Identity& identity) : identity_(identity) {}
  void handle(const http::ExchangePtr& exchange) override;

 private:
  identity::Identity& identity_;
};

/// DELETE /api/core/sessions/{id}: one of one's own; 404 for those of others.
class EndSession final : public http::Handler {
 public:
  explicit EndSession(identity::Identity& identity) : identity_(identity) {}
  void handle(const http::ExchangePtr& exchange) override;

 private:
  identity::Identity& identity_;
};

}  // namespace tenon::console
