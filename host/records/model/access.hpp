#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "expression/context.hpp"
#include "http/connection/exchange.hpp"
#include "identity/principal.hpp"
#include "records/model/model.hpp"

namespace tenon::identity {
class Permissions;
}

namespace tenon::records {

/// Returns the context of a request: its user and its time.
expression::Context context_of(const http::Exchange& exchange,
                               const identity::Permissions& permissions);

/// Returns the context of `principal` at the current time, without a request.
expression::Context context_of(const identity::PrincipalPtr& principal,
                               const identity::Permissions& permissions);

/// Returns how many records the `read` rule of a table lets this context see. Throws 401
/// identity.signed_out if the rule lets only signed-in users see anything. Throws 403
/// records.forbidden if there is no rule, or if a permission is missing without which nothing is
/// visible. A user who has the permission but is in no group, or is not the user that the rule
/// names, sees no records and gets no error.
Visibility seen_records(const std::optional<Rule>& rule, const expression::Context& context,
                        std::string_view what);

/// Throws 403 records.forbidden if the rule of the table lets this context do nothing to any
/// record; 401 identity.signed_out if no user is signed in.
void require_any(const std::optional<Rule>& rule, const expression::Context& context,
                 std::string_view what);

/// Whether a rule of the table lets this context do anything at all.
bool may_any(const std::optional<Rule>& rule, const expression::Context& context);

/// Whether the field's own rule lets the reader see it in every record.
bool is_seen_always(const FieldModel& field, const expression::Context& context);

/// Throws 400 records.field_not_allowed where a filter reads what its reader may not see: a field
/// with a rule that depends on the record, or a record of a table whose rule does.
void require_visible(const Rule& filter, const Model& model, const TableModel& table,
                     const expression::Context& context);

[[noreturn]] void refuse_field(std::string_view parameter, const std::string& field);
[[noreturn]] void refuse_forbidden(const expression::Context& context, std::string_view what);

}  // namespace tenon::records
