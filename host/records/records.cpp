#include "records/records.hpp"

#include <algorithm>

#include "records/desk.hpp"
#include "records/model.hpp"
#include "records/read_handlers.hpp"

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

void add_routes(std::vector<OwnedRoute>& routes, const std::shared_ptr<const Desk>& desk) {
  using http::Method;
  const std::string& name = desk->table.table.name;
  const std::string one = desk->path + "/{id}";
  routes.push_back({route_of(*desk, Method::get, desk->path, "Lists records of " + name),
                    std::make_unique<ListRecords>(desk)});
  routes.push_back({route_of(*desk, Method::get, one, "Shows a record of " + name),
                    std::make_unique<ShowRecord>(desk)});
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
                 std::shared_ptr<data::Database> database, const identity::Permissions& permissions)
    : plugin_(std::move(plugin)),
      model_(std::make_shared<const Model>(tables)),
      database_(std::move(database)),
      permissions_(permissions) {}

Records::~Records() = default;

std::vector<OwnedRoute> Records::routes() const {
  std::vector<OwnedRoute> routes;
  for (const TableModel& table : model_->tables()) {
    if (!table.table.publish) continue;
    add_routes(routes,
               std::shared_ptr<const Desk>(new Desk{model_,
                                                    table,
                                                    "/api/" + plugin_ + "/" + table.table.name,
                                                    database_,
                                                    permissions_,
                                                    {}}));
  }
  return routes;
}

}  // namespace tenon::records
