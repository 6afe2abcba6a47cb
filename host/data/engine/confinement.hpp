#pragma once

#include "data/limits.hpp"

namespace tenon::data {

/// The rights of the SQL that a database runs: that of the host or that of a plugin. Both kinds are
/// opened defensively, without loadable extensions, with an untrusted schema, and one file each.
struct Confinement {
  /// The host's own statements: schema changes and reading pragmas are allowed, ATTACH is not.
  /// False for a plugin: only SELECT, INSERT, UPDATE and DELETE on its own tables. Denied: ATTACH,
  /// PRAGMA (and pragma_… tables), BEGIN/COMMIT/SAVEPOINT (the host runs them), schema changes
  /// outside migrations, temporary objects, load_extension, raw page tables, and writing tables
  /// named tenon_….
  bool trusted = false;
  StatementLimits limits;

  static Confinement host() {
    Confinement confinement;
    confinement.trusted = true;
    return confinement;
  }
  static Confinement plugin() { return {}; }
};

}  // namespace tenon::data
