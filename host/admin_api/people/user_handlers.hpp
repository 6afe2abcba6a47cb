#pragma once

#include <string>

#include "http/connection/application.hpp"

namespace tenon::identity {
class Identity;
struct User;
}  // namespace tenon::identity

namespace tenon::console {

/// {"id","login","name","role","disabled","created","updated"}
std::string user_json(const identity::User& user);

/// GET /api/core/users?limit=&cursor=
class ListUsers final : public http::Handler {
 public:
  explicit ListUsers(identity::Identity& identity) : identity_(identity) {}
  void handle(const http::ExchangePtr& exchange) override;

 private:
  identity::Identity& identity_;
};

/// POST /api/core/users
class CreateUser final : public http::Handler {
 public:
  explicit CreateUser(identity::Identity& identity) : identity_(identity) {}
  void handle(const http::ExchangePtr& exchange) override;

 private:
  identity::Identity& identity_;
};

/// PATCH /api/core/users/{id}: name, role, disabled, password (not one's own).
class ChangeUser final : public http::Handler {
 public:
  explicit ChangeUser(identity::Identity& identity) : identity_(identity) {}
  void handle(const http::ExchangePtr& exchange) override;

 private:
  identity::Identity& identity_;
};

}  // namespace tenon::console
