#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "data/database.hpp"
#include "engines/tests/each_engine.hpp"
#include "identity/users/permissions.hpp"
#include "observability/metrics.hpp"
#include "realtime/realtime.hpp"
#include "records/model/model.hpp"

namespace tenon::realtime::test {

/// An event as a client reads it: name and data.
using SentEvent = std::pair<std::string, std::string>;

/// A stream whose client the test is.
class Stream final : public http::EventStream {
 public:
  bool send(std::shared_ptr<const std::string> events) override;
  void on_close(std::function<void()>) override {}
  void close() override;

  std::vector<SentEvent> sent() const;
  /// The last id, with which a client reconnects.
  std::string id() const;
  bool is_closed() const;
  /// Takes so many bytes, as one whose client does not read.
  void take_only(std::size_t bytes);

 private:
  mutable std::mutex mutex_;
  std::string text_;
  std::size_t room_ = static_cast<std::size_t>(-1);
  bool is_closed_ = false;
};

/// A subscriber of a test.
struct Client {
  std::shared_ptr<Stream> stream = std::make_shared<Stream>();
  std::unique_ptr<Subscription> subscription;
};

/// An id that ends with these digits.
std::string id_of(int number);

bool eventually(const std::function<bool()>& is_so);

/// An id as SQL, of the number that `number` (SQL too) is.
std::string id_sql(const std::string& number);

/// A database of the plugin "planner" with the room's real thread.
class RealtimeFixture : public data::test::EachEngine {
 protected:
  RealtimeFixture();

  /// Adds a table `marks` to the tables; its events show that all earlier changes were delivered.
  void attach(const std::string& tables);
  void restart();

  /// "ada" and "bob" are members, "root" an admin.
  static identity::PrincipalPtr principal(const std::string& user);
  /// Returns once every later change is delivered.
  Client follow(const std::string& user, const std::vector<std::string>& topics,
                const std::string& filter = {}, const std::string& last_id = {});
  void run(const std::string& sql) { database_->exec(sql); }
  /// Returns once all changes until now were delivered.
  void wait_for_delivery();
  /// After wait_for_delivery(): "create 1; delete 2; resync planner.cards".
  std::string news(const Client& client);

  /// The record as GET shows it; empty where it does not.
  std::string shown(const std::string& user, const std::string& table, const std::string& id,
                    const std::string& filter = {});

  data::test::Folder folder_;
  data::DatabaseOptions options_ = data::test::fresh_plugin_database(folder_.file("planner.db"));
  observability::Metrics metrics_;
  identity::Permissions permissions_;
  std::shared_ptr<data::Database> database_;
  data::schema::Tables tables_;
  std::shared_ptr<const records::Model> model_;
  std::unique_ptr<Realtime> live_;
  int marks_ = 0;
};

}  // namespace tenon::realtime::test
