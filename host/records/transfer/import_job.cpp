#include "records/transfer/import_job.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "blobs/blobs.hpp"
#include "data/database.hpp"
#include "identity/users/users.hpp"
#include "records/model/access.hpp"
#include "records/model/limits.hpp"
#include "records/service/writer.hpp"

namespace tenon::records {

namespace {

using Steady = std::chrono::steady_clock;

// A row that could not be written; undoes its transaction.
class RowFailed : public base::Error {
 public:
  RowFailed(std::size_t row, const base::Error& why) : base::Error(why), row_(row) {}
  std::size_t row() const noexcept { return row_; }

 private:
  std::size_t row_;
};

// Undoes the transaction of a dry run.
class DryRun : public base::Error {
 public:
  DryRun() : base::Error(409, "records.dry_run", "Nothing is kept of a dry run.") {}
};

// The job was asked to stop.
struct Stopped {};

std::vector<base::FieldError> errors_of(const base::Error& error) {
  if (!error.fields().empty()) return {error.fields().begin(), error.fields().end()};
  return {{"", std::string(error.code()), std::string(error.message())}};
}

}  // namespace

ImportJob::ImportJob(std::shared_ptr<const TableContext> table_context, jobs::Attempt& attempt,
                     ImportRequest request)
    : table_context_(std::move(table_context)), attempt_(attempt), request_(std::move(request)) {}

ImportJob::~ImportJob() = default;

void ImportJob::load_permissions() {
  auto principal = table_context_->users.principal(request_.user);
  if (!principal)
    throw base::Error(403, "records.forbidden",
                      "The user who started this import may no longer sign in.");
  context_ = std::make_unique<expression::Context>(
      context_of(std::make_shared<const identity::Principal>(*std::move(principal)),
                 table_context_->permissions));
  if (!request_.key.empty())
    key_ = std::make_unique<UpsertKey>(parse_key(table_context_->table, request_.key, *context_));
}

void ImportJob::note(const Row& row, const std::vector<base::FieldError>& errors) {
  ++tally_.wrong;
  for (const base::FieldError& error : errors) {
    if (found_.size() < max_import_errors)
      found_.push_back({row.line, error.field, error.code, error.message});
  }
}

void ImportJob::keep() {
  tally_ = table_context_->database->write([&](data::Transaction& transaction) {
    ImportProgress kept = tally_;
    imports::keep(transaction, request_.id, kept, found_);
    return kept;
  });
  found_.clear();
}

std::vector<ImportJob::Row> ImportJob::gather(ImportSource& source, const ImportColumns& columns,
                                              std::size_t max_rows) {
  std::vector<Row> rows;
  while (rows.size() < max_rows) {
    const auto read = source.next();
    if (!read) break;
    Row& row = rows.emplace_back(Row{read->line, columns.body(*read)});
    if (key_ && row.body.errors.empty()) check_key(*key_, row.body);
  }
  return rows;
}

// Returns how many of the rows were written, from the first on. It stops early when
// import_lock_time has passed.
std::size_t ImportJob::write(std::vector<Row>& rows, std::size_t first, std::size_t end,
                             bool is_bounded) {
  ImportProgress next;
  const auto work = [&](data::Transaction& transaction) {
    next = tally_;
    Writer writer(*table_context_, *context_, transaction);
    const auto until = Steady::now() + import_lock_time;
    std::size_t at = first;
    for (; at < end && (!is_bounded || at == first || Steady::now() < until); ++at) {
      if (!rows[at].body.errors.empty()) continue;
      try {
        bool is_new = true;
        if (key_)
          is_new = writer.upsert(rows[at].body, *key_, {}).is_new;
        else
          writer.create(rows[at].body);
        ++(is_new ? next.created : next.changed);
      } catch (const base::Error& error) {
        if (error.status() >= 500) throw;
        throw RowFailed(at, error);
      }
    }
    next.rows += static_cast<std::int64_t>(at - first);
    if (request_.is_dry_run) throw DryRun();
    imports::keep(transaction, request_.id, next, found_);
  };
  try {
    table_context_->database->write(work);
  } catch (const DryRun&) {
    const std::int64_t written = next.rows - tally_.rows;
    tally_ = next;
    keep();
    return static_cast<std::size_t>(written);
  }
  const std::int64_t written = next.rows - tally_.rows;
  tally_ = next;
  found_.clear();
  return static_cast<std::size_t>(written);
}

// Nothing is kept of the rows in front of one that fails, so they are tried again without it.
void ImportJob::dry_run(std::vector<Row>& rows) {
  for (const Row& row : rows) {
    if (!row.body.errors.empty()) note(row, row.body.errors);
  }
  while (true) {
    try {
      write(rows, 0, rows.size(), false);
      return;
    } catch (const RowFailed& failed) {
      Row& row = rows[failed.row()];
      row.body.errors = errors_of(failed);
      note(row, row.body.errors);
    }
  }
}

// Writes the rows. If a row fails, the rows before it are written without it. The failed row is
// then tried alone, because an earlier row may have caused its error.
void ImportJob::apply(std::vector<Row>& rows) {
  std::size_t at = 0;
  std::size_t limit = rows.size();
  while (at < rows.size()) {
    if (!rows[at].body.errors.empty()) {
      note(rows[at], rows[at].body.errors);
      ++tally_.rows;
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < std::max(limit, at + 1) && end < rows.size() && rows[end].body.errors.empty())
      ++end;
    try {
      at += write(rows, at, end, true);
      if (at >= limit) limit = rows.size();
    } catch (const RowFailed& failed) {
      limit = failed.row();
      if (failed.row() > at) continue;
      note(rows[at], errors_of(failed));
      ++tally_.rows;
      ++at;
      limit = rows.size();
    }
  }
  if (!found_.empty()) keep();
}

void ImportJob::import_in_batches(ImportSource& source, const ImportColumns& columns,
                                  std::uint64_t bytes) {
  for (std::int64_t i = 0; i < tally_.rows; ++i) {
    if (!source.next()) break;
  }
  while (true) {
    if (attempt_.should_stop()) throw Stopped();
    load_permissions();
    std::vector<Row> rows = gather(source, columns, import_batch_rows);
    if (rows.empty()) return;
    if (request_.is_dry_run)
      dry_run(rows);
    else
      apply(rows);
    attempt_.set_progress({static_cast<std::int64_t>(source.offset()),
                           static_cast<std::int64_t>(bytes),
                           std::to_string(tally_.rows) + " rows"});
  }
}

void ImportJob::import_as_a_whole(ImportSource& source, const ImportColumns& columns) {
  if (tally_.rows > 0) return;  // an attempt before this one was through with them
  std::vector<Row> rows = gather(source, columns, max_whole_import_rows + 1);
  if (rows.size() > max_whole_import_rows)
    throw base::Error(422, "records.bad_file",
                      "All or nothing is possible for " + std::to_string(max_whole_import_rows) +
                          " rows, and these are more.");
  for (const Row& row : rows) {
    if (!row.body.errors.empty()) note(row, row.body.errors);
  }
  if (tally_.wrong == 0 && !rows.empty()) {
    try {
      write(rows, 0, rows.size(), false);
    } catch (const RowFailed& failed) {
      note(rows[failed.row()], errors_of(failed));
    }
  }
  if (tally_.wrong > 0) tally_.rows = static_cast<std::int64_t>(rows.size());
}

void ImportJob::import(const std::function<std::size_t(std::uint64_t, char*, std::size_t)>& read,
                       std::uint64_t bytes) {
  ImportSource source(request_.format, read);
  ImportColumns columns(table_context_->table, request_);
  if (request_.format == TransferFormat::csv) {
    const auto head = source.next();
    if (!head) throw base::Error(422, "records.bad_file", "The file is empty.");
    columns.read_head(*head);
  }
  if (request_.is_all_or_nothing)
    import_as_a_whole(source, columns);
  else
    import_in_batches(source, columns, bytes);
}

jobs::Outcome ImportJob::run() {
  using End = jobs::Outcome::Kind;
  const auto known = imports::find(*table_context_->database, request_.id);
  if (!known) return {End::fail, "Nothing is known of this import."};
  tally_ = *known;
  if (!tally_.is_finished) {
    try {
      load_permissions();
      const blobs::Blobs::Opened opened =
          table_context_->blobs->open(table_context_->plugin, request_.blob);
      import(
          [&](std::uint64_t offset, char* buffer, std::size_t capacity) {
            return opened.content->read(offset, buffer, capacity);
    },
          opened.blob.bytes);
  }
  catch (const Stopped&) {
    return {End::retry, "It was asked to stop."};
  }
  catch (const base::Error& error) {
    if (error.status() >= 500) throw;
    tally_.failure = error.message();
  }
  tally_.is_finished = true;
  keep();
}
table_context_->blobs->release_later(table_context_->plugin, {{request_.blob, request_.claim}});
if (!tally_.failure.empty()) return {End::fail, tally_.failure};
return {End::done, {}};
}  // namespace tenon::records

}  // namespace tenon::records
