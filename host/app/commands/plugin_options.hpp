#pragma once

#include <memory>

#include "config/settings.hpp"
#include "installer/plugin_installer.hpp"
#include "lifecycle/lifecycle.hpp"

namespace tenon::blobs {
class Blobs;
}
namespace tenon::data {
class SpaceReserve;
}
namespace tenon::jobs {
class Jobs;
}
namespace tenon::observability {
class Audit;
}
namespace tenon::records {
class SearchDirectory;
}
namespace tenon::routing {
class Router;
}
namespace tenon::shell {
class Shell;
}

namespace tenon::app {

/// Returns the options of the lifecycle in this server. All arguments must outlive the lifecycle.
plugins::LifecycleOptions lifecycle_options(const config::Settings& settings,
                                            const plugins::Restart& restart, shell::Shell& shell,
                                            records::SearchDirectory& search,
                                            std::shared_ptr<data::SpaceReserve> reserve);
plugins::PluginInstaller::Options packages_options(const config::Settings& settings,
                                                   blobs::Blobs& blobs, jobs::Jobs& jobs,
                                                   const routing::Router& router,
                                                   observability::Audit& audit,
                                                   std::shared_ptr<data::SpaceReserve> reserve);
/// Returns the options without a running server: the next start purges what must be purged.
plugins::PluginInstaller::Options packages_options(const config::Settings& settings,
                                                   blobs::Blobs& blobs);

}  // namespace tenon::app
