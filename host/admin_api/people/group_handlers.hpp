#pragma once

#include <cstddef>
#include <string>

#include "http/connection/application.hpp"

namespace tenon::identity {
class Identity;
struct Group;
}  // namespace tenon::identity

namespace tenon::console {

/// {"id","name","description","members","created","updated"}; members: how many.
std::string group_json(const identity::Group& group);

/// GET /api/core/groups?limit=&cursor=
class ListGroups final : public http::Handler {
 public:
  explicit ListGroups(identity::Identity& identity) : identity_(identity) {}
  void handle(const http::ExchangePtr& exchange) override;

 private:
  identity::Identity& identity_;
};

/// POST /api/core/groups: name, description.
class CreateGroup final : public http::Handler {
 public:
  explicit CreateGroup(identity::Identity& identity) : identity_(identity) {}
  void handle(const http::ExchangePtr& exchange) override;

 private:
  identity::Identity& identity_;
};

/// GET /api/core/groups/{id}
class ShowGroup final : public http::Handler {
 public:
  explicit ShowGroup(identity::Identity& identity) : identity_(identity) {}
  void handle(const http::ExchangePtr& exchange) override;

 private:
  identity::Identity& identity_;
};

/// PATCH /api/core/groups/{id}: name, description.
class ChangeGroup final : public http::Handler {
 public:
  explicit ChangeGroup(identity::Identity& identity) : identity_(identity) {}
  void handle(const http::ExchangePtr& exchange) override;

 private:
  identity::Identity& identity_;
};

/// DELETE /api/core/groups/{id}
class DeleteGroup final : public http::Handler {
 public:
  explicit DeleteGroup(identity::Identity& identity) : identity_(identity) {}
  void handle(const http::ExchangePtr& exchange) override;

 private:
  identity::Identity& identity_;
};

/// GET /api/core/groups/{id}/members?limit=&cursor=: users.
class ListMembers final : public http::Handler {
 public:
  explicit ListMembers(identity::Identity& identity) : identity_(identity) {}
  void handle(const http::ExchangePtr& exchange) override;

 private:
  identity::Identity& identity_;
};

/// POST /api/core/groups/{id}/members {"add":[ids],"remove":[ids]}: both or none; the group.
class ChangeMembers final : public http::Handler {
 public:
  /// Ids in each of the two.
  static constexpr std::size_t max_ids = 200;

  explicit ChangeMembers(identity::Identity& identity) : identity_(identity) {}
  void handle(const http::ExchangePtr& exchange) override;

 private:
  identity::Identity& identity_;
};

}  // namespace tenon::console
