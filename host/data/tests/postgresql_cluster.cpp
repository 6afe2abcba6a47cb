#include "data/tests/postgresql_cluster.hpp"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <libpq-fe.h>
#include <pwd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/ids.hpp"

namespace tenon::data::test {

namespace {

constexpr const char* binaries = "/usr/lib/postgresql/15/bin/";

// Starts a program of PostgreSQL, which refuses to run as root and ends with this process.
pid_t spawn(std::vector<std::string> arguments, const std::string& log) {
  std::vector<std::string> whole;
  if (::geteuid() == 0) {
    whole = {"/usr/bin/setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups",
             "--pdeathsig=SIGQUIT"};
  } else {
    whole = {"/usr/bin/setpriv", "--pdeathsig=SIGQUIT"};
  }
  whole.insert(whole.end(), arguments.begin(), arguments.end());
  std::vector<char*> words;
  for (auto& one : whole)
    words.push_back(one.data());
  words.push_back(nullptr);
  const pid_t child = ::fork();
  if (child != 0) return child;
  const int out = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  ::dup2(out, 1);
  ::dup2(out, 2);
  ::execv(words[0], words.data());
  ::_exit(127);
}

}  // namespace

PostgresqlCluster::PostgresqlCluster() {
  std::string pattern = std::filesystem::temp_directory_path() / "tenon-pg-XXXXXX";
  if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder");
  folder_ = pattern;
  if (::geteuid() == 0) {
    const passwd* user = ::getpwnam("postgres");
    if (!user || ::chown(folder_.c_str(), user->pw_uid, user->pw_gid) != 0)
      throw std::runtime_error("there is no user postgres; is postgresql-15 installed?");
  }
  const std::string password = base::new_id();
  std::ofstream(folder_ + "/password") << password << '\n';
  int status = 0;
  ::waitpid(spawn({std::string(binaries) + "initdb", "-D", folder_ + "/data", "-U", "postgres",
                   "--auth=scram-sha-256", "--pwfile=" + folder_ + "/password", "--no-sync",
                   "--locale=C.UTF-8", "--encoding=UTF8"},
                  folder_ + "/log"),
            &status, 0);
  if (status != 0) throw std::runtime_error("initdb failed, see " + folder_ + "/log");
  superuser_url_ = "postgresql://postgres:" + password + "@/postgres?host=" + folder_;
  url_ = "postgresql://tenon:" + password + "@/tenon?host=" + folder_;
  start();
  run(superuser_url_, "CREATE ROLE tenon LOGIN CREATEROLE PASSWORD '" + password + "'");
  run(superuser_url_, "CREATE DATABASE tenon OWNER tenon");
}

PostgresqlCluster::~PostgresqlCluster() {
  if (server_ > 0) {
    ::kill(server_, SIGQUIT);
    ::waitpid(server_, nullptr, 0);
  }
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::string PostgresqlCluster::superuser_of(const std::string& database) const {
  std::string url = superuser_url_;
  return url.replace(url.find("/postgres?"), 10, "/" + database + "?");
}

PostgresqlCluster& PostgresqlCluster::shared() {
  static PostgresqlCluster cluster;
  return cluster;
}

void PostgresqlCluster::start() {
  server_ = spawn({std::string(binaries) + "postgres", "-D", folder_ + "/data", "-k", folder_, "-c",
                   "listen_addresses=", "-c", "fsync=off", "-c", "max_connections=200"},
                  folder_ + "/log");
  for (int i = 0; i < 600; ++i) {
    if (PQping(superuser_url_.c_str()) == PQPING_OK) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  throw std::runtime_error("PostgreSQL does not start, see " + folder_ + "/log");
}

void PostgresqlCluster::kill() {
  // Left alone, its children would answer until they notice.
  const std::string id = std::to_string(server_);
  std::ifstream list("/proc/" + id + "/task/" + id + "/children");
  const std::vector<pid_t> children{std::istream_iterator<pid_t>(list),
                                    std::istream_iterator<pid_t>()};
  ::kill(server_, SIGKILL);
  ::waitpid(server_, nullptr, 0);
  for (const pid_t child : children)
    ::kill(child, SIGKILL);
  server_ = -1;
  const std::string pid_file = folder_ + "/data/postmaster.pid";
  std::filesystem::remove(pid_file);
}

void PostgresqlCluster::run(const std::string& url, const std::string& sql) {
  const std::unique_ptr<PGconn, decltype(&PQfinish)> connection(PQconnectdb(url.c_str()),
                                                                &PQfinish);
  const std::unique_ptr<PGresult, decltype(&PQclear)> result(PQexec(connection.get(), sql.c_str()),
                                                             &PQclear);
  const auto status = PQresultStatus(result.get());
  if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
    throw std::runtime_error(PQerrorMessage(connection.get()));
}

PostgresqlPlace PostgresqlCluster::fresh_place() {
  PostgresqlPlace place;
  place.url = url_;
  place.schema = "test_" + base::new_id();
  run(url_, "CREATE SCHEMA \"" + place.schema + "\"");
  return place;
}

}  // namespace tenon::data::test
