#include "engines/tests/postgresql/postgresql_cluster.hpp"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <libpq-fe.h>
#include <pwd.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/ids.hpp"
#include "postgresql/client/server.hpp"

namespace tenon::data::test {

namespace {

constexpr const char* binaries = "/usr/lib/postgresql/15/bin/";

pid_t spawn(std::vector<std::string> arguments, const std::string& log) {
  std::vector<char*> words;
  for (auto& one : arguments)
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

// Starts a program of PostgreSQL, which refuses to run as root and ends with this process.
pid_t spawn_program(const std::vector<std::string>& arguments, const std::string& log) {
  std::vector<std::string> whole = {"/usr/bin/setpriv", "--pdeathsig=SIGQUIT"};
  if (::geteuid() == 0)
    whole.insert(whole.end(), {"--reuid=postgres", "--regid=postgres", "--clear-groups"});
  whole.insert(whole.end(), arguments.begin(), arguments.end());
  return spawn(whole, log);
}

void require_success(pid_t process, const std::string& what) {
  int status = 0;
  if (::waitpid(process, &status, 0) != process || status != 0)
    throw std::runtime_error(what + " failed");
}

// A new folder that programs of PostgreSQL may write to.
std::string make_folder() {
  std::string folder = std::filesystem::temp_directory_path() / "tenon-pg-XXXXXX";
  if (::mkdtemp(folder.data()) == nullptr) throw std::runtime_error("no temporary folder");
  if (::geteuid() == 0) {
    const passwd* user = ::getpwnam("postgres");
    if (!user || ::chown(folder.c_str(), user->pw_uid, user->pw_gid) != 0)
      throw std::runtime_error("there is no user postgres; is postgresql-15 installed?");
  }
  return folder;
}

void copy(const std::string& from, const std::string& to) {
  require_success(spawn({"/bin/cp", "-a", "--reflink=auto", from, to}, "/dev/null"), "cp to " + to);
}

void execute(PGconn& connection, const std::string& sql) {
  const std::unique_ptr<PGresult, decltype(&PQclear)> result(PQexec(&connection, sql.c_str()),
                                                             &PQclear);
  const auto status = PQresultStatus(result.get());
  if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
    throw std::runtime_error(PQerrorMessage(&connection));
}

// The folder next to this program that initdb has made "data" in, with the superuser's "password".
// Made by the first process that needs it, of another name for another initdb.
std::string initialized_folder() {
  const std::string program = std::string(binaries) + "initdb";
  const std::vector<std::string> options = {"-U",        "postgres",         "--auth=scram-sha-256",
                                            "--no-sync", "--locale=C.UTF-8", "--encoding=UTF8"};
  std::string facts =
      std::to_string(std::filesystem::last_write_time(program).time_since_epoch().count());
  for (const auto& option : options)
    facts += " " + option;
  const std::string made =
      (std::filesystem::read_symlink("/proc/self/exe").parent_path() / "postgresql-").string() +
      std::to_string(std::hash<std::string>()(facts));
  const int lock = ::open((made + ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (lock < 0 || ::flock(lock, LOCK_EX) != 0)
    throw std::runtime_error("cannot lock " + made + ".lock");
  if (!std::filesystem::exists(made)) {
    const std::string folder = make_folder();
    std::ofstream(folder + "/password") << base::new_id() << '\n';
    std::vector<std::string> arguments = {program, "-D", folder + "/data",
                                          "--pwfile=" + folder + "/password"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    require_success(spawn_program(arguments, folder + "/log"), "initdb, see " + folder + "/log,");
    const std::string part = made + ".part";
    std::filesystem::remove_all(part);
    copy(folder, part);
    std::filesystem::rename(part, made);
    std::filesystem::remove_all(folder);
  }
  ::close(lock);
  return made;
}

}  // namespace

PostgresqlCluster::PostgresqlCluster() : owner_(nullptr, &PQfinish) {
  const std::string initialized = initialized_folder();
  folder_ = make_folder();
  copy(initialized + "/data", folder_ + "/data");
  std::string password;
  std::ifstream(initialized + "/password") >> password;
  superuser_url_ = "postgresql://postgres:" + password + "@/postgres?host=" + folder_;
  url_ = "postgresql://tenon:" + password + "@/tenon?host=" + folder_;
  start();
  run(superuser_url_, "CREATE ROLE tenon LOGIN CREATEROLE PASSWORD '" + password + "'");
  run(superuser_url_, "CREATE DATABASE tenon OWNER tenon");
}

PostgresqlCluster::~PostgresqlCluster() {
  host_.reset();
  owner_.reset();
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
  server_ =
      spawn_program({std::string(binaries) + "postgres", "-D", folder_ + "/data", "-k", folder_,
                     "-c", "listen_addresses=", "-c", "fsync=off", "-c", "max_connections=200"},
                    folder_ + "/log");
  for (int i = 0; i < 600 && ::waitpid(server_, nullptr, WNOHANG) == 0; ++i) {
    if (PQping(superuser_url_.c_str()) == PQPING_OK) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  std::ostringstream log;
  log << std::ifstream(folder_ + "/log").rdbuf();
  throw std::runtime_error("PostgreSQL does not start:\n" + log.str());
}

void PostgresqlCluster::kill() {
  // Stopped, it starts no more children. They are killed too: they would respond until they notice,
  // and no server starts while one of them is attached to the shared memory.
  ::kill(server_, SIGSTOP);
  const std::string id = std::to_string(server_);
  std::ifstream list("/proc/" + id + "/task/" + id + "/children");
  const std::vector<pid_t> children{std::istream_iterator<pid_t>(list),
                                    std::istream_iterator<pid_t>()};
  host_.reset();
  owner_.reset();
  for (const pid_t child : children)
    ::kill(child, SIGKILL);
  ::kill(server_, SIGKILL);
  ::waitpid(server_, nullptr, 0);
  for (const pid_t child : children) {
    std::error_code ignored;  // one that has ended has no program
    while (std::filesystem::exists("/proc/" + std::to_string(child) + "/exe", ignored))
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  server_ = -1;
  const std::string pid_file = folder_ + "/data/postmaster.pid";
  std::filesystem::remove(pid_file);
}

void PostgresqlCluster::run(const std::string& url, const std::string& sql) {
  const std::unique_ptr<PGconn, decltype(&PQfinish)> connection(PQconnectdb(url.c_str()),
                                                                &PQfinish);
  execute(*connection, sql);
}

PostgresqlSchema PostgresqlCluster::fresh_schema() {
  PostgresqlSchema location;
  location.url = url_;
  location.schema = "test_" + base::new_id();
  const std::string sql = "CREATE SCHEMA \"" + location.schema + "\"";
  // Tests end connections of others, too.
  const bool is_kept =
      owner_ && PQconsumeInput(owner_.get()) == 1 && PQstatus(owner_.get()) == CONNECTION_OK;
  if (!is_kept) owner_.reset(PQconnectdb(url_.c_str()));
  execute(*owner_, sql);
  return location;
}

PostgresqlSchema PostgresqlCluster::fresh_plugin_schema(std::string_view prefix) {
  if (!host_) {
    host_ = std::make_unique<postgresql::Server>(url_);
    host_->host_schema();
  }
  return host_->plugin_schema(std::string(prefix) + base::new_id().substr(9));
}

}  // namespace tenon::data::test
