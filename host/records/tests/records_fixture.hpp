#pragma once

#include <map>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "engines/tests/support.hpp"
#include "http/tests/raw_client.hpp"
#include "records/service/records.hpp"

namespace tenon::jobs {
class Jobs;
}
namespace tenon::identity {
class Users;
}

namespace tenon::routing {
class RouteSet;
}
namespace tenon::records {
class RecordService;
class SearchDirectory;
}  // namespace tenon::records

namespace tenon::records::test {

using Reply = http::test::Reply;

/// The tables of the plugin "planner" that the tests ask for.
extern const char* const planner_tables;

/// Percent-encodes everything that is no letter or digit.
std::string encoded(std::string_view text);

/// The ids of the items of a list, by their last two characters, in order.
std::string items(const Reply& reply);
/// Value of a member of the response as JSON text; "none" where it is missing.
std::string member(const Reply& reply, const std::string& name);
/// "422 records.validation" of a problem, then its fields: "title:required".
std::string problem(const Reply& reply);

/// An id that ends with these two digits.
std::string id_of(int number);
/// SQL of an id that ends with a number (SQL) of at most twelve digits.
std::string id_sql(const std::string& number);

/// Real databases, front, dispatcher and the routes of "planner"; the users ada and bob, and the
/// admin root. One a suite and engine of the plugin's data: TEST_P, and TENON_ON_BOTH_ENGINES(name)
/// once a suite.
class RecordsFixture : public testing::TestWithParam<data::Dialect> {
 protected:
  RecordsFixture();
  static void TearDownTestSuite();

  /// `path` is relative to that of the plugin, unless it begins with /api/.
  static Reply send(const std::string& method, const std::string& path,
                    const std::string& user = {}, const std::string& body = {},
                    const std::map<std::string, std::string>& fields = {});
  static Reply get(const std::string& path, const std::string& user = {}) {
    return send("GET", path, user);
  }
  /// A connection that sent this request and has read nothing of the response yet.
  static http::test::RawClient open_export(const std::string& user, const std::string& path,
                                           int receive_buffer);
  static data::Database& database();
  /// The directory of /api/core/search: "planner". /api/core/search-in-no-time does the same with
  /// no time for any plugin.
  static SearchDirectory& directory();
  static const std::shared_ptr<const routing::RouteSet>& routes();
  static const identity::Users& users();
  /// Of another plugin in the same world.
  static Records records_of(const std::string& plugin, const data::schema::Tables& tables,
                            std::shared_ptr<data::Database> database,
                            const identity::Permissions& permissions);
  /// Of "planner".
  static std::unique_ptr<const RecordService> make_service();
  static blobs::Blobs& blobs();
  /// Makes a blob of "planner"; its id.
  static std::string keep(const std::string& bytes);
  /// Uploads a file for the user; the upload's id. Not `is_whole`: a byte of it is missing.
  static std::string upload(const std::string& user, const std::string& bytes,
                            bool is_whole = true);
  static jobs::Jobs& jobs();
  /// The host's own database.
  static data::Database& core();
  /// The id of ada, bob or root.
  static const std::string& user_id(const std::string& login);
  static void run(const std::string& sql);
  /// Whether the plugin's database has a table of this name.
  static bool has_table(const std::string& name);

 private:
  struct World;
  static World* world;
  static std::map<data::Dialect, std::unique_ptr<World>> worlds;
};

}  // namespace tenon::records::test
