// Gives the plugin's code the records as requests see them.
#include <array>
#include <memory>
#include <utility>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/problem.hpp"
#include "base/utf8.hpp"
#include "bridge/abi_error.hpp"
#include "bridge/bridge.hpp"
#include "bridge/db/db_interface.hpp"
#include "bridge/db/plugin_database.hpp"
#include "bridge/frame.hpp"
#include "bridge/http/http_interface.hpp"
#include "bridge/spans.hpp"
#include "bridge/tables/tables_interface.hpp"
#include "identity/users/users.hpp"
#include "records/model/access.hpp"
#include "records/model/limits.hpp"
#include "routing/context.hpp"

namespace tenon::plugins {

namespace {

constexpr const char* no_record_span = "A span has a size and no data.";
constexpr std::uint64_t max_text_bytes = 64 * 1024;  // of what a query says

// The code for an error without a name of its own.
tenon_code code_of_status(int status) noexcept {
  switch (status) {
    case 401:
    case 403:
      return TENON_E_DENIED;
    case 404:
      return TENON_E_NOT_FOUND;
    case 409:
    case 412:
      return TENON_E_CONSTRAINT;
    case 413:
      return TENON_E_TOO_LARGE;
    default:
      return status < 500 ? TENON_E_INVALID : TENON_E_INTERNAL;
  }
}

void give(const tenon_text_sink* sink, std::string_view text) {
  if (sink && sink->fn)
    enter(static_cast<void (*)(void*, tenon_span)>(sink->fn), sink->ctx, span(text));
}

// Runs `work`; on an error, passes the problem to the sink and returns its code.
tenon_code reporting_problem(const tenon_text_sink* sink, tenon_error* error,
                             const std::function<tenon_code()>& work) {
  try {
    return work();
  } catch (const base::Error& failure) {
    const auto* conflict = dynamic_cast<const records::Conflict*>(&failure);
    give(sink, conflict ? conflict->problem({}) : base::problem_json(failure, {}));
    const tenon_code known = code_of(failure);
    return fail(error, known == TENON_E_INTERNAL ? code_of_status(failure.status()) : known,
                failure.status(), failure.code(), failure.message());
  }
}

// Cells as they are bound to a filter; false when one of them is not what it says.
bool read_values(const tenon_cell* cells, std::uint32_t count, std::vector<data::Cell>& values) {
  if (count != 0 && !cells) return false;
  for (std::uint32_t i = 0; i < count; ++i) {
    const tenon_cell& cell = cells[i];
    if (cell.type == TENON_CELL_NULL) {
      values.emplace_back();
    } else if (cell.type == TENON_CELL_INTEGER) {
      values.emplace_back(cell.as.integer);
    } else if (cell.type == TENON_CELL_NUMBER) {
      values.emplace_back(cell.as.number);
    } else if (cell.type == TENON_CELL_TEXT && is_sound({cell.as.bytes, cell.size})) {
      values.emplace_back(cell.size == 0 ? std::string_view("")
                                         : std::string_view(cell.as.bytes, cell.size));
    } else {
      return false;
    }
  }
  return true;
}

}  // namespace

std::shared_ptr<const records::RecordService> TablesInterface::record_service() const {
  const auto declared = model();
  const std::lock_guard lock(mutex_);
  if (!record_service_) {
    const BridgeServices& services = bridge_.services();
    // This object owns the service; its hooks must not own the bridge.
    std::shared_ptr<records::Hooks> hooks(std::shared_ptr<void>(),
                                          const_cast<TablesInterface*>(this));
    record_service_ = std::make_shared<const records::RecordService>(
        records::RecordService::Parts{bridge_.plugin_id(), bridge_.database().get(),
                                      *services.permissions, *services.users, *services.blobs,
                                      *services.uploads, has_hooks() ? std::move(hooks) : nullptr},
        declared);
  }
  return record_service_;
}

void TablesInterface::declare(std::shared_ptr<const records::Model> model) {
  const std::lock_guard lock(mutex_);
  model_ = std::move(model);
}

std::shared_ptr<const records::Model> TablesInterface::model() const {
  const std::lock_guard lock(mutex_);
  if (!model_) throw base::Error(503, "plugins.wrong_state", "The tables are not declared yet.");
  return model_;
}

TablesInterface::Actor TablesInterface::resolve(const tenon_tables_actor* actor) {
  const auto refuse = [](const char* what) -> base::Error {
    return {500, "plugins.invalid_argument", what};
  };
  if (!actor || actor->size < TENON_NEED(tenon_tables_actor, user))
    throw refuse("The actor is NULL or too small.");
  const tenon_tables_actor known = copy_in(actor);
  if ((known.flags & ~TENON_TABLES_AS_SYSTEM) != 0)
    throw refuse("There are flags that this host does not know.");
  if (!is_sound(known.user) || (known.source != 0 && known.user.size != 0))
    throw refuse("A user is a span with data, and excludes a source.");
  const bool enforce_rules = (known.flags & TENON_TABLES_AS_SYSTEM) == 0;
  const identity::Permissions& permissions = *bridge_.services().permissions;
  if (known.source != 0) {
    if (auto open = writes_.pin(known.source)) {
      const std::lock_guard lock(open->mutex);
      if (open->running) return {open->running->write.context, enforce_rules};
    } else if (const CallRef call = bridge_.http().find(known.source)) {
      return {records::context_of(routing::context(*call->exchange).principal, permissions),
              enforce_rules};
    }
    throw base::Error(500, "plugins.stale_handle", "The request or write has ended.");
  }
  if (known.user.size == 0) return {records::context_of(nullptr, permissions), enforce_rules};
  if (!Frame::may_block())
    throw base::Error(503, "plugins.wrong_state",
                      "A user cannot be looked up here; name the request or the write.");
  auto principal = bridge_.services().users->principal(view(known.user));
  if (!principal)
    throw base::Error(403, "identity.unknown_user", "There is no such user, or it is disabled.");
  return {records::context_of(std::make_shared<const identity::Principal>(*std::move(principal)),
                              permissions),
          enforce_rules};
}

tenon_code TablesInterface::read(const tenon_tables_actor* actor, tenon_handle transaction,
                                 Sink sink, tenon_error* error, const Read& work) {
  if (!sink || !sink->fn) return fail_argument(error, "The sink is NULL or has no function.");
  return reporting_problem(sink, error, [&]() -> tenon_code {
    const Actor asking = resolve(actor);
    data::JsonText text;
    tenon_code code = TENON_OK;
    if (transaction == TENON_DB_AUTOCOMMIT) {
      work(asking, nullptr, text);
    } else {
      code = bridge_.db().use(transaction, error, [&](OpenTransaction& open) {
        work(asking, &*open.transaction, text);
        return TENON_OK;
      });
    }
    if (code == TENON_OK) give(sink, text.view());
    return code;
  });
}

tenon_code TablesInterface::write(const tenon_tables_actor* actor, tenon_handle transaction,
                                  Sink sink, tenon_error* error, const Write& work) {
  return reporting_problem(sink, error, [&]() -> tenon_code {
    const Actor asking = resolve(actor);
    std::string record;
    tenon_code code = TENON_OK;
    if (transaction == TENON_DB_AUTOCOMMIT) {
      record = work(asking, nullptr);
    } else {
      code = bridge_.db().use(transaction, error, [&](OpenTransaction& open) {
        const records::TransactionScope within{
            *open.transaction, open.ended,
            open.is_in_callback ? records::RunHooks::no : records::RunHooks::yes};
        try {
          record = work(asking, &within);
        } catch (...) {
          open.failure = std::current_exception();
          throw;
        }
        return TENON_OK;
      });
    }
    if (code == TENON_OK && !record.empty()) give(sink, record);
    return code;
  });
}

tenon_code TablesInterface::get(const tenon_tables_actor* actor, tenon_handle transaction,
                                tenon_span name, tenon_span id, Sink sink, tenon_error* error) {
  if (!is_sound(name) || !is_sound(id)) return fail_argument(error, no_record_span);
  return read(actor, transaction, sink, error, [&](const Actor& asking, auto* within, auto& text) {
    record_service()->show({view(name), asking.enforce_rules, asking.context}, view(id), within,
                           text);
  });
}

tenon_code TablesInterface::list(const tenon_tables_actor* actor, tenon_handle transaction,
                                 const tenon_tables_query* query, Sink sink, tenon_error* error) {
  if (!query || query->size < TENON_NEED(tenon_tables_query, table))
    return fail_argument(error, "The query is NULL or too small.");
  const tenon_tables_query known = copy_in(query);
  if ((known.flags & ~TENON_TABLES_COUNT) != 0)
    return fail_argument(error, "There are flags that this host does not know.");
  for (const tenon_span text : std::array{known.table, known.filter, known.search, known.sort,
                                          known.fields, known.expand, known.cursor}) {
    if (!is_sound(text)) return fail_argument(error, no_record_span);
    if (text.size > max_text_bytes)
      return fail(error, TENON_E_TOO_LARGE, 413, "records.bad_query",
                  "A text of the query has more than 64 KiB.");
  }
  if (known.value_count > records::max_filter_values)
    return fail(error, TENON_E_TOO_LARGE, 413, "records.bad_query",
                "A filter has at most 100 values.");
  std::vector<data::Cell> values;
  if (!read_values(known.values, known.value_count, values))
    return fail_argument(error, "A value has an unknown type, or a size and no bytes.");
  const records::Listing listing{.filter = view(known.filter),
                                 .values = values,
                                 .search = view(known.search),
                                 .sort = view(known.sort),
                                 .fields = view(known.fields),
                                 .expand = view(known.expand),
                                 .cursor = view(known.cursor),
                                 .limit = known.limit,
                                 .is_counted = (known.flags & TENON_TABLES_COUNT) != 0};
  return read(actor, transaction, sink, error, [&](const Actor& asking, auto* within, auto& text) {
    record_service()->list({view(known.table), asking.enforce_rules, asking.context}, listing,
                           within, text);
  });
}

tenon_code TablesInterface::search(const tenon_tables_actor* actor, tenon_handle transaction,
                                   const tenon_search_query* query, Sink sink, tenon_error* error) {
  if (!query || query->size < TENON_NEED(tenon_search_query, text))
    return fail_argument(error, "The query is NULL or too small.");
  const tenon_search_query known = copy_in(query);
  if (known.flags != 0)
    return fail_argument(error, "There are flags that this host does not know.");
  if (!is_sound(known.text) || (known.table_count != 0 && !known.tables))
    return fail_argument(error, no_record_span);
  if (!base::is_valid_utf8(view(known.text)))
    return fail_argument(error, "The search text is not valid UTF-8.");
  if (known.table_count > data::schema::max_tables)
    return fail(error, TENON_E_TOO_LARGE, 413, "records.bad_query",
                "There are more tables than a plugin can have.");
  std::vector<std::string_view> tables;
  for (std::uint32_t i = 0; i < known.table_count; ++i) {
    if (!is_sound(known.tables[i])) return fail_argument(error, no_record_span);
    tables.push_back(view(known.tables[i]));
  }
  return read(actor, transaction, sink, error, [&](const Actor& asking, auto* within, auto& text) {
    record_service()->search({tables, view(known.text), known.limit}, asking.enforce_rules,
                             asking.context, within, text);
  });
}

tenon_code TablesInterface::insert(const tenon_tables_actor* actor, tenon_handle transaction,
                                   tenon_span name, tenon_span record, Sink sink,
                                   tenon_error* error) {
  if (!is_sound(name) || !is_sound(record)) return fail_argument(error, no_record_span);
  return write(actor, transaction, sink, error, [&](const Actor& asking, auto* within) {
    return record_service()->create({view(name), asking.enforce_rules, asking.context},
                                    view(record), within);
  });
}

tenon_code TablesInterface::update(const tenon_tables_actor* actor, tenon_handle transaction,
                                   tenon_span name, tenon_span id, tenon_span fields,
                                   tenon_span if_match, Sink sink, tenon_error* error) {
  if (!is_sound(name) || !is_sound(id) || !is_sound(fields) || !is_sound(if_match))
    return fail_argument(error, no_record_span);
  return write(actor, transaction, sink, error, [&](const Actor& asking, auto* within) {
    return record_service()->update({view(name), asking.enforce_rules, asking.context}, view(id),
                                    view(fields), view(if_match), within);
  });
}

tenon_code TablesInterface::remove(const tenon_tables_actor* actor, tenon_handle transaction,
                                   tenon_span name, tenon_span id, tenon_span if_match, Sink sink,
                                   tenon_error* error) {
  if (!is_sound(name) || !is_sound(id) || !is_sound(if_match))
    return fail_argument(error, no_record_span);
  return write(actor, transaction, sink, error, [&](const Actor& asking, auto* within) {
    record_service()->remove({view(name), asking.enforce_rules, asking.context}, view(id),
                             view(if_match), within);
    return std::string();
  });
}

}  // namespace tenon::plugins
