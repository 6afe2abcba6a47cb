#pragma once

#include <string>

#include "jobs/job.hpp"

namespace tenon::jobs {

/// The data of an event of the topic of jobs, as JSON.
std::string event_of(const Job& job, const Progress& progress);

}  // namespace tenon::jobs
