#include "records/api/write_handlers.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "data/database.hpp"
#include "observability/log.hpp"
#include "records/api/batch.hpp"
#include "records/api/key.hpp"
#include "records/api/record_text.hpp"
#include "records/model/access.hpp"
#include "records/query/query_text.hpp"
#include "records/service/files.hpp"
#include "records/service/idempotency.hpp"
#include "records/service/writer.hpp"
#include "routing/context.hpp"

namespace tenon::records {

namespace {

// A queued write. It owns everything it uses, because its plugin's routes may be removed before it
// completes.
class Write final : public data::QueuedWrite {
 public:
  using Work = std::function<http::Response(Writer& writer)>;

  Write(http::ExchangePtr exchange, std::shared_ptr<const TableContext> table_context,
        expression::Context context, Work work, std::unique_ptr<UploadClaims> files)
      : table_context_(std::move(table_context)),
        exchange_(std::move(exchange)),
        context_(std::move(context)),
        work_(std::move(work)),
        files_(std::move(files)) {}

  /// Marks the request as repeatable: if it comes again it gets the same response.
  void hold(std::optional<IdempotencyKey> key) {
    if (!key) return;
    held_ = InFlightKeys::hold(table_context_->running, *key);
    key_ = std::move(key);
  }

  void work(data::Transaction& transaction) override {
    const observability::WorkScope scope(&routing::context(*exchange_).work);
    Writer writer(*table_context_, context_, transaction);
    if (!key_) {
      run(writer);
      return;
    }
    IdempotencyStore responses(transaction, table_context_->table.engine,
                               base::unix_milliseconds());
    if (auto known = responses.find(*key_)) {
      response_ = *std::move(known);
      return;
    }
    run(writer);
    responses.keep(*key_, response_);
  }

  void done(std::exception_ptr failure) noexcept override {
    held_.reset();  // a client that has the response may send the request again
    release_files(failure);
    files_.reset();
    try {
      if (failure) std::rethrow_exception(failure);
      exchange_->respond(std::move(response_));
    } catch (const Conflict& conflict) {
      http::Response response = http::problem_response(conflict, exchange_->request().request_id);
      response.set_body(conflict.problem(exchange_->request().request_id));
      exchange_->respond(std::move(response));
    } catch (const base::Error& error) {
      exchange_->respond(http::problem_response(error, exchange_->request().request_id));
    } catch (const std::exception& error) {
      observability::log_error("a record could not be written", {{"reason", error.what()}});
      exchange_->respond(http::problem_response(
          base::Error(500, "http.internal", "Something went wrong here. Try again."),
          exchange_->request().request_id));
    }
  }

 private:
  void run(Writer& writer) {
    response_ = work_(writer);
    kept_ = writer.files().kept();
    ended_ = writer.files().take_ended();
  }

  void release_files(const std::exception_ptr& failure) noexcept {
    try {
      if (failure) std::rethrow_exception(failure);
      files_->complete(kept_, std::move(ended_));
    } catch (const base::Error& error) {
      // After a disk failure it is unknown whether the change is stored.
      if (error.status() >= 500) files_->leave();
    } catch (const std::exception&) {
      files_->leave();
    }
  }

  std::shared_ptr<const TableContext>
      table_context_;  // outlives the exchange, whose lease keeps the database open
  http::ExchangePtr exchange_;
  expression::Context context_;
  Work work_;
  http::Response response_;
  std::optional<IdempotencyKey> key_;
  std::unique_ptr<InFlightKeys::Hold> held_;
  std::unique_ptr<UploadClaims> files_;
  std::vector<std::string> kept_;
  std::vector<blobs::Blobs::Claim> ended_;
};

void refuse_parameters(const http::Exchange& exchange) {
  for (const auto& [name, value] : parse_query(exchange.request().query))
    refuse_query(name, "there is no such parameter");
}

// The parameter `key`, where it is there.
std::optional<UpsertKey> read_key(const http::Exchange& exchange, const TableModel& table,
                                  const expression::Context& context) {
  std::optional<UpsertKey> key;
  for (const auto& [name, value] : parse_query(exchange.request().query)) {
    if (name != "key") refuse_query(name, "there is no such parameter");
    key = parse_key(table, value, context);
  }
  return key;
}

UpsertKey required_key(const http::Exchange& exchange, const TableModel& table,
                       const expression::Context& context) {
  std::optional<UpsertKey> key = read_key(exchange, table, context);
  if (!key) refuse_query("key", "say by which unique field the record is known");
  return *std::move(key);
}

// Parts of a change in addition to its work.
struct WriteExtras {
  std::optional<IdempotencyKey> key = std::nullopt;
  std::unique_ptr<UploadClaims> files = nullptr;
};

void queue(const http::ExchangePtr& exchange,
           const std::shared_ptr<const TableContext>& table_context, expression::Context context,
           Write::Work work, WriteExtras extras = {}) {
  if (!extras.files) extras.files = std::make_unique<UploadClaims>(*table_context);
  auto write = std::make_unique<Write>(exchange, table_context, std::move(context), std::move(work),
                                       std::move(extras.files));
  write->hold(std::move(extras.key));
  table_context->database->queue(std::move(write));
}

std::string id_in_path(const http::Exchange& exchange) {
  return std::string(routing::context(exchange).parameters.values[0]);
}

http::Response record_response(int status, const TableModel& table, std::string record) {
  const std::string etag = etag_of(table, record);
  return http::json_response(status, std::move(record)).with("ETag", etag);
}

}  // namespace

void CreateRecord::handle(const http::ExchangePtr& exchange) {
  refuse_parameters(*exchange);
  expression::Context context = context_of(*exchange, table_context()->permissions);
  require_any(table_context()->table.create, context, "create records here");
  Body body = read_body(table_context()->table, base::JsonSlice(exchange->request().body),
                        Kind::create, Files::taken);
  WriteExtras extras{read_idempotency_key(*exchange, context),
                     std::make_unique<UploadClaims>(*table_context())};
  extras.files->take(body, *table_context(), context);
  queue(
      exchange, table_context(), std::move(context),
      [table_context = table_context().get(), body = std::move(body)](Writer& writer) {
        const std::string id = writer.create(body);
        return record_response(201, table_context->table, writer.show(id))
            .with("Location", table_context->path + "/" + id);
      },
      std::move(extras));
}

void UpsertRecord::handle(const http::ExchangePtr& exchange) {
  expression::Context context = context_of(*exchange, table_context()->permissions);
  if (!may_any(table_context()->table.update, context))
    require_any(table_context()->table.create, context, "create records here");
  UpsertKey key = required_key(*exchange, table_context()->table, context);
  Body body =
      read_body(table_context()->table, base::JsonSlice(exchange->request().body), Kind::create);
  check_key(key, body);
  queue(exchange, table_context(), std::move(context),
        [table_context = table_context().get(), key = std::move(key), body = std::move(body),
         if_match = std::string(exchange->request().field("if-match"))](Writer& writer) {
          const auto [id, is_new] = writer.upsert(body, key, if_match);
          auto response =
              record_response(is_new ? 201 : 200, table_context->table, writer.show(id));
          if (is_new) response.with("Location", table_context->path + "/" + id);
          return response;
        });
}

void ChangeRecord::handle(const http::ExchangePtr& exchange) {
  refuse_parameters(*exchange);
  expression::Context context = context_of(*exchange, table_context()->permissions);
  require_any(table_context()->table.update, context, "change records here");
  Body body = read_body(table_context()->table, base::JsonSlice(exchange->request().body),
                        Kind::update, Files::taken);
  auto files = std::make_unique<UploadClaims>(*table_context());
  files->take(body, *table_context(), context);
  queue(exchange, table_context(), std::move(context),
        [table_context = table_context().get(), body = std::move(body), id = id_in_path(*exchange),
         if_match = std::string(exchange->request().field("if-match"))](Writer& writer) {
          writer.update(id, body, if_match);
          return record_response(200, table_context->table, writer.show(id));
        },
        {std::nullopt, std::move(files)});
}

void DeleteRecord::handle(const http::ExchangePtr& exchange) {
  refuse_parameters(*exchange);
  expression::Context context = context_of(*exchange, table_context()->permissions);
  require_any(table_context()->table.delete_, context, "delete records here");
  queue(exchange, table_context(), std::move(context),
        [id = id_in_path(*exchange),
         if_match = std::string(exchange->request().field("if-match"))](Writer& writer) {
          writer.remove(id, if_match);
          return http::empty_response(204);
        });
}

void ChangeRecords::handle(const http::ExchangePtr& exchange) {
  expression::Context context = context_of(*exchange, table_context()->permissions);
  const std::optional<UpsertKey> key = read_key(*exchange, table_context()->table, context);
  Batch batch = read_batch(table_context()->table, base::JsonSlice(exchange->request().body),
                           key ? &*key : nullptr);
  auto repeat = read_idempotency_key(*exchange, context);
  queue(exchange, table_context(), std::move(context),
        [batch = std::move(batch)](Writer& writer) {
          return http::json_response(200, run_batch(batch, writer));
        },
        {std::move(repeat)});
}

}  // namespace tenon::records
