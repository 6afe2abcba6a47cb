#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "engines/tests/each_engine.hpp"
#include "identity/identity.hpp"
#include "identity/users/users.hpp"

namespace tenon::console {

/// A response of the server under test.
struct Reply {
  int status = 0;
  std::map<std::string, std::string>
      headers;  ///< names in lower case; of several Set-Cookie the last
  std::string body;
  std::string header(const std::string& name) const {
    const auto found = headers.find(name);
    return found == headers.end() ? std::string() : found->second;
  }
  /// Value of the session cookie that the response sets; empty if it sets none.
  std::string cookie() const;
  /// "code" of a problem.
  std::string code() const;
  /// "field:code" of its errors, with spaces between.
  std::string fields() const;
};

/// The account endpoints over a real front, dispatcher and database, with a clock that the test
/// moves and a log that it reads.
class ConsoleFixture : public data::test::EachEngine {
 protected:
  static constexpr const char* password = "correct horse";

  ConsoleFixture();
  ~ConsoleFixture() override;

  identity::Identity& identity();
  const std::string& folder() const;
  /// All lines of the log so far.
  std::string log_text();

  identity::User add(const std::string& login, identity::Role role = identity::Role::member);
  /// Cookie of a new session.
  std::string sign_in(const std::string& login, const std::string& with = password);

  /// `headers` lines may replace those of a browser ("Sec-Fetch-Site").
  Reply send(const std::string& method, const std::string& path, const std::string& body = {},
             const std::string& cookie = {},
             const std::map<std::string, std::string>& headers = {});

  /// actions of the audit log, in order
  std::vector<std::string> audited();

  std::atomic<std::int64_t> now_;

 private:
  struct Server;
  std::unique_ptr<Server> server_;
};

}  // namespace tenon::console
