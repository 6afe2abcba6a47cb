#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <tenon/search.h>
#include <tenon/tables.h>

#include "base/error.hpp"
#include "bridge/handle_table.hpp"
#include "bridge/tables/change_consumer.hpp"
#include "records/model/hooks.hpp"
#include "records/service/record_service.hpp"
#include "schema/tables.hpp"

namespace tenon::plugins {

class BoundedThread;
class Bridge;

/// A write that a callback is asked about, by number. `running` is null once the callback returned.
struct OpenWrite {
  struct Running {
    const records::PendingWrite& write;
    const records::TableModel& whole;
    std::vector<records::Change> changes;
    std::vector<base::FieldError> refused;
  };
  std::mutex mutex;
  Running* running = nullptr;

  bool finish() noexcept { return std::exchange(running, nullptr) != nullptr; }
};

/// A page that a callback adds to, by number. `extras` is null once the callback returned.
struct OpenPage {
  std::mutex mutex;
  std::vector<std::string>* extras = nullptr;  ///< one a record, JSON; empty: none

  bool finish() noexcept { return std::exchange(extras, nullptr) != nullptr; }
};

/// tenon.tables/1 of one activation: its callbacks, and its records as requests see them.
class TablesInterface final : public records::Hooks {
 public:
  static constexpr std::uint32_t max_open = 1'024;  ///< callbacks of a kind at once: 503
  /// Callbacks before a write that did not return in time and still run. At this number no other
  /// starts: 503.
  static constexpr std::uint32_t max_late_befores = 4;

  static const tenon_tables table;

  explicit TablesInterface(Bridge& bridge);
  ~TablesInterface() override;

  /// Sets the declared tables.
  void declare(std::shared_ptr<const records::Model> model);
  /// Returns the declared tables; throws 503 before declare().
  std::shared_ptr<const records::Model> model() const;
  /// Throws Refusal "plugins.callback_unknown_table" for a callback of a table that is not
  /// declared, or not published where it has to be.
  void check(const data::schema::Tables& tables) const;
  /// Returns the records of the plugin's tables for its own code. This object owns the plugin's
  /// callbacks that it calls. Throws 503 "plugins.wrong_state" before declare().
  std::shared_ptr<const records::RecordService> record_service() const;
  bool has_hooks() const noexcept { return !befores_.empty() || !extenders_.empty(); }
  /// Returns the consumer that delivers changes to the plugin; null if the plugin wants none.
  std::unique_ptr<ChangeConsumer> make_consumer();
  void drop_callbacks() noexcept;

  bool has_before(std::string_view name,
                  records::RecordOperation operation) const noexcept override;
  bool has_extender(std::string_view name) const noexcept override;
  const records::TableModel& unrestricted(std::string_view name) const override;
  records::HookResult before(const records::PendingWrite& write,
                             data::Transaction& transaction) override;
  void extend(const records::TableModel& of, const expression::Context& context,
              std::string_view records, data::JsonText& text) override;

 private:
  struct Before {
    std::uint32_t operations = 0;
    tenon_tables_before callback{};
  };
  struct Actor {
    expression::Context context;
    bool enforce_rules = true;
  };
  struct BeforeCall;
  using Sink = const tenon_text_sink*;

  static std::uint32_t operation_of(records::RecordOperation operation) noexcept;

  tenon_code before_write(tenon_span name, std::uint32_t operations, tenon_tables_before& before,
                          tenon_error* error);
  tenon_code after_write(tenon_span name, tenon_tables_after& after, tenon_error* error);
  tenon_code extend(tenon_span name, tenon_tables_extender& extender, tenon_error* error);
  tenon_code set(tenon_handle write, tenon_span fields, tenon_error* error);
  tenon_code refuse(tenon_handle write, tenon_span field, tenon_span code, tenon_span message);
  tenon_code add(tenon_handle page, std::uint32_t index, tenon_span extra, tenon_error* error);
  tenon_code get(const tenon_tables_actor* actor, tenon_handle transaction, tenon_span name,
                 tenon_span id, Sink sink, tenon_error* error);
  tenon_code list(const tenon_tables_actor* actor, tenon_handle transaction,
                  const tenon_tables_query* query, Sink sink, tenon_error* error);
  tenon_code insert(const tenon_tables_actor* actor, tenon_handle transaction, tenon_span name,
                    tenon_span record, Sink sink, tenon_error* error);
  tenon_code update(const tenon_tables_actor* actor, tenon_handle transaction, tenon_span name,
                    tenon_span id, tenon_span fields, tenon_span if_match, Sink sink,
                    tenon_error* error);
  tenon_code remove(const tenon_tables_actor* actor, tenon_handle transaction, tenon_span name,
                    tenon_span id, tenon_span if_match, Sink sink, tenon_error* error);

  tenon_code search(const tenon_tables_actor* actor, tenon_handle transaction,
                    const tenon_search_query* query, Sink sink, tenon_error* error);

  using Read = std::function<void(const Actor&, data::Transaction* within, data::JsonText& text)>;
  using Write = std::function<std::string(const Actor&, const records::TransactionScope* within)>;
  /// Reads for an actor in a transaction and passes the text to the sink.
  tenon_code read(const tenon_tables_actor* actor, tenon_handle transaction, Sink sink,
                  tenon_error* error, const Read& work);
  /// Writes for an actor in a transaction and passes the record to the sink. If the write fails,
  /// the given transaction can only be rolled back.
  tenon_code write(const tenon_tables_actor* actor, tenon_handle transaction, Sink sink,
                   tenon_error* error, const Write& work);
  Actor resolve(const tenon_tables_actor* actor);
  void run(const std::shared_ptr<BeforeCall>& call);
  bool deliver(const std::string& name, const std::vector<DeliveredChange>& changes);
  tenon_code add_extras(const records::TableModel& of, const expression::Context& context,
                        const std::vector<std::string_view>& records,
                        std::vector<std::string>& extras);

  Bridge& bridge_;
  // These grow in create only.
  std::map<std::string, Before, std::less<>> befores_;
  std::map<std::string, tenon_tables_after, std::less<>> afters_;
  std::map<std::string, tenon_tables_extender, std::less<>> extenders_;
  HandleTable<OpenWrite> writes_;
  HandleTable<OpenPage> pages_;
  mutable std::mutex mutex_;
  std::shared_ptr<const records::Model> model_;
  mutable std::shared_ptr<const records::RecordService> record_service_;
  std::unique_ptr<BoundedThread> before_thread_;  ///< runs callbacks before writes; null: in use
  std::uint32_t late_befores_ = 0;

  friend struct SearchFunctions;
  friend struct TablesFunctions;
};

}  // namespace tenon::plugins
