#include "records/service/records.hpp"

#include <algorithm>

#include "data/database.hpp"
#include "records/api/access_handler.hpp"
#include "records/api/body.hpp"
#include "records/api/description.hpp"
#include "records/api/file_handler.hpp"
#include "records/api/read_handlers.hpp"
#include "records/api/write_handlers.hpp"
#include "records/model/access.hpp"
#include "records/model/hooks.hpp"
#include "records/model/limits.hpp"
#include "records/model/model.hpp"
#include "records/model/table_context.hpp"
#include "records/transfer/export_handler.hpp"
#include "records/transfer/import_handlers.hpp"
#include "records/transfer/import_runner.hpp"
#include "schema/ddl.hpp"

namespace tenon::records {

namespace {

routing::Route route_of(const TableContext& table_context, http::Method method, std::string pattern,
                        std::string summary) {
  routing::Route route;
  route.method = method;
  route.pattern = std::move(pattern);
  route.access =
      table_context.table.table.anonymous ? routing::Access::everyone : routing::Access::signed_in;
  route.summary = std::move(summary);
  return route;
}

void add_routes(std::vector<OwnedRoute>& routes,
                const std::shared_ptr<const TableContext>& table_context) {
  using http::Method;
  const std::string& name = table_context->table.table.name;
  const std::string one = table_context->path + "/{id}";
  const auto add = [&](Operation operation, Method method, const std::string& pattern,
                       const std::string& what, std::unique_ptr<http::Handler> handler) {
    routing::Route route = route_of(*table_context, method, pattern, what + name);
    if (method != Method::get && method != Method::del) {
      route.body = http::BodyMode::json;
      route.body_limit = max_body_bytes;
    }
    route.operation = [table_context, operation] {
      return describe(table_context->plugin, table_context->table, operation,
                      table_context->has_extender);
    };
    routes.push_back({std::move(route), std::move(handler)});
  };
  add(Operation::list, Method::get, table_context->path, "Lists records of ",
      std::make_unique<ListRecords>(table_context));
  add(Operation::export_all, Method::get, table_context->path + "/export", "Exports records of ",
      std::make_unique<ExportRecords>(table_context));
  add(Operation::show, Method::get, one, "Shows a record of ",
      std::make_unique<ShowRecord>(table_context));
  add(Operation::create, Method::post, table_context->path, "Creates a record of ",
      std::make_unique<CreateRecord>(table_context));
  add(Operation::upsert, Method::put, table_context->path, "Creates or changes a record of ",
      std::make_unique<UpsertRecord>(table_context));
  add(Operation::change, Method::patch, one, "Changes a record of ",
      std::make_unique<ChangeRecord>(table_context));
  add(Operation::remove, Method::del, one, "Deletes a record of ",
      std::make_unique<DeleteRecord>(table_context));
  add(Operation::batch, Method::post, table_context->path + "/batch",
      "Changes several records at once of ", std::make_unique<ChangeRecords>(table_context));
  add(Operation::start_import, Method::post, table_context->path + "/import", "Imports records of ",
      std::make_unique<StartImport>(table_context));
  const std::string import = table_context->path + "/import/{job}";
  add(Operation::show_import, Method::get, import, "Shows an import of records of ",
      std::make_unique<ShowImport>(table_context));
  add(Operation::cancel_import, Method::del, import, "Cancels an import of records of ",
      std::make_unique<CancelImport>(table_context));
  routing::Route access = route_of(*table_context, Method::get, table_context->path + "/access",
                                   "Explains who may do what with records of " + name);
  access.access = routing::Access::admin;
  access.operation = &ExplainAccess::operation;
  routes.push_back({std::move(access), std::make_unique<ExplainAccess>(table_context)});
  for (const FieldModel& field : table_context->table.fields) {
    if (field.field.type != data::schema::FieldType::blob || field.field.hidden) continue;
    const std::string file = one + "/" + field.field.name;
    if (!field.is_list)
      add(Operation::file, Method::get, file, "Shows a file of ",
          std::make_unique<ShowFile>(table_context, field));
    add(Operation::file, Method::get, file + "/{blob}", "Shows a file of ",
        std::make_unique<ShowFile>(table_context, field));
  }
}

}  // namespace

bool Records::has_routes(const data::schema::Tables& tables) noexcept {
  return std::any_of(tables.tables.begin(), tables.tables.end(),
                     [](const data::schema::Table& table) { return table.publish; });
}

Records::Records(const std::string& plugin, const std::shared_ptr<const Model>& model,
                 std::shared_ptr<data::Database> database, const identity::Permissions& permissions,
                 const identity::Users& users, blobs::Blobs& blobs, blobs::Uploads& uploads,
                 jobs::Jobs& jobs, const std::shared_ptr<Hooks>& hooks) {
  const auto running = std::make_shared<InFlightKeys>();
  const auto exports = std::make_shared<ExportSlots>();
  for (const TableModel& table : model->tables()) {
    if (!table.table.publish) continue;
    const std::string& name = table.table.name;
    const bool has_extender = hooks && hooks->has_extender(name);
    table_contexts_.push_back(
        std::shared_ptr<const TableContext>(new TableContext{model,
                                                             table,
                                                             "/api/" + plugin + "/" + name,
                                                             database,
                                                             permissions,
                                                             users,
                                                             {},
                                                             running,
                                                             plugin,
                                                             &blobs,
                                                             &uploads,
                                                             exports,
                                                             &jobs,
                                                             hooks_of(hooks, name),
                                                             has_extender}));
  }
}

Records::~Records() = default;

std::vector<OwnedRoute> Records::routes() const {
  std::vector<OwnedRoute> routes;
  for (const auto& table_context : table_contexts_)
    add_routes(routes, table_context);
  return routes;
}

std::optional<UploadNeeds> Records::upload_needs() const {
  UploadNeeds needs;
  std::vector<std::shared_ptr<const TableContext>> table_contexts;
  for (const auto& table_context : table_contexts_) {
    bool takes_files = false;
    for (const FieldModel& field : table_context->table.fields) {
      if (field.field.type != data::schema::FieldType::blob || !field.is_writable) continue;
      takes_files = true;
      needs.max_bytes =
          std::max(needs.max_bytes, static_cast<std::uint64_t>(field.field.max_bytes));
    }
    if (takes_files) table_contexts.push_back(table_context);
  }
  if (table_contexts.empty()) return std::nullopt;
  needs.require = [table_contexts = std::move(table_contexts)](const http::Exchange& exchange) {
    const expression::Context context = context_of(exchange, table_contexts.front()->permissions);
    const auto may_write = [&](const std::shared_ptr<const TableContext>& table_context) {
      return may_any(table_context->table.create, context) ||
             may_any(table_context->table.update, context);
    };
    if (std::none_of(table_contexts.begin(), table_contexts.end(), may_write))
      refuse_forbidden(context, "upload files here");
  };
  return needs;
}

std::vector<std::shared_ptr<const TableContext>> Records::searchable() const {
  std::vector<std::shared_ptr<const TableContext>> table_contexts;
  for (const auto& table_context : table_contexts_) {
    if (!data::schema::searchable_fields(table_context->table.table).empty())
      table_contexts.push_back(table_context);
  }
  return table_contexts;
}

std::shared_ptr<jobs::Runner> Records::make_runner(std::shared_ptr<jobs::Runner> own) const {
  ImportRunner::TableContexts table_contexts;
  for (const auto& table_context : table_contexts_)
    table_contexts.emplace(table_context->table.table.name, table_context);
  return std::make_shared<ImportRunner>(std::move(own), std::move(table_contexts));
}

}  // namespace tenon::records
