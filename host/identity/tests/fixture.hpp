#pragma once

#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "base/error.hpp"
#include "data/database.hpp"
#include "engines/tests/each_engine.hpp"
#include "events/bus.hpp"
#include "identity/identity.hpp"
#include "identity/sessions/authenticator.hpp"
#include "identity/sessions/session_events.hpp"
#include "identity/sessions/sessions.hpp"
#include "identity/setup.hpp"
#include "identity/users/permissions.hpp"
#include "identity/users/users.hpp"
#include "observability/audit.hpp"
#include "observability/metrics.hpp"

namespace tenon::identity {

/// The room over a real database in a folder of its own, with a clock that the test moves.
class IdentityFixture : public data::test::EachEngine {
 protected:
  static constexpr const char* password = "correct horse";

  IdentityFixture() {
    std::filesystem::create_directories(folder_);
    options_ = data::test::fresh_host_database(folder_ + "/tenon.db");
    open();
  }
  ~IdentityFixture() override {
    close();
    std::filesystem::remove_all(folder_);
  }

  void open() {
    database_ = std::make_unique<data::Database>(options_);
    bus_ = std::make_unique<events::Bus>();
    subscription_ = bus_->subscribe({std::string(session_topic)}, [this](const auto& event) {
      const std::lock_guard lock(published_mutex_);
      published_.push_back(event->data);
    });
    metrics_ = std::make_unique<observability::Metrics>();
    identity_ =
        std::make_unique<Identity>(*database_, *bus_, *metrics_,
                                   Identity::Options{.sessions = limits_,
                                                     .passwords = {},
                                                     .clock = [this] { return now_.load(); },
                                                     .maintain = false});
  }
  void close() {
    identity_.reset();
    metrics_.reset();
    subscription_.reset();
    bus_.reset();
    database_.reset();
  }
  void reopen() {
    close();
    open();
  }

  Users& users() { return identity_->users(); }
  Sessions& sessions() { return identity_->sessions(); }
  void advance(std::chrono::milliseconds time) { now_ += time.count(); }

  User add(const std::string& login, Role role = Role::member) {
    return users().create({.login = login, .name = "", .role = role, .password = password});
  }
  Sessions::Issued sign_in(const std::string& login, const std::string& with = password,
                           const std::string& old_token = {}) {
    return identity_->sign_in(login, with, {"10.0.0.1"}, "Test/1.0", old_token);
  }
  bool is_signed_in(const Sessions::Issued& issued) {
    return sessions().find(issued.token) != nullptr;
  }

  /// Returns the data of the events on the bus since the last call.
  std::vector<std::string> published() {
    const std::lock_guard lock(published_mutex_);
    return std::exchange(published_, {});
  }

  std::int64_t count(const std::string& sql) {
    data::Rows rows = database_->query(sql);
    return rows.next() ? rows.integer(0) : -1;
  }

  /// Code of the refusal, and its fields: "identity.validation login password"; empty when nothing
  /// is refused.
  template <typename Work>
  static std::string refusal(const Work& work) {
    try {
      work();
    } catch (const base::Error& error) {
      std::string text = error.code();
      for (const base::FieldError& field : error.fields())
        text += " " + field.field + ":" + field.code;
      return text;
    }
    return "";
  }

  std::string folder_ =
      std::filesystem::path(testing::TempDir()) / ("tenon-identity-" + std::to_string(::getpid()));
  data::DatabaseOptions options_;
  Sessions::Options limits_;
  std::atomic<std::int64_t> now_{1'800'000'000'000};
  std::unique_ptr<data::Database> database_;
  std::unique_ptr<events::Bus> bus_;
  std::unique_ptr<events::Subscription> subscription_;
  std::unique_ptr<observability::Metrics> metrics_;
  std::unique_ptr<Identity> identity_;
  std::mutex published_mutex_;
  std::vector<std::string> published_;
};

}  // namespace tenon::identity
