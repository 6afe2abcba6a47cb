#pragma once

#include <memory>
#include <string>

#include "records/model/model.hpp"
#include "records/query/filters.hpp"
#include "records/service/idempotency.hpp"

namespace tenon::blobs {
class Blobs;
class Uploads;
}  // namespace tenon::blobs
namespace tenon::data {
class Database;
}
namespace tenon::identity {
class Permissions;
class Users;
}  // namespace tenon::identity

namespace tenon::jobs {
class Jobs;
}

namespace tenon::records {

class ExportSlots;
class Hooks;

/// Everything the handlers of one table use. Shared by them and by the writes that they queued.
struct TableContext {
  std::shared_ptr<const Model> model;
  const TableModel& table;  ///< of `model`
  std::string path;         ///< "/api/planner/cards"
  std::shared_ptr<data::Database> database;
  const identity::Permissions& permissions;
  const identity::Users& users;
  mutable Filters filters;
  std::shared_ptr<InFlightKeys> running = nullptr;  ///< of the whole plugin
  std::string plugin = {};
  blobs::Blobs* blobs = nullptr;
  blobs::Uploads* uploads = nullptr;
  std::shared_ptr<ExportSlots> exports = nullptr;  ///< of the whole plugin
  jobs::Jobs* jobs = nullptr;
  std::shared_ptr<Hooks> hooks = nullptr;  ///< null where the plugin has none for the table
  bool has_extender = false;               ///< of these hooks
  bool enforce_rules = true;               ///< false: the plugin's own, with every rule open
};

}  // namespace tenon::records
