#include "postgresql/client/server_check.hpp"

#include <string>

#include "engines/tests/support.hpp"
#include "postgresql/client/server.hpp"
#include "postgresql/roles/host_lock.hpp"

namespace tenon::data::test {
namespace {

using postgresql::HostLock;
using postgresql::obstacles;
using postgresql::ServerFacts;
using postgresql::shown_url;

TEST(ShownUrl, HasNoPassword) {
  EXPECT_EQ(shown_url("postgresql://ada:secret@db:5432/tenon?sslmode=require"),
            "postgresql://ada@db:5432/tenon?sslmode=require");
  EXPECT_EQ(shown_url("postgresql://db:5432/tenon"), "postgresql://db:5432/tenon");
  EXPECT_EQ(shown_url("postgres:///tenon?host=/run&password=secret&user=ada&sslpassword=secret"),
            "postgres:///tenon?host=/run&password=…&user=ada&sslpassword=…");
  EXPECT_EQ(shown_url("postgresql://ada:se@cr/et?@db/x"), "postgresql://ada@db/x");
  for (const char* odd : {"", "secret", "password=secret", "postgresql:secret"})
    EXPECT_EQ(shown_url(odd), "a URL");
}

TEST(Obstacles, EachIsNamedWithWhatToDo) {
  ServerFacts facts;
  facts.version_number = postgresql::oldest_server;
  facts.encoding = "UTF8";
  facts.is_owner = facts.may_create_roles = true;
  EXPECT_TRUE(obstacles(facts).empty());
  facts.version_number -= 1;
  facts.encoding = "LATIN1";
  facts.is_read_only = true;
  facts.is_owner = facts.may_create_roles = false;
  std::string codes;
  for (const auto& one : obstacles(facts))
    codes += one.code() + " ";
  EXPECT_EQ(codes,
            "data.server_version data.server_encoding data.server_read_only data.server_rights "
            "data.server_rights ");
}

TEST(PostgresqlHost, ADatabaseIsOneHosts) {
  PostgresqlCluster cluster;
  const ServerFacts facts = postgresql::ask_server(cluster.url());
  EXPECT_TRUE(obstacles(facts).empty());
  EXPECT_EQ(facts.role, "tenon");
  EXPECT_FALSE(facts.has_host_schema);
  postgresql::Server server(cluster.url());
  EXPECT_FALSE(server.known_schema("notes"));
  server.host_schema();
  EXPECT_TRUE(postgresql::ask_server(cluster.url()).has_host_schema);
  EXPECT_FALSE(server.known_schema("notes"));
  const std::string installation = server.installation().id;
  EXPECT_FALSE(installation.empty());
  server.host_schema();
  EXPECT_EQ(server.installation().id, installation);
  const PostgresqlSchema made = server.plugin_schema("notes");
  EXPECT_EQ(server.known_schema("notes")->user, made.user);
  EXPECT_EQ(server.known_schema("notes")->password, made.password);

  HostLock claim(cluster.url());
  EXPECT_EQ(code_of([&] { const HostLock second(cluster.url()); }), "data.in_use");
  EXPECT_EQ(claim.refresh(), HostLock::State::held);
  cluster.kill();
  EXPECT_EQ(claim.refresh(), HostLock::State::away);
  EXPECT_EQ(claim.refresh(), HostLock::State::away);
  EXPECT_EQ(code_of([&] { postgresql::ask_server(cluster.url()); }), "data.connection_lost");
  cluster.start();
  EXPECT_EQ(claim.refresh(), HostLock::State::held);
  EXPECT_EQ(code_of([&] { const HostLock second(cluster.url()); }), "data.in_use");
  cluster.kill();
  EXPECT_EQ(claim.refresh(), HostLock::State::away);
  cluster.start();
  {
    const HostLock faster(cluster.url());
    EXPECT_EQ(claim.refresh(), HostLock::State::taken);
  }
}

}  // namespace
}  // namespace tenon::data::test
