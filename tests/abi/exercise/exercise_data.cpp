// The data platform with the C++ wrapper.
#include "exercise_data.hpp"

#include <string>
#include <utility>
#include <vector>

namespace exercise {

using tenon::Actor;
using tenon::RecordOperation;
using tenon::Request;
using tenon::Response;
using tenon::access::signed_in;

namespace {

constexpr tenon::RouteOptions whole{.body = tenon::Body::whole};

std::string words_of(const tenon::Job& job) {
  return std::to_string(static_cast<unsigned>(job.state)) + " " + std::to_string(job.attempts) +
         " " + job.text;
}

bool has_client(const tenon::Host& host) noexcept {
  const tenon_host* raw = host.raw();
  return raw->get_interface(raw, TENON_LITERAL(TENON_HTTP_CLIENT_ID),
                            TENON_NEED(tenon_http_client, send)) != nullptr;
}

}  // namespace

bool Data::is_offered(const tenon::Host& host) noexcept {
  const tenon_host* raw = host.raw();
  return raw->get_interface(raw, TENON_LITERAL(TENON_TABLES_ID),
                            TENON_NEED(tenon_tables, remove)) != nullptr;
}

Data::Data(tenon::Host& host) : host_(host) {
  add_callbacks();
  add_records();
  add_events();
  add_jobs();
  add_blobs();
  add_services();
  if (has_client(host)) add_client();
}

void Data::add_callbacks() {
  tenon::Records& records = host_.records();
  records.before_write("cards", RecordOperation::create | RecordOperation::update,
                       [](const tenon::RecordWrite& write) {
                         if (write.change_text().find("refuse me") != std::string_view::npos)
                           return write.refuse("title", "refused", "So it wanted.");
                         write.set({{"stamp", "stamped"}});
                       });
  records.after_write("cards", [this](const std::vector<tenon::RecordChange>& changes) {
    for (const tenon::RecordChange& change : changes)
      change_count_ += change.operation == RecordOperation::remove ? 100 : 1;
  });
  records.extend("cards", [](const tenon::RecordPage& page) {
    for (std::uint32_t i = 0; i < page.size(); ++i)
      page.add(i, {{"index", i}});
  });
  host_.migrations().add(1, "mark", [](tenon::MigrationBatch& batch) {
    batch.exec("INSERT INTO marks (id, name) VALUES (?, 'migrated')", tenon::new_id());
    batch.progress(batch.done() + 1, 1);
    return false;
  });
}

void Data::add_records() {
  tenon::Http& http = host_.http();
  http.post("/card", signed_in, [this](const Request& r) {
    return Response::json_text(
        host_.records().insert_text(host_.database(), Actor(r), "cards", r.body()), 201);
  });
  http.get("/card/{id}", signed_in, [this](const Request& r) {
    return Response::json_text(
        host_.records().get_text(host_.database(), Actor::system(), "cards", r.param("id")));
  });
  http.patch("/card/{id}", signed_in, [this](const Request& r) {
    return Response::json_text(
        host_.records().update_text(host_.database(), Actor(r), "cards", r.param("id"), r.body()));
  });
  http.del("/card/{id}", signed_in, [this](const Request& r) {
    host_.records().remove(host_.database(), Actor(r), "cards", r.param("id"));
    return Response::empty();
  });
  http.get("/cards-of/{state}", signed_in, [this](const Request& r) {
    return Response::json_text(host_.records().list_text(
        host_.database(), Actor(r),
        {.table = "cards", .filter = "state = ?", .sort = "title", .fields = "title,stamp"},
        r.param("state")));
  });
  http.get("/find/{words}", signed_in, [this](const Request& r) {
    return Response::json_text(host_.search().find_text(
        host_.database(), Actor(r), {.text = r.param("words"), .tables = {"cards"}, .limit = 10}));
  });
  http.get("/told", signed_in,
           [this](const Request&) { return Response::text(std::to_string(change_count_)); });
  http.get("/mark", signed_in, [this](const Request&) {
    const auto engine = static_cast<std::int64_t>(host_.database().engine());
    return Response::json_text(
        host_.database().json_row("SELECT name, ? AS engine FROM marks", engine).value());
  });
  http.put("/mark", signed_in, whole, [this](const Request& r) {
    return host_.database().write(r.defer(),
                                  [name = std::string(r.body())](tenon::Transaction& db) {
                                    db.exec("UPDATE marks SET name = ?", name);
                                    return Response::empty();
                                  });
  });
}

void Data::add_events() {
  host_.events().declare("ticks", TENON_PLUGIN_ID ".read");
  host_.http().post("/tell", signed_in, [this](const Request& r) {
    host_.database().transaction(
        [&](tenon::Transaction& db) { host_.events().publish_text(db, "ticks", r.body()); });
    host_.events().publish_text("ticks", r.body(), tenon::Audience::user(std::string(r.user_id())));
    return Response::empty();
  });
  host_.http().get("/myself", signed_in, [this](const Request& r) {
    return Response::text(host_.identity().find(r.user_id()).value().login + " " +
                          std::to_string(r.groups().size()));
  });
}

void Data::add_jobs() {
  tenon::Jobs& jobs = host_.jobs();
  jobs.on("count", [](const tenon::JobRun& run) {
    run.progress(1, 1, "counted");
    run.stop_if_asked();
  });
  jobs.schedule({.name = "yearly", .cron = "0 0 1 1 *", .kind = "count", .runs_missed = false});
  tenon::Http& http = host_.http();
  http.post("/job", signed_in, [this](const Request& r) {
    tenon::JobOptions options;
    if (r.query<bool>("later", false)) options.run_at_ms = 4'102'444'800'000;
    return Response::text(host_.jobs().enqueue_text("count", r.body(), options).id);
  });
  http.get("/job/{id}", signed_in, [this](const Request& r) {
    return Response::text(words_of(host_.jobs().find(r.param("id")).value()));
  });
  http.del("/job/{id}", signed_in, [this](const Request& r) {
    return Response::text(words_of(host_.jobs().cancel(r.param("id"))));
  });
}

void Data::add_blobs() {
  host_.blobs().accept_uploads(signed_in);
  tenon::Http& http = host_.http();
  http.post("/blob", signed_in, whole, [this](const Request& r) {
    // Dropped without an end, it is aborted.
    static_cast<void>(host_.blobs().create());
    const tenon::Blob blob = host_.blobs().put(r.body());
    host_.blobs().claim(blob.id, "exercise");
    return Response::text(blob.id);
  });
  http.get("/blob/{id}", signed_in, [this](const Request& r) {
    const auto blob = host_.blobs().find(r.param("id"));
    if (!blob) throw tenon::Error(404, "blobs.not_found", "There is no such file.");
    return Response::text(std::to_string(blob->bytes) + " " + std::to_string(blob->claims) + " " +
                          host_.blobs().open(blob->id).read_all());
  });
  http.del("/blob/{id}", signed_in, [this](const Request& r) {
    host_.blobs().release(r.param("id"), "exercise");
    const bool is_uploaded = host_.blobs().has_uploaded(r.param("id"), r.user_id());
    return Response::text(is_uploaded ? "uploaded" : "not uploaded");
  });
  http.get("/blob/{id}/file", signed_in, [](const Request& r) {
    return Response::attachment(std::string(r.param("id")), "exercise.txt");
  });
}

void Data::add_services() {
  host_.services().offer("echo", 1, [](const tenon::ServiceRequest& call) {
    if (call.method() != "say")
      throw tenon::Error(404, "exercise.unknown_method", "There is no such method.");
    return std::string(call.bytes());
  });
  host_.http().get("/relay/{method}/{words}", signed_in, [this](const Request& r) {
    return Response::text(host_.services().call_bytes(TENON_PLUGIN_ID ".echo", 1, r.param("method"),
                                                      r.param("words")));
  });
}

void Data::add_client() {
  host_.http().get("/fetch/{port}/{rest...}", signed_in, [this](const Request& r) {
    tenon::HttpRequest request;
    request.url =
        "http://127.0.0.1:" + std::string(r.param("port")) + "/api/" + std::string(r.param("rest"));
    request.headers.emplace_back("X-Exercise", "fetch");
    request.timeout = std::chrono::seconds(5);
    request.max_response_bytes = 4096;
    request.follow_redirects = false;
    const tenon::HttpResponse response = host_.http_client().send(request);
    return Response::text(response.body()).status(response.status());
  });
}

}  // namespace exercise
