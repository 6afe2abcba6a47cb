#pragma once

#include <string>
#include <vector>

#include "records/api/body.hpp"
#include "records/api/key.hpp"

namespace tenon::records {

class Writer;

/// Changes of one table that are made together or not at all.
struct Batch {
  std::vector<Body> create;
  std::vector<Body> update;  ///< `id` says which
  std::vector<Body> upsert;  ///< each by `key`
  std::vector<std::string> remove;
  UpsertKey key;
};

/// Reads {"create":[…],"update":[…],"upsert":[…],"delete":["id",…]}. `key` is of the upserts; null:
/// there must be none. Throws 400 records.bad_body, 422
/// records.validation with fields like "create/3/title".
Batch read_batch(const TableModel& table, const base::JsonSlice& json, const UpsertKey* key);

/// Creates, updates, upserts, deletes, in this order, and stops at the first that fails, whose
/// error names it: "update/0". Returns the changed records as JSON.
std::string run_batch(const Batch& batch, Writer& writer);

}  // namespace tenon::records
