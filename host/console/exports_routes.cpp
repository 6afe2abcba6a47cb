#include "console/exports_routes.hpp"

#include <string>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>

#include "base/error.hpp"
#include "console/desk_answer.hpp"
#include "console/exports_desk.hpp"
#include "http/download.hpp"

namespace tenon::console {

namespace {

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
                                  DeskAnswer::Work work) {
    handlers_.push_back(std::make_unique<DeskAnswer>(std::move(work)));
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
