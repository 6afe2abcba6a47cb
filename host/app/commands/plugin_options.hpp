#pragma once

#include <memory>

#include "config/settings.hpp"
#include "installer/packages.hpp"
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

/// How plugins stand in this server: what they are told and what is told of them. All that is given
/// outlives what the options are given to.
plugins::LifecycleOptions lifecycle_options(const config::Settings& settings,
                                            const plugins::Restart& restart, shell::Shell& shell,
                                            records::SearchDirectory& search,
                                            std::shared_ptr<data::SpaceReserve> reserve);
plugins::PluginInstaller::Options packages_options(const config::Settings& settings,
                                                   blobs::Blobs& blobs, jobs::Jobs& jobs,
                                                   const routing::Router& router,
                                                   observability::Audit& audit,
                                                   std::shared_ptr<data::SpaceReserve> reserve);
/// Where no server runs: what is to be purged goes when the next one starts.
plugins::PluginInstaller::Options packages_options(const config::Settings& settings,
                                                   blobs::Blobs& blobs);

}  // namespace tenon::app
