#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error_fwd.hpp"
#include "data/copy/copy_source.hpp"
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

/// Returns the parts of the source, the host's first. Refuses a missing installation, and plugins
/// whose folder is missing, wrong, or of another version than their data.
std::vector<DatabaseRef> find_parts(const DataCopy& move);

/// Opens a part of the source to be read.
std::unique_ptr<data::copying::CopySource> open_source(const DataCopy& move,
                                                       const DatabaseRef& part);
/// Opens a part of the target; made if it is missing.
std::unique_ptr<data::copying::CopyTarget> open_target(const DataCopy& move,
                                                       const DatabaseRef& part);
/// Opens a part of the target to be read; null if it is missing.
std::unique_ptr<data::copying::CopySource> look_at_target(const DataCopy& move,
                                                          const DatabaseRef& part);

/// Returns the options to open the target's part for work other than copying.
data::DatabaseOptions target_options(const DataCopy& move, const DatabaseRef& part);

/// Returns the names of the databases that the target has already; "core" for the host's.
std::vector<std::string> databases_of_target(const DataCopy& move);

/// Returns the identity of the source's installation.
std::string identity_of_source(const DataCopy& move);

}  // namespace tenon::console
