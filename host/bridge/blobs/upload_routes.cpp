#include "bridge/blobs/upload_routes.hpp"

#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/json_writer.hpp"
#include "blobs/upload_metadata.hpp"
#include "blobs/uploads.hpp"
#include "bridge/http/http_interface.hpp"
#include "http/connection/application.hpp"
#include "routing/context.hpp"

namespace tenon::plugins {

namespace {

using blobs::Upload;

constexpr std::string_view protocol = "1.0.0";

// Shared by the handlers of one plugin's uploads.
struct UploadContext {
  blobs::Uploads& uploads;
  std::string plugin;
  UploadPolicy policy;

  void require(const http::Exchange& exchange) const {
    if (policy.require) policy.require(exchange);
  }
  std::string path_of(const Upload& upload) const {
    return "/api/" + plugin + "/blobs/uploads/" + upload.id;
  }
};

const std::string& user_of(const http::Exchange& exchange) {
  return routing::context(exchange).principal->user_id;
}

std::string upload_id(const http::Exchange& exchange) {
  return std::string(routing::context(exchange).parameters.values[0]);
}

std::optional<std::uint64_t> number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || failure != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  return value;
}

std::uint64_t need_number(const http::Request& request, const char* field, const char* name) {
  if (const auto value = number(request.field(field))) return *value;
  throw base::Error(400, "blobs.bad_field",
                    std::string("The field ") + name + " is missing or is no whole number.");
}

void check_protocol(const http::Request& request) {
  if (request.field("tus-resumable") == protocol) return;
  throw base::Error(412, "blobs.protocol",
                    "Uploads speak version 1.0.0 of the tus protocol: send the field "
                    "Tus-Resumable: 1.0.0.");
}

http::Response with_protocol(http::Response response) {
  response.with("Tus-Resumable", std::string(protocol));
  if (response.status == 412) response.with("Tus-Version", std::string(protocol));
  return response;
}

void describe(const Upload& upload, http::Response& response) {
  response.with("Upload-Offset", std::to_string(upload.offset));
  response.with("Upload-Expires", base::http_date(upload.expires_ms / 1000));
  if (!upload.blob) return;
  response.with("Blob-Id", upload.blob->id);
  response.with("Blob-Size", std::to_string(upload.blob->bytes));
  if (!upload.blob->type.empty()) response.with("Blob-Type", upload.blob->type);
}

std::string json_of(const Upload& upload) {
  std::string text;
  base::JsonWriter json(text);
  json.begin_object();
  json.member("id", upload.id);
  json.member("name", upload.name);
  json.member("size", upload.bytes);
  json.member("offset", upload.offset);
  json.member("expires", base::rfc3339(upload.expires_ms));
  if (upload.blob) {
    json.key("blob");
    json.begin_object();
    json.member("id", upload.blob->id);
    json.member("size", upload.blob->bytes);
    json.member("type", upload.blob->type);
    json.end_object();
  }
  json.end_object();
  return text;
}

// One request of a client that speaks tus: a problem of ours says so too.
class TusHandler : public http::Handler {
 public:
  explicit TusHandler(std::shared_ptr<const UploadContext> context)
      : context_(std::move(context)) {}

  void handle(const http::ExchangePtr& exchange) final {
    try {
      run(exchange);
    } catch (const base::Error& error) {
      exchange->respond(
          with_protocol(http::problem_response(error, exchange->request().request_id)));
    }
  }

 protected:
  virtual void run(const http::ExchangePtr& exchange) = 0;
  const UploadContext& context() const noexcept { return *context_; }
  const std::shared_ptr<const UploadContext>& shared_context() const noexcept { return context_; }

 private:
  const std::shared_ptr<const UploadContext> context_;
};

class Create final : public TusHandler {
  using TusHandler::TusHandler;
  void run(const http::ExchangePtr& exchange) override {
    const http::Request& request = exchange->request();
    check_protocol(request);
    context().require(*exchange);
    const std::uint64_t bytes = need_number(request, "upload-length", "Upload-Length");
    if (bytes > context().policy.max_bytes) {
      throw base::Error(
          413, "blobs.too_large",
          "A file has at most " + std::to_string(context().policy.max_bytes) + " bytes here.");
    }
    const std::string_view metadata = request.field("upload-metadata");
    const blobs::UploadMetadata read = blobs::parse_upload_metadata(metadata);
    Upload upload = context().uploads.create(
        {context().plugin, user_of(*exchange), bytes, read.name, std::string(metadata)});
    if (bytes == 0) {
      upload =
          context()
              .uploads.append(upload.plugin, upload.user, upload.id, 0, context().policy.types)
              ->end();
    }
    http::Response response = http::empty_response(201);
    response.with("Location", context().path_of(upload));
    describe(upload, response);
    exchange->respond(with_protocol(std::move(response)));
  }
};

class Show final : public TusHandler {
  using TusHandler::TusHandler;
  void run(const http::ExchangePtr& exchange) override {
    const bool is_head = exchange->request().method == http::Method::head;
    if (is_head) check_protocol(exchange->request());
    const std::string& user = user_of(*exchange);
    Upload upload = context().uploads.find(context().plugin, user, upload_id(*exchange));
    if (!upload.blob && upload.offset == upload.bytes) upload = complete(upload);
    http::Response response = http::json_response(200, json_of(upload));
    response.with("Upload-Length", std::to_string(upload.bytes));
    if (!upload.metadata.empty()) response.with("Upload-Metadata", upload.metadata);
    describe(upload, response);
    exchange->respond(with_protocol(std::move(response)));
  }

  // The process ended when all bytes were there and the blob was not: a client that hears of the
  // offset believes that all is done.
  Upload complete(const Upload& upload) const {
    return context()
        .uploads
        .append(upload.plugin, upload.user, upload.id, upload.offset, context().policy.types)
        ->end();
  }
};

class Remove final : public TusHandler {
  using TusHandler::TusHandler;
  void run(const http::ExchangePtr& exchange) override {
    check_protocol(exchange->request());
    context().uploads.remove(context().plugin, user_of(*exchange), upload_id(*exchange));
    exchange->respond(with_protocol(http::empty_response(204)));
  }
};

// Bytes on their way to the disk. While a piece is written, no more is read from the client.
class UploadSink final : public http::BodySink {
 public:
  UploadSink(http::ExchangePtr exchange, std::unique_ptr<blobs::UploadSession> session)
      : exchange_(std::move(exchange)), session_(std::move(session)) {}

  void on_data(std::string_view bytes) override {
    guarded([&] { session_->write(bytes); });
  }
  void on_end() override {
    guarded([&] {
      const Upload upload = session_->end();
      session_.reset();
      http::Response response = http::empty_response(204);
      describe(upload, response);
      exchange_->respond(with_protocol(std::move(response)));
    });
  }
  void on_abort(int) override {
    session_.reset();  // keeps what came
  }

 private:
  template <typename Work>
  void guarded(Work&& work) {
    try {
      work();
    } catch (const base::Error& error) {
      session_.reset();
      exchange_->respond(
          with_protocol(http::problem_response(error, exchange_->request().request_id)));
      throw;  // makes the HTTP server stop reading
    }
  }

  http::ExchangePtr exchange_;
  std::unique_ptr<blobs::UploadSession> session_;
};

class Append final : public TusHandler {
  using TusHandler::TusHandler;
  void run(const http::ExchangePtr& exchange) override {
    const http::Request& request = exchange->request();
    check_protocol(request);
    context().require(*exchange);
    if (request.field("content-type") != "application/offset+octet-stream") {
      throw base::Error(415, "blobs.not_offset_stream",
                        "The body of this request is of the type application/offset+octet-stream.");
    }
    const std::uint64_t offset = need_number(request, "upload-offset", "Upload-Offset");
    auto session = context().uploads.append(context().plugin, user_of(*exchange),
                                            upload_id(*exchange), offset, context().policy.types);
    exchange->read_body(std::make_unique<UploadSink>(exchange, std::move(session)));
  }
};

}  // namespace

std::vector<records::OwnedRoute> make_upload_routes(blobs::Uploads& uploads,
                                                    const std::string& plugin,
                                                    UploadPolicy policy) {
  std::vector<records::OwnedRoute> routes;
  const auto context =
      std::make_shared<const UploadContext>(UploadContext{uploads, plugin, std::move(policy)});
  const std::string many = "/api/" + plugin + "/blobs";
  const std::string one = many + "/uploads/{id}";
  const auto add = [&](http::Method method, const std::string& pattern, const char* summary,
                       std::unique_ptr<http::Handler> handler) {
    routing::Route route;
    route.method = method;
    route.pattern = pattern;
    route.access = context->policy.access;
    route.permission = context->policy.permission;
    route.summary = summary;
    if (method == http::Method::patch) {
      route.body = http::BodyMode::streamed;
      route.body_limit = std::max<std::uint64_t>(context->policy.max_bytes, 1);
    }
    routes.push_back({std::move(route), std::move(handler)});
  };
  add(http::Method::post, many, "Begins a resumable upload (tus 1.0.0).",
      std::make_unique<Create>(context));
  add(http::Method::get, one, "Returns the offset of an upload.", std::make_unique<Show>(context));
  add(http::Method::patch, one, "Appends bytes to an upload.", std::make_unique<Append>(context));
  add(http::Method::del, one, "Cancels an upload.", std::make_unique<Remove>(context));
  return routes;
}

void add_upload_routes(HttpInterface& http, blobs::Uploads& uploads, const std::string& plugin,
                       UploadPolicy policy) {
  for (records::OwnedRoute& own : make_upload_routes(uploads, plugin, std::move(policy)))
    http.add_host_route(std::move(own.route), std::move(own.handler));
}

}  // namespace tenon::plugins
