#pragma once

#include <memory>
#include <string>

#include "http/static_files/static_files.hpp"

namespace tenon::shell {

/// Serves the documentation site, which ./dev docs builds, below /docs/. A path of a folder is its
/// index.html; an unknown path gets the site's own page with the status 404. Immutable; any thread.
class DocsSite {
 public:
  /// `directory` has the built site. If there is none, each path gets 404 "shell.docs_missing".
  explicit DocsSite(std::string directory);

  /// Responds to a path that begins with "/docs".
  http::Response respond(const http::Request& request) const;

 private:
  const std::string directory_;
  std::shared_ptr<const http::StaticTree> pages_;   // null: the site was not built
  std::shared_ptr<const http::StaticTree> assets_;  // names carry a hash of the content
};

}  // namespace tenon::shell
