#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "expression/context.hpp"
#include "http/exchange.hpp"
#include "identity/principal.hpp"
#include "records/model.hpp"

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

/// What a rule of the table is for this context: true where it lets everything, so that it need not
/// be asked; false where the record decides. Throws 403 records.forbidden where it lets nothing,
/// 401 identity.signed_out where nobody is signed in.
bool lets_all(const std::optional<Rule>& rule, const expression::Context& context,
              std::string_view what);

/// Whether a rule of the table lets this context do anything at all.
bool lets_some(const std::optional<Rule>& rule, const expression::Context& context);

/// Whether the field's own rule lets the reader see it in every record.
bool is_seen_always(const FieldModel& field, const expression::Context& context);

/// Throws 400 records.field_not_allowed where a filter reads what its reader may not see: a field
/// with a rule that depends on the record, or a record of a table whose rule does.
void require_visible(const Rule& filter, const Model& model, const TableModel& table,
                     const expression::Context& context);

[[noreturn]] void refuse_field(std::string_view parameter, const std::string& field);
[[noreturn]] void refuse_forbidden(const expression::Context& context, std::string_view what);

}  // namespace tenon::records
