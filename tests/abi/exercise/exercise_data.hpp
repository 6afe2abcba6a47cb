#pragma once

#include <atomic>
#include <string_view>

#include <tenon/plugin.hpp>

namespace exercise {

/// The data platform: records and their callbacks, search, events, jobs, files, writes that the
/// plugin does not wait for, services, requests to other servers. Made in the plugin's constructor.
class Data {
 public:
  /// Whether the host has all of it.
  static bool is_offered(const tenon::Host& host) noexcept;

  explicit Data(tenon::Host& host);

 private:
  void add_callbacks();
  void add_records();
  void add_events();
  void add_jobs();
  void add_blobs();
  void add_services();
  void add_client();

  tenon::Host& host_;
  std::atomic<int> change_count_{0};
};

}  // namespace exercise
