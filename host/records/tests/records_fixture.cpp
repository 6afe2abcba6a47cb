#include "records/tests/records_fixture.hpp"

#include <Poco/Dynamic/Var.h>
#include <Poco/JSON/Array.h>
#include <Poco/JSON/Object.h>

#include "base/json.hpp"
#include "base/json_slice.hpp"
#include "blobs/blobs.hpp"
#include "blobs/disk_store.hpp"
#include "blobs/uploads.hpp"
#include "data/migrate/migrate.hpp"
#include "engines/tests/support.hpp"
#include "events/bus.hpp"
#include "http/loop/server.hpp"
#include "http/workers/worker_pool.hpp"
#include "identity/identity.hpp"
#include "identity/sessions/authenticator.hpp"
#include "identity/sessions/cookie.hpp"
#include "identity/users/permissions.hpp"
#include "identity/users/users.hpp"
#include "jobs/jobs.hpp"
#include "observability/log.hpp"
#include "observability/metrics.hpp"
#include "records/query/dialect.hpp"
#include "records/search/global_search.hpp"
#include "records/search/search_directory.hpp"
#include "records/service/record_service.hpp"
#include "records/service/records.hpp"
#include "routing/dispatcher.hpp"
#include "routing/router.hpp"

namespace tenon::records::test {

const char* const planner_tables = R"json({"tables":[
  {"name":"boards","publish":true,"rules":{"read":"true","create":"can('planner.manage')","update":"true","delete":"true"},"fields":[
    {"name":"name","type":"text","required":true},{"name":"pin","type":"text","hidden":true},
    {"name":"plan","type":"text","rules":{"read":"can('planner.manage')"}}]},
  {"name":"labels","publish":true,"rules":{"read":"true","create":"true"},"fields":[
    {"name":"name","type":"text","required":true,"unique":true}]},
  {"name":"shifts","publish":true,"rules":{"read":"crew in @groups","create":"true","update":"true","delete":"true"},"fields":[
    {"name":"title","type":"text","searchable":true},{"name":"crew","type":"reference","table":"core:groups","writable":true},{"name":"sheet","type":"blob"}]},
  {"name":"vans","publish":true,"rules":{"read":"can('planner.manage') and crew in @groups"},"fields":[
    {"name":"crew","type":"reference","table":"core:groups"}]},
  {"name":"vaults","rules":{"read":"false"},"fields":[{"name":"word","type":"text"}]},
  {"name":"pages","publish":true,"rules":{"read":"true","create":"true","update":"true","delete":"true"},"fields":[
    {"name":"card","type":"reference","table":"cards","on_delete":"cascade"},{"name":"scan","type":"blob","required":true}]},
  {"name":"slots","publish":true,"rules":{"read":"true","create":"true","update":"true"},
   "indexes":[{"fields":["board","place"],"unique":true}],"fields":[
    {"name":"board","type":"reference","table":"boards"},{"name":"place","type":"integer"},{"name":"line","type":"text","writable":true},
    {"name":"hint","type":"text","unique":true,"rules":{"read":"line = 'open'"}}]},
  {"name":"news","publish":true,"anonymous":true,"rules":{"read":"shown","create":"@user != null"},"fields":[
    {"name":"shown","type":"boolean","required":true,"default":false,"writable":true},{"name":"line","type":"text"}]},
  {"name":"papers","publish":true,"rules":{"read":"public or owner = @user","create":"true","update":"true","delete":"true"},"fields":[
    {"name":"title","type":"text","searchable":{"weight":8}},{"name":"body","type":"text","searchable":true},
    {"name":"remark","type":"text","searchable":true,"rules":{"read":"owner = @user"}},
    {"name":"code","type":"text","searchable":true,"hidden":true},
    {"name":"plan","type":"text","searchable":true,"rules":{"read":"can('planner.manage')"}},
    {"name":"count","type":"integer","required":true,"default":0},{"name":"label","type":"reference","table":"labels"},
    {"name":"public","type":"boolean","required":true,"default":true,"writable":true},{"name":"owner","type":"user","writable":true}]},
  {"name":"posters","publish":true,"rules":{"read":"true"},"fields":[
    {"name":"title","type":"text","searchable":{"weight":3}},{"name":"body","type":"text","searchable":true}]},
  {"name":"whispers","publish":true,"rules":{"read":"true"},"fields":[
    {"name":"word","type":"text","searchable":true,"rules":{"read":"word != 'x'"}}]},
  {"name":"marks","publish":true,"rules":{"read":"owner = null or owner = @user","create":"true","update":"true"},"fields":[
    {"name":"board","type":"reference","table":"boards"},{"name":"owner","type":"user","writable":true}]},
  {"name":"items","publish":true,"rules":{"read":"true","create":"true","update":"true","delete":"true"},"fields":[
    {"name":"code","type":"text","unique":true},{"name":"board","type":"reference","table":"boards"},
    {"name":"mark","type":"reference","table":"marks","same":"board","on_delete":"clear"},
    {"name":"marks","type":"reference","table":"marks","same":"board","many":true}]},
  {"name":"tallies","publish":true,"anonymous":true,"rules":{"read":"true","create":"true","update":"true"},"fields":[
    {"name":"keeper","type":"user","required":true,"default":"@user","rules":{"write":"can('planner.manage')"}},
    {"name":"slug","type":"text","required":true,"set_by_callback":true},
    {"name":"count","type":"integer","min":-5,"max":10},{"name":"big","type":"integer"},{"name":"weight","type":"number"},
    {"name":"secret","type":"integer","hidden":true},{"name":"pin","type":"integer","hidden":true,"writable":true},
    {"name":"score","type":"integer","max":10,"rules":{"read":"can('planner.manage')"}}]},
  {"name":"cards","publish":true,"timestamps":true,"authorship":true,"version":true,
   "rules":{"read":"public or owner = @user or can('planner.see_all')","create":"owner = @user",
            "update":"owner = @user","delete":"owner = @user and state != 'done'"},
   "fields":[
    {"name":"title","type":"text","required":true,"max":20},
    {"name":"state","type":"choice","choices":["open","done"],"required":true,"default":"open","writable":true},
    {"name":"public","type":"boolean","required":true,"default":false,"writable":true},
    {"name":"count","type":"integer","min":0,"max":100,"indexed":true},
    {"name":"rank","type":"integer","required":true,"default":0,"indexed":true},
    {"name":"price","type":"number"},
    {"name":"due","type":"date"},
    {"name":"seen","type":"datetime"},
    {"name":"code","type":"text","unique":true,"pattern":"^[a-z]+$","min":2},
    {"name":"tags","type":"choice","many":true,"choices":["red","blue","green"]},
    {"name":"labels","type":"reference","table":"labels","many":true},
    {"name":"board","type":"reference","table":"boards","on_delete":"restrict"},
    {"name":"parent","type":"reference","table":"cards","on_delete":"clear"},
    {"name":"vault","type":"reference","table":"vaults","on_delete":"clear"},
    {"name":"owner","type":"user"},
    {"name":"more","type":"json"},
    {"name":"file","type":"blob"},
    {"name":"files","type":"blob","many":true},
    {"name":"photo","type":"blob","max_bytes":40,"types":["image/*"]},
    {"name":"draft","type":"blob","rules":{"read":"owner = @user"}},
    {"name":"vault_file","type":"blob","hidden":true},
    {"name":"secret","type":"text","hidden":true},
    {"name":"password","type":"text","hidden":true,"writable":true},
    {"name":"note","type":"text","rules":{"read":"owner = @user","write":"state != 'done'"}},
    {"name":"fixed","type":"text","read_only":true},
    {"name":"is_done","type":"computed","expression":"state = 'done'"},
    {"name":"shout","type":"computed","expression":"upper(title) + '!'"}]}
]})json";

namespace {

constexpr const char* password = "correct horse";
const std::string table_path = "/api/planner";

data::DatabaseOptions plugin_database(data::Dialect engine, const std::string& path) {
  if (engine == data::Dialect::sqlite) return data::test::plugin_file(path);
  auto& cluster = data::test::PostgresqlCluster::shared();
  // Rows that the tests insert by SQL have 0 and 1 for booleans.
  static const bool has_cast = [&] {
    data::test::PostgresqlCluster::run(
        cluster.superuser_of("tenon"),
        "UPDATE pg_cast SET castcontext = 'a' WHERE castsource = 'int4'::regtype AND casttarget = "
        "'bool'::regtype");
    return true;
  }();
  EXPECT_TRUE(has_cast);
  data::DatabaseOptions options;
  // A schema of its own for each world.
  options.postgresql = cluster.fresh_plugin_schema("p");
  return options;
}

// The jobs of a plugin that has none of its own.
class NoJobs final : public jobs::Runner {
 public:
  const std::string& plugin() const noexcept override { return plugin_; }
  std::vector<std::string> kinds() const override { return {}; }
  jobs::Outcome run(jobs::Attempt&) noexcept override {
    return {jobs::Outcome::Kind::fail, "The plugin has no jobs."};
  }

 private:
  const std::string plugin_ = "planner";
};

// The log of the worlds of both engines: their threads write to the installed one.
observability::Log& shared_log() {
  static observability::Log log({.level = observability::Level::error, .access = false});
  return log;
}

}  // namespace

struct RecordsFixture::World {
  explicit World(data::Dialect engine)
      : core(data::test::host_file(folder.file("tenon.db"))),
        identity(core, bus, metrics,
                 {.sessions = {}, .passwords = {}, .clock = {}, .maintain = false}),
        blobs(core, std::make_unique<blobs::DiskStore>(folder.file("blobs")), {}),
        uploads(blobs),
        jobs(core, bus, metrics),
        planner(
            std::make_shared<data::Database>(plugin_database(engine, folder.file("planner.db")))),
        workers(http::WorkerPool::Options{.threads = 4}),
        share(workers.make_share("planner")),
        router(metrics),
        dispatcher(router, identity.authenticator(), identity.permissions(), metrics) {
    observability::install_log(&shared_log());
    data::Declaration declaration{
        "planner", "1.0.0", data::schema::parse_tables(planner_tables), {}};
    data::apply(*planner, declaration);
    identity.permissions().declare(
        "planner", {{"planner.manage", "Manage", {}}, {"planner.see_all", "See all", {}}});
    Records records("planner", std::make_shared<const Model>(declaration.tables, engine), planner,
                    identity.permissions(), identity.users(), blobs, uploads, jobs);
    jobs.attach(records.make_runner(std::make_shared<NoJobs>()), {});
    std::vector<routing::Route> routes;
    for (OwnedRoute& own : records.routes()) {
      handlers.push_back(std::move(own.handler));
      own.route.handler = handlers.back().get();
      own.route.share = share.get();
      routes.push_back(own.route);
    }
    planner_routes = std::make_shared<routing::RouteSet>("planner", table_path, std::move(routes));
    router.publish(planner_routes);
    directory.attach({"planner", planner_routes, records.searchable()});
    publish_search("/api/core/search", {});
    publish_search("/api/core/search-in-no-time", {.plugin = std::chrono::milliseconds(0)});
    for (const char* login : {"ada", "bob", "root"}) {
      const bool is_admin = std::string(login) == "root";
      ids[login] = identity.users()
                       .create({.login = login,
                                .name = "",
                                .role = is_admin ? identity::Role::admin : identity::Role::member,
                                .password = password})
                       .id;
      cookies[login] = std::string(identity::session_cookie_name(false)) + "=" +
                       identity.sign_in(login, password, {"127.0.0.1"}, "test", {}).token;
    }
    http::ServerOptions options;
    options.port = 0;
    options.io_threads = 1;
    front = std::make_unique<http::Server>(options, dispatcher, workers);
    front->start();
  }
  ~World() {
    jobs.stop(std::chrono::seconds(5));
    front->stop(std::chrono::seconds(5));
    workers.stop();
    router.remove(table_path);
    // A client has its response before the background writer thread releases the request.
    planner_routes->gate().close();
    EXPECT_TRUE(planner_routes->gate().wait_idle(std::chrono::seconds(20)));
  }

  void publish_search(const std::string& path, const SearchTimes& times) {
    handlers.push_back(std::make_unique<GlobalSearch>(directory, identity.permissions(), times));
    routing::Route route;
    route.pattern = path;
    route.handler = handlers.back().get();
    route.share = share.get();
    router.publish(std::make_shared<routing::RouteSet>("core", path, std::vector{route}));
  }

  data::test::Folder folder;
  data::Database core;
  events::Bus bus;
  observability::Metrics metrics;
  identity::Identity identity;
  blobs::Blobs blobs;
  blobs::Uploads uploads;
  jobs::Jobs jobs;
  std::shared_ptr<data::Database> planner;
  http::WorkerPool workers;
  std::shared_ptr<http::WorkerShare> share;
  std::vector<std::unique_ptr<http::Handler>> handlers;
  routing::Router router;
  SearchDirectory directory;
  std::shared_ptr<const routing::RouteSet> planner_routes;
  routing::Dispatcher dispatcher;
  std::unique_ptr<http::Server> front;
  std::map<std::string, std::string> ids;
  std::map<std::string, std::string> cookies;
};

RecordsFixture::World* RecordsFixture::world = nullptr;
std::map<data::Dialect, std::unique_ptr<RecordsFixture::World>> RecordsFixture::worlds;

RecordsFixture::RecordsFixture() {
  auto& own = worlds[GetParam()];
  if (!own) own = std::make_unique<World>(GetParam());
  world = own.get();
}
void RecordsFixture::TearDownTestSuite() {
  worlds.clear();
  observability::install_log(nullptr);
}

Reply RecordsFixture::send(const std::string& method, const std::string& path,
                           const std::string& user, const std::string& body,
                           const std::map<std::string, std::string>& fields) {
  http::test::RawClient client(world->front->port());
  std::string request = method + " " + (path.starts_with("/api/") ? "" : table_path) + path +
                        " HTTP/1.1\r\nHost: x\r\n";
  if (!user.empty()) request += "Cookie: " + world->cookies.at(user) + "\r\n";
  for (const auto& [name, value] : fields)
    request += name + ": " + value + "\r\n";
  if (!body.empty())
    request +=
        "Content-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) + "\r\n";
  client.send(request + "\r\n" + body);
  return client.read_reply(method == "HEAD");
}

SearchDirectory& RecordsFixture::directory() {
  return world->directory;
}
const std::shared_ptr<const routing::RouteSet>& RecordsFixture::routes() {
  return world->planner_routes;
}
http::test::RawClient RecordsFixture::open_export(const std::string& user, const std::string& path,
                                                  int receive_buffer) {
  http::test::RawClient client(world->front->port(), receive_buffer);
  client.send("GET " + table_path + path +
              " HTTP/1.1\r\nHost: x\r\nCookie: " + world->cookies.at(user) + "\r\n\r\n");
  return client;
}

data::Database& RecordsFixture::database() {
  return *world->planner;
}
blobs::Blobs& RecordsFixture::blobs() {
  return world->blobs;
}
std::string RecordsFixture::keep(const std::string& bytes) {
  const auto writer = world->blobs.create("planner");
  writer->write(bytes);
  return writer->finish().id;
}
std::string RecordsFixture::upload(const std::string& user, const std::string& bytes,
                                   bool is_whole) {
  const std::string id =
      world->uploads
          .create({"planner", user_id(user), bytes.size() + (is_whole ? 0U : 1U), "file.txt", {}})
          .id;
  const auto session = world->uploads.append("planner", user_id(user), id, 0, {});
  session->write(bytes);
  session->end();
  return id;
}
jobs::Jobs& RecordsFixture::jobs() {
  return world->jobs;
}
data::Database& RecordsFixture::core() {
  return world->core;
}
const identity::Users& RecordsFixture::users() {
  return world->identity.users();
}

Records RecordsFixture::records_of(const std::string& plugin, const data::schema::Tables& tables,
                                   std::shared_ptr<data::Database> database,
                                   const identity::Permissions& permissions) {
  const auto model = std::make_shared<const Model>(tables, database->dialect());
  return {plugin,       model,          std::move(database), permissions, world->identity.users(),
          world->blobs, world->uploads, world->jobs};
}

std::unique_ptr<const RecordService> RecordsFixture::make_service() {
  return std::make_unique<const RecordService>(
      RecordService::Parts{"planner", world->planner, world->identity.permissions(),
                           world->identity.users(), world->blobs, world->uploads},
      std::make_shared<const Model>(data::schema::parse_tables(planner_tables),
                                    world->planner->dialect()));
}

const std::string& RecordsFixture::user_id(const std::string& login) {
  return world->ids.at(login);
}
void RecordsFixture::run(const std::string& sql) {
  world->planner->exec(sql);
}

bool RecordsFixture::has_table(const std::string& name) {
  return database().query(dialect::find_table(GetParam()), {name}).next();
}

std::string id_sql(const std::string& number) {
  const std::string text = "('' || (" + number + "))";
  return "('01900000-0000-7000-8000-' || substr('00000000000' || " + text + ", length(" + text +
         ")))";
}

std::string encoded(std::string_view text) {
  static constexpr char digits[] = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 && byte < 128) {
      out += c;
    } else {
      out += '%';
      out += digits[byte >> 4];
      out += digits[byte & 15];
    }
  }
  return out;
}

std::string items(const Reply& reply) {
  if (reply.status != 200) return std::to_string(reply.status) + " " + reply.body;
  std::string found;
  const auto list = base::parse_json_object(reply.body)->getArray("items");
  for (unsigned i = 0; i < list->size(); ++i) {
    const auto id = list->getObject(i)->getValue<std::string>("id");
    found += (found.empty() ? "" : " ") + id.substr(id.size() - 2);
  }
  return found;
}

std::string member(const Reply& reply, const std::string& name) {
  std::string found = "none";
  if (reply.body.empty()) return found;
  base::JsonSlice(reply.body)
      .each_member([&](const std::string& key, const base::JsonSlice& value) {
        if (key == name) found = value.text();
      });
  return found;
}

std::string problem(const Reply& reply) {
  if (reply.status < 400) return std::to_string(reply.status) + " " + reply.body;
  const auto json = base::parse_json_object(reply.body);
  std::string text = std::to_string(reply.status) + " " + json->getValue<std::string>("code");
  const auto errors = json->getArray("errors");
  for (unsigned i = 0; errors && i < errors->size(); ++i) {
    const auto error = errors->getObject(i);
    text +=
        " " + error->getValue<std::string>("field") + ":" + error->getValue<std::string>("code");
  }
  return text;
}

std::string id_of(int number) {
  std::string text = "01900000-0000-7000-8000-000000000000";
  const std::string digits = std::to_string(number);
  text.replace(text.size() - digits.size(), digits.size(), digits);
  return text;
}

}  // namespace tenon::records::test
