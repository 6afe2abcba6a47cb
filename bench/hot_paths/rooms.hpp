#pragma once

#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>

#include <stdlib.h>

#include "blobs/blobs.hpp"
#include "blobs/disk_store.hpp"
#include "blobs/uploads.hpp"
#include "data/database.hpp"
#include "events/bus.hpp"
#include "http/workers/worker_pool.hpp"
#include "identity/identity.hpp"
#include "identity/users/users.hpp"
#include "jobs/jobs.hpp"
#include "observability/metrics.hpp"
#include "realtime/realtime.hpp"
#include "routing/router.hpp"

namespace tenon::bench {

/// A folder that is gone with its owner.
class Folder {
 public:
  Folder() {
    std::string pattern = std::filesystem::temp_directory_path() / "tenon-bench-XXXXXX";
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = pattern;
  }
  ~Folder() {
    std::error_code failure;
    std::filesystem::remove_all(path_, failure);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const std::string& path() const noexcept { return path_; }

 private:
  std::string path_;
};

/// The rooms that others depend on, with a database in a folder of their own.
struct Rooms {
  Rooms()
      : database(host_options(folder.path() + "/tenon.db")),
        identity(database, bus, metrics,
                 {.sessions = {}, .passwords = {}, .clock = {}, .maintain = false}),
        // One: which of several gets the work is chance.
        workers({.threads = 1}),
        router(metrics),
        blobs(database, std::make_unique<blobs::DiskStore>(folder.path() + "/blobs"), {}),
        uploads(blobs),
        jobs(database, bus, metrics),
        live(identity.permissions(), metrics) {}
  ~Rooms() { workers.stop(); }
  Rooms(const Rooms&) = delete;
  Rooms& operator=(const Rooms&) = delete;

  static data::DatabaseOptions host_options(const std::string& path) {
    data::DatabaseOptions options;
    options.path = path;
    options.confinement = data::Confinement::host();
    return options;
  }

  /// A session of a new member.
  identity::Sessions::Issued sign_in(const std::string& login) {
    static constexpr const char* password = "correct horse battery";
    identity.users().create(
        {.login = login, .name = "", .role = identity::Role::member, .password = password});
    return identity.sign_in(login, password, {"127.0.0.1"}, "bench", {});
  }

  Folder folder;
  data::Database database;
  events::Bus bus;
  observability::Metrics metrics;
  identity::Identity identity;
  http::WorkerPool workers;
  routing::Router router;
  blobs::Blobs blobs;
  blobs::Uploads uploads;
  jobs::Jobs jobs;
  realtime::Realtime live;
};

}  // namespace tenon::bench
