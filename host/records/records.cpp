#include "records/records.hpp"

#include <algorithm>

#include "data/schema/ddl.hpp"
#include "records/description.hpp"
#include "records/desk.hpp"
#include "records/file_handler.hpp"
#include "records/limits.hpp"
#include "records/model.hpp"
#include "records/read_handlers.hpp"
#include "records/write_handlers.hpp"

namespace tenon::records {

namespace {

routing::Route route_of(const Desk& desk, http::Method method, std::string pattern,
                        std::string summary) {
  routing::Route route;
  route.method = method;
  route.pattern = std::move(pattern);
  route.access =
      desk.table.table.anonymous ? routing::Access::everyone : routing::Access::signed_in;
  route.summary = std::move(summary);
  return route;
}

void add_routes(std::vector<OwnedRoute>& routes, const std::string& plugin,
                const std::shared_ptr<const Desk>& desk) {
  using http::Method;
  const std::string& name = desk->table.table.name;
  const std::string one = desk->path + "/{id}";
  const auto add = [&](Operation operation, Method method, const std::string& pattern,
                       const std::string& what, std::unique_ptr<http::Handler> handler) {
    routing::Route route = route_of(*desk, method, pattern, what + name);
    route.operation = [plugin, desk, operation] {
      return describe(plugin, desk->table, operation);
    };
    if (method != Method::get && method != Method::del) {
      route.body = http::BodyMode::json;
      route.body_limit = max_body_bytes;
    }
    routes.push_back({std::move(route), std::move(handler)});
  };
  add(Operation::list, Method::get, desk->path, "Lists records of ",
      std::make_unique<ListRecords>(desk));
  add(Operation::show, Method::get, one, "Shows a record of ", std::make_unique<ShowRecord>(desk));
  add(Operation::create, Method::post, desk->path, "Creates a record of ",
      std::make_unique<CreateRecord>(desk));
  add(Operation::upsert, Method::put, desk->path, "Creates or changes a record of ",
      std::make_unique<UpsertRecord>(desk));
  add(Operation::change, Method::patch, one, "Changes a record of ",
      std::make_unique<ChangeRecord>(desk));
  add(Operation::remove, Method::del, one, "Deletes a record of ",
      std::make_unique<DeleteRecord>(desk));
  add(Operation::batch, Method::post, desk->path + "/batch", "Changes several records at once of ",
      std::make_unique<ChangeRecords>(desk));
  for (const FieldModel& field : desk->table.fields) {
    if (field.field.type != data::schema::FieldType::blob || field.field.hidden) continue;
    const std::string file = one + "/" + field.field.name;
    if (!field.is_list)
      add(Operation::file, Method::get, file, "Shows a file of ",
          std::make_unique<ShowFile>(desk, field));
    add(Operation::file, Method::get, file + "/{blob}", "Shows a file of ",
        std::make_unique<ShowFile>(desk, field));
  }
}

}  // namespace

bool Records::has_routes(const data::schema::Tables& tables) noexcept {
  return std::any_of(tables.tables.begin(), tables.tables.end(),
                     [](const data::schema::Table& table) { return table.publish; });
}

void Records::check(const data::schema::Tables& tables, std::string_view file) {
  const Model model(tables, file);
}

Records::Records(std::string plugin, const data::schema::Tables& tables,
                 std::shared_ptr<data::Database> database, const identity::Permissions& permissions,
                 const identity::Users& users, blobs::Blobs& blobs, blobs::Uploads& uploads)
    : plugin_(std::move(plugin)),
      model_(std::make_shared<const Model>(tables)),
      database_(std::move(database)),
      permissions_(permissions),
      users_(users),
      blobs_(blobs),
      uploads_(uploads),
      running_(std::make_shared<RunningKeys>()) {}

Records::~Records() = default;

std::shared_ptr<const Desk> Records::desk_of(const TableModel& table) const {
  return std::shared_ptr<const Desk>(new Desk{model_,
                                              table,
                                              "/api/" + plugin_ + "/" + table.table.name,
                                              database_,
                                              permissions_,
                                              users_,
                                              {},
                                              running_,
                                              plugin_,
                                              &blobs_,
                                              &uploads_});
}

std::vector<OwnedRoute> Records::routes() const {
  std::vector<OwnedRoute> routes;
  for (const TableModel& table : model_->tables()) {
    if (table.table.publish) add_routes(routes, plugin_, desk_of(table));
  }
  return routes;
}

std::vector<std::shared_ptr<const Desk>> Records::searchable() const {
  std::vector<std::shared_ptr<const Desk>> desks;
  for (const TableModel& table : model_->tables()) {
    if (table.table.publish && !data::schema::searchable_fields(table.table).empty())
      desks.push_back(desk_of(table));
  }
  return desks;
}

}  // namespace tenon::records
