#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "data/copy/side.hpp"
#include "data/migrate/migrate.hpp"
#include "data_copy/data_copy.hpp"

namespace tenon::console {

/// One database of an installation: the host's, or a plugin's with what its folder declares.
struct DatabaseRef {
  std::string name;  ///< "core" or the plugin's id
  std::optional<data::Declaration> declaration;
};

/// 409 data.copy_refused
base::Error move_refused(const std::string& message);

/// The parts of the source, the host's first. Refuses an installation that is not there, and
/// plugins whose folder is missing, wrong, or of another version than their data.
std::vector<DatabaseRef> find_parts(const DataCopy& move);

/// A part of the source, to be read.
std::unique_ptr<data::copying::CopySource> open_source(const DataCopy& move, const DatabaseRef& part);
/// A part of the target; made where it is missing.
std::unique_ptr<data::copying::CopyTarget> open_target(const DataCopy& move, const DatabaseRef& part);
/// The same to be read, where it is there.
std::unique_ptr<data::copying::CopySource> look_at_target(const DataCopy& move, const DatabaseRef& part);

/// How the target's part is opened for work that is not copying.
data::DatabaseOptions target_options(const DataCopy& move, const DatabaseRef& part);

/// Names of the databases that the target has already; "core" for the host's.
std::vector<std::string> databases_of_target(const DataCopy& move);

/// Tells one installation from others.
std::string identity_of_source(const DataCopy& move);

}  // namespace tenon::console
