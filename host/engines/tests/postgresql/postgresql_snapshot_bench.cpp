// Measures a snapshot of a schema of some 300 MB, its restore and the diff, compared with pg_dump;
// on a cluster of its own, which does not sync: data_postgresql_snapshot_bench [folder]
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <functional>
#include <string>

#include "base/clock.hpp"
#include "data/database.hpp"
#include "data/migrate/migrate.hpp"
#include "data/snapshot/snapshot.hpp"
#include "engines/tests/each_engine.hpp"
#include "engines/tests/schema/declarations.hpp"

namespace {

namespace base = tenon::base;
namespace data = tenon::data;

constexpr int rows = 300'000;

}  // namespace

int main(int count, char** arguments) {
  const std::filesystem::path folder =
      count > 1 ? arguments[1] : std::filesystem::temp_directory_path() / "tenon-snapshot-bench";
  std::filesystem::create_directories(folder);
  const auto options = data::test::fresh_plugin_database(data::Dialect::postgresql, "");
  const auto& location = *options.postgresql;
  data::Database database(options);
  apply(database, data::test::declare("1.0.0", R"({"tables": [{"name": "items", "fields":
    [{"name": "title", "type": "text", "indexed": true}, {"name": "text", "type": "text"}]}]})"));
  auto& cluster = data::test::PostgresqlCluster::shared();
  cluster.run(cluster.superuser_of("tenon"),
              "INSERT INTO \"" + location.schema +
                  "\".items (id, title, text) SELECT '01900000-0000-7000-8000-' || lpad(n::text, "
                  "12, '0'), 'title ' || n, (SELECT string_agg(md5(n::text || m), '') FROM "
                  "generate_series(1, 30) AS m) FROM generate_series(1, " +
                  std::to_string(rows) + ") AS s(n)");

  const std::string to = folder / "copy.schema";
  const std::string dump = folder / "copy.dump";
  const auto measure = [&](const char* name, const std::string& file,
                           const std::function<void()>& work) {
    const std::int64_t begin = base::monotonic_nanoseconds();
    const std::clock_t worked = std::clock();
    work();
    const double own = static_cast<double>(std::clock() - worked) / CLOCKS_PER_SEC;
    const double seconds = static_cast<double>(base::monotonic_nanoseconds() - begin) / 1e9;
    const double size = static_cast<double>(std::filesystem::file_size(file)) / 1e6;
    std::printf("%-14s %6.0f MB %6.2f s %6.0f MB/s, %.2f s of this process\n", name, size, seconds,
                size / seconds, own);
    std::fflush(stdout);
  };
  for (int round = 0; round < 3; ++round) {
    std::filesystem::remove(to);
    measure("snapshot", to, [&] { data::snapshot(database, to); });
    measure("pg_dump", dump, [&] {
      const std::string command = "/usr/lib/postgresql/15/bin/pg_dump -Fc -Z0 -d '" +
                                  cluster.superuser_of("tenon") + "' -n '\"" + location.schema +
                                  "\"' -f " + dump + " && sync " + dump;
      if (std::system(command.c_str()) != 0) std::puts("pg_dump failed");
    });
    measure("diff_since", to, [&] { data::diff_since(database, to, std::chrono::minutes(10)); });
    measure("restore", to, [&] { data::restore_snapshot(location, to); });
  }
  database.close();
  std::filesystem::remove_all(folder);
}
