#include "bridge/abi_error.hpp"
#include "bridge/bridge.hpp"
#include "bridge/db/db_interface.hpp"
#include "bridge/frame.hpp"
#include "bridge/tables/tables_interface.hpp"

namespace tenon::plugins {

/// The functions of the ABI table. Each finds the interface of the host, checks the state, and
/// catches every exception.
struct TablesFunctions {
  template <typename Body>
  static tenon_code with(const tenon_host* host, tenon_error* error, Body&& body) noexcept {
    Bridge* bridge = Bridge::of(host);
    if (!bridge) return fail_argument(error, "The host is NULL.");
    return guarded(error, [&] { return body(*bridge); });
  }
  // `add` registers a copy of the callback, which is dropped where it is not taken.
  template <typename Callback, typename Add>
  static tenon_code registering(const tenon_host* host, const Callback* callback,
                                tenon_error* error, Add&& add) noexcept {
    if (!callback) return fail_argument(error, "The callback is NULL.");
    Callback taken = *callback;
    const tenon_code code = with(host, error, [&](Bridge& bridge) -> tenon_code {
      if (!bridge.is_setting_up() || bridge.phase() != Phase::created)
        return fail_state(error, "Callbacks are registered inside create, on its thread.");
      return add(bridge.tables(), taken);
    });
    if (code < 0) drop(taken);
    return code;
  }
  template <typename Body>
  static tenon_code in_life(const tenon_host* host, tenon_error* error, Body&& body) noexcept {
    return with(host, error, [&](Bridge& bridge) -> tenon_code {
      if (!bridge.is_in(Phase::starting, Phase::quiescing))
        return fail_state(error, "Records can be used while starting, active or quiescing.");
      return body(bridge.tables());
    });
  }
  template <typename Body>
  static tenon_code reaching(const tenon_host* host, tenon_handle transaction, tenon_error* error,
                             Body&& body) noexcept {
    return in_life(host, error, [&](TablesInterface& tables) -> tenon_code {
      if (!DbInterface::is_borrowed_here(transaction) && !Frame::may_block())
        return fail_state(error,
                          "Inline routes, queued writes and callbacks before a write must not wait "
                          "for the database; these may use their own transaction.");
      return body(tables);
    });
  }

  static tenon_code before_write(const tenon_host* host, tenon_span table, std::uint32_t operations,
                                 const tenon_tables_before* before, tenon_error* error) noexcept {
    return registering(host, before, error, [&](TablesInterface& tables, auto& taken) {
      return tables.before_write(table, operations, taken, error);
    });
  }
  static tenon_code after_write(const tenon_host* host, tenon_span table,
                                const tenon_tables_after* after, tenon_error* error) noexcept {
    return registering(host, after, error, [&](TablesInterface& tables, auto& taken) {
      return tables.after_write(table, taken, error);
    });
  }
  static tenon_code extend(const tenon_host* host, tenon_span table,
                           const tenon_tables_extender* extender, tenon_error* error) noexcept {
    return registering(host, extender, error, [&](TablesInterface& tables, auto& taken) {
      return tables.extend(table, taken, error);
    });
  }
  static tenon_code set(const tenon_host* host, tenon_handle write, tenon_span fields,
                        tenon_error* error) noexcept {
    return in_life(host, error,
                   [&](TablesInterface& tables) { return tables.set(write, fields, error); });
  }
  static tenon_code refuse(const tenon_host* host, tenon_handle write, tenon_span field,
                           tenon_span code, tenon_span message) noexcept {
    return in_life(host, nullptr, [&](TablesInterface& tables) {
      return tables.refuse(write, field, code, message);
    });
  }
  static tenon_code add(const tenon_host* host, tenon_handle page, std::uint32_t index,
                        tenon_span extra, tenon_error* error) noexcept {
    return in_life(host, error,
                   [&](TablesInterface& tables) { return tables.add(page, index, extra, error); });
  }
  static tenon_code get(const tenon_host* host, const tenon_tables_actor* actor,
                        tenon_handle transaction, tenon_span table, tenon_span id,
                        const tenon_text_sink* sink, tenon_error* error) noexcept {
    return reaching(host, transaction, error, [&](TablesInterface& tables) {
      return tables.get(actor, transaction, table, id, sink, error);
    });
  }
  static tenon_code list(const tenon_host* host, const tenon_tables_actor* actor,
                         tenon_handle transaction, const tenon_tables_query* query,
                         const tenon_text_sink* sink, tenon_error* error) noexcept {
    return reaching(host, transaction, error, [&](TablesInterface& tables) {
      return tables.list(actor, transaction, query, sink, error);
    });
  }
  static tenon_code insert(const tenon_host* host, const tenon_tables_actor* actor,
                           tenon_handle transaction, tenon_span table, tenon_span record,
                           const tenon_text_sink* sink, tenon_error* error) noexcept {
    return reaching(host, transaction, error, [&](TablesInterface& tables) {
      return tables.insert(actor, transaction, table, record, sink, error);
    });
  }
  static tenon_code update(const tenon_host* host, const tenon_tables_actor* actor,
                           tenon_handle transaction, tenon_span table, tenon_span id,
                           tenon_span fields, tenon_span if_match, const tenon_text_sink* sink,
                           tenon_error* error) noexcept {
    return reaching(host, transaction, error, [&](TablesInterface& tables) {
      return tables.update(actor, transaction, table, id, fields, if_match, sink, error);
    });
  }
  static tenon_code remove(const tenon_host* host, const tenon_tables_actor* actor,
                           tenon_handle transaction, tenon_span table, tenon_span id,
                           tenon_span if_match, const tenon_text_sink* sink,
                           tenon_error* error) noexcept {
    return reaching(host, transaction, error, [&](TablesInterface& tables) {
      return tables.remove(actor, transaction, table, id, if_match, sink, error);
    });
  }
};

const tenon_tables TablesInterface::table = {
    sizeof(tenon_tables),           0,
    &TablesFunctions::before_write, &TablesFunctions::after_write,
    &TablesFunctions::extend,       &TablesFunctions::set,
    &TablesFunctions::refuse,       &TablesFunctions::add,
    &TablesFunctions::get,          &TablesFunctions::list,
    &TablesFunctions::insert,       &TablesFunctions::update,
    &TablesFunctions::remove};

}  // namespace tenon::plugins
