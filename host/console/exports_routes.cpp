#include "console/exports_routes.hpp"

#include <functional>
#include <string>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>

#include "base/error.hpp"
#include "console/exports_desk.hpp"
#include "http/download.hpp"
#include "routing/context.hpp"

namespace tenon::console {

namespace {

struct Asked {
  const http::Request& request;
  std::string name;  ///< the path's parameter; may be empty
  std::string user;
};

class Answer final : public http::Handler {
 public:
  using Work = std::function<http::Response(const Asked&)>;
  explicit Answer(Work work) : work_(std::move(work)) {}

  void handle(const http::ExchangePtr& exchange) override {
    const routing::CallContext& context = routing::context(*exchange);
    exchange->answer(
        work_({exchange->request(),
               std::string(context.parameters.count == 0 ? std::string_view()
                                                         : context.parameters.values[0]),
               context.principal ? context.principal->user_id : std::string()}));
  }

 private:
  Work work_;
};

http::Response ok(std::string json) {
  return http::json_response(200, std::move(json));
}

// Sent from the file, which may be larger than memory.
http::Response take_out(ExportsDesk& desk, const Asked& asked) {
  const std::string file = desk.take_out(asked.name, asked.user);
  struct stat facts {};
  if (::lstat(file.c_str(), &facts) != 0) {
    throw base::Error(404, "plugins.export_unknown",
                      "There is no export with the name \"" + asked.name + "\".");
  }
  http::Download download;
  // An export is never changed, and its name is used once.
  download.etag = "\"" + asked.name + "\"";
  download.bytes = static_cast<std::uint64_t>(facts.st_size);
  download.modified = facts.st_mtim.tv_sec;
  download.name = asked.name;
  download.is_saved = true;
  download.open = [&file] { return ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW); };
  return http::answer_with_download(asked.request, download);
}

}  // namespace

ExportsRoutes::ExportsRoutes(ExportsDesk& desk, http::WorkerShare& share) {
  const auto add = [this, &share](http::Method method, const char* pattern, const char* summary,
                                  Answer::Work work) {
    handlers_.push_back(std::make_unique<Answer>(std::move(work)));
    routes_.push_back({.method = method,
                       .pattern = pattern,
                       .access = routing::Access::admin,
                       .permission = {},
                       .handler = handlers_.back().get(),
                       .body = http::BodyMode::none,
                       .body_limit = 0,
                       .share = &share,
                       .summary = summary});
  };
  using http::Method;
  add(Method::get, "/api/core/exports", "Exports of the data of plugins that were removed",
      [&desk](const Asked& asked) {
        return ok(desk.list(http::query_value(asked.request.query, "plugin")));
      });
  add(Method::get, "/api/core/exports/{name}", "An export",
      [&desk](const Asked& asked) { return ok(desk.show(asked.name)); });
  add(Method::get, "/api/core/exports/{name}/file", "The file of an export",
      [&desk](const Asked& asked) { return take_out(desk, asked); });
  add(Method::del, "/api/core/exports/{name}", "Delete an export", [&desk](const Asked& asked) {
    desk.remove(asked.name, asked.user);
    return http::empty_response(204);
  });
}

ExportsRoutes::~ExportsRoutes() = default;

}  // namespace tenon::console
