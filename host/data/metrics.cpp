#include "data/metrics.hpp"

#include <array>
#include <cstdint>

#include "data/database.hpp"
#include "observability/metrics.hpp"

namespace tenon::data {

namespace {

using observability::Labels;
using observability::MetricsSink;

constexpr auto time_bounds = [] {
  std::array<double, statement_time_bounds.size()> seconds{};
  for (std::size_t i = 0; i < seconds.size(); ++i)
    seconds[i] = static_cast<double>(statement_time_bounds[i]) / 1e6;
  return seconds;
}();

constexpr auto size_bounds = [] {
  std::array<double, group_size_bounds.size()> sizes{};
  for (std::size_t i = 0; i < sizes.size(); ++i)
    sizes[i] = group_size_bounds[i];
  return sizes;
}();

struct Figure {
  const char* name;
  const char* help;
  std::uint64_t Statistics::*value;
};

constexpr Figure counter_figures[] = {
    {"tenon_data_reads_total", "Read transactions begun, single queries too.", &Statistics::reads},
    {"tenon_data_writes_total", "Write transactions that are on disk.", &Statistics::writes},
    {"tenon_data_rolled_back_total", "Write transactions undone by their owner or by an error.",
     &Statistics::rolled_back},
    {"tenon_data_group_rolled_back_total",
     "Write transactions undone because another one of their group failed.",
     &Statistics::group_rolled_back},
    {"tenon_data_expired_total", "Transactions undone at their deadline.", &Statistics::expired},
    {"tenon_data_busy_total", "Transactions refused because too many waited, or waited too long.",
     &Statistics::busy},
    {"tenon_data_statement_timeouts_total", "Statements cancelled at their deadline.",
     &Statistics::timeouts},
    {"tenon_data_disk_full_total", "Writes refused because the disk was full.",
     &Statistics::disk_full},
    {"tenon_data_checkpoints_total", "Checkpoints: times that the WAL was copied into the file.",
     &Statistics::checkpoints}};

constexpr Figure gauges[] = {
    {"tenon_data_writers_waiting", "Write transactions that wait for the write lock.",
     &Statistics::waiting},
    {"tenon_data_transactions", "Transactions open now.", &Statistics::open},
    {"tenon_data_readers", "Connections that read, open now.", &Statistics::readers}};

void write_times(MetricsSink& sink, const char* name, const char* help, Labels labels,
                 const TimeBuckets& times) {
  sink.histogram(name, help, labels, time_bounds, times.counts,
                 static_cast<double>(times.nanoseconds) / 1e9);
}

}  // namespace

void write_metrics(MetricsSink& sink, std::string_view plugin, const Database& database) {
  const Labels labels{{"plugin", plugin}};
  const Statistics now = database.statistics();
  for (const Figure& figure : counter_figures)
    sink.counter(figure.name, figure.help, labels, now.*figure.value);
  for (const Figure& figure : gauges)
    sink.gauge(figure.name, figure.help, labels, static_cast<double>(now.*figure.value));
  write_times(sink, "tenon_data_statement_duration_seconds",
              "Time of statements to their first row, in seconds.", labels, now.statement_time);
  write_times(sink, "tenon_data_commit_duration_seconds",
              "Time of a COMMIT with its write to the disk, in seconds.", labels, now.commit_time);
  write_times(sink, "tenon_data_write_wait_seconds",
              "Wait of writers that did not get the write lock at once, in seconds.", labels,
              now.write_queue_time);
  sink.histogram("tenon_data_group_size", "Write transactions that one COMMIT made durable.",
                 labels, size_bounds, now.group_size, static_cast<double>(now.writes));
  if (database.dialect() != Dialect::sqlite) return;
  const FileFacts file = database.file_facts();
  sink.gauge("tenon_data_file_bytes", "Size of the database file, in bytes.", labels,
             static_cast<double>(file.bytes));
  sink.gauge("tenon_data_wal_bytes", "Size of its WAL, in bytes.", labels,
             static_cast<double>(file.wal_bytes));
  sink.gauge("tenon_data_disk_free_bytes", "Free space on its file system, in bytes.", labels,
             static_cast<double>(file.free_bytes));
}

}  // namespace tenon::data
