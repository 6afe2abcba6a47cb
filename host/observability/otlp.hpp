#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "observability/trace.hpp"

namespace tenon::observability {

/// Appends one ExportTraceServiceRequest of OpenTelemetry's protocol in its JSON form (OTLP 1.x) in
/// one line without a line feed. Attributes have the names of OpenTelemetry's semantic conventions;
/// there is no query, no header, no person and no value of a statement in them.
void append_otlp(std::string& out, std::span<const std::unique_ptr<Trace>> traces,
                 std::string_view version);

}  // namespace tenon::observability
