#include "observability/slow_log.hpp"

// Targets measure no statements, and the room that logs slow ones is left out.
void tenon::observability::note_statement(const StatementEvent&) noexcept {}
