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

/// Who asks, and when.
expression::Context context_of(const http::Exchange& exchange,
                               const identity::Permissions& permissions);

/// The same of somebody without a request, now.
expression::Context context_of(const identity::PrincipalPtr& principal,
                               const identity::Permissions& permissions);

/// What the `read` rule of a table lets this context see. Throws 401 identity.signed_out where it
/// lets nobody see anything who is not signed in, 403 records.forbidden where there is no rule, or
/// a permission is missing without which nothing is seen. Who holds it, and is in no group or is
/// not the user that the rule names, sees none of the records and is not refused.
Visibility seen_records(const std::optional<Rule>& rule, const expression::Context& context,
                        std::string_view what);

/// Throws 403 records.forbidden where the rule of the table lets this context do nothing, whatever
/// the record; 401 identity.signed_out where nobody is signed in.
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
