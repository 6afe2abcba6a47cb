#pragma once

#include "http/connection/application.hpp"
#include "identity/sessions/sessions.hpp"

namespace tenon::identity {
class Identity;
}

namespace tenon::console {

/// 201 with the session and its cookie.
http::Response session_response(const identity::Sessions::Issued& issued,
                                identity::Identity& identity, bool secure);

/// POST /api/core/session: signs in.
class SignIn final : public http::Handler {
 public:
  explicit SignIn(identity::Identity& identity) : identity_(identity) {}
  void handle(const http::ExchangePtr& exchange) override;

 private:
  identity::Identity& identity_;
};

/// GET /api/core/session: who am I.
class ShowSession final : public http::Handler {
 public:
  explicit ShowSession(identity::Identity& identity) : identity_(identity) {}
  void handle(const http::ExchangePtr& exchange) override;

 private:
  identity::Identity& identity_;
};

/// DELETE /api/core/session: signs out; also when no user is signed in.
class SignOut final : public http::Handler {
 public:
  explicit SignOut(identity::Identity& identity) : identity_(identity) {}
  void handle(const http::ExchangePtr& exchange) override;

 private:
  identity::Identity& identity_;
};

/// POST /api/core/setup: makes the first admin, and allows the host name that was used.
class RunSetup final : public http::Handler {
 public:
  explicit RunSetup(identity::Identity& identity) : identity_(identity) {}
  void handle(const http::ExchangePtr& exchange) override;

 private:
  identity::Identity& identity_;
};

}  // namespace tenon::console
