#include "admin_api/plugins/exports_routes.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>

#include "admin_api/json_handler.hpp"
#include "admin_api/plugins/export_admin.hpp"
#include "base/error.hpp"
#include "http/response/download.hpp"
#include "installer/exports/limits.hpp"
#include "installer/exports/received_export.hpp"
#include "routing/context.hpp"

namespace tenon::console {

namespace {

// Sent from the file, which may be larger than memory.
http::Response take_out(ExportAdmin& admin, const RequestView& view) {
  const std::string file = admin.take_out(view.name, view.user);
  struct stat facts {};
  if (::lstat(file.c_str(), &facts) != 0) {
    throw base::Error(404, "plugins.export_unknown",
                      "There is no export with the name \"" + view.name + "\".");
  }
  http::Download download;
  // An export is never changed, and its name is used once.
  download.etag = "\"" + view.name + "\"";
  download.bytes = static_cast<std::uint64_t>(facts.st_size);
  download.modified = facts.st_mtim.tv_sec;
  download.name = view.name;
  download.is_saved = true;
  download.open = [&file] { return ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW); };
  return http::respond_with_download(view.request, download);
}

// Writes an upload to the disk. While a piece is written, no more is read from the client.
class Sink final : public http::BodySink {
 public:
  Sink(http::ExchangePtr exchange, ExportAdmin& admin,
       std::unique_ptr<plugins::ReceivedExport> came)
      : exchange_(std::move(exchange)), admin_(admin), came_(std::move(came)) {}

  void on_data(std::string_view bytes) override {
    guarded([&] { came_->write(bytes); });
  }
  void on_end() override {
    guarded([&] {
      std::string name;
      http::Response response = http::json_response(
          201, admin_.received(*came_, http::query_value(exchange_->request().query, "plugin"),
                               routing::context(*exchange_).principal->user_id, name));
      response.with("Location", "/api/core/exports/" + name);
      came_.reset();
      exchange_->respond(std::move(response));
    });
  }
  void on_abort(int) override { came_.reset(); }

 private:
  // A client that has the response may send the next upload at once: the slot is free by then.
  template <typename Work>
  void guarded(Work&& work) {
    try {
      work();
    } catch (...) {
      came_.reset();
      throw;
    }
  }

  http::ExchangePtr exchange_;
  ExportAdmin& admin_;
  std::unique_ptr<plugins::ReceivedExport> came_;
};

class Receive final : public http::Handler {
 public:
  explicit Receive(ExportAdmin& admin) : admin_(admin) {}

  void handle(const http::ExchangePtr& exchange) override {
    const std::uint64_t bytes = exchange->request().content_length;
    exchange->read_body(std::make_unique<Sink>(
        exchange, admin_, admin_.receive(bytes == http::Request::no_length ? 0 : bytes)));
  }

 private:
  ExportAdmin& admin_;
};

}  // namespace

ExportsRoutes::ExportsRoutes(ExportAdmin& admin, http::WorkerShare& share)
    : table_({routing::Access::admin, &share}) {
  const auto add = [&](http::Method method, const char* pattern, const char* summary,
                       JsonHandler::Work work) {
    table_.add(method, pattern, summary, std::make_unique<JsonHandler>(std::move(work)));
  };
  using http::Method;
  add(Method::get, "/api/core/exports", "List exports of removed plugins",
      [&admin](const RequestView& view) {
        return ok(admin.list(http::query_value(view.request.query, "plugin")));
      });
  routing::Route& upload = table_.add(Method::post, "/api/core/exports", "Upload an export",
                                      std::make_unique<Receive>(admin));
  upload.body = http::BodyMode::streamed;
  upload.body_limit = plugins::ExportLimits::upload;
  add(Method::get, "/api/core/exports/{name}", "Get an export",
      [&admin](const RequestView& view) { return ok(admin.show(view.name)); });
  add(Method::get, "/api/core/exports/{name}/file", "Download the file of an export",
      [&admin](const RequestView& view) { return take_out(admin, view); });
  add(Method::del, "/api/core/exports/{name}", "Delete an export",
      [&admin](const RequestView& view) {
        admin.remove(view.name, view.user);
        return http::empty_response(204);
      });
}

}  // namespace tenon::console
