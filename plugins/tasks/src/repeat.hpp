#pragma once

#include <tenon/field_types.hpp>
#include <tenon/jobs.hpp>

#include "tasks_tables.hpp"

namespace tasks {

/// The day after `day` on which a card that repeats like this comes again. A day that a
/// month lacks becomes the last day of that month.
tenon::Date next_day(tenon::Date day, tables::CardsRepeat repeat);

/// Makes the copies of all cards whose day has come; each card is a transaction, so that it may run
/// again or concurrently. `today` is in UTC.
void repeat_cards(tenon::Database& db, tenon::Date today, const tenon::JobRun& run);

}  // namespace tasks
