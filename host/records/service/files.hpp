#pragma once

#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "blobs/blobs.hpp"
#include "data/transaction.hpp"
#include "expression/context.hpp"
#include "records/api/body.hpp"
#include "records/model/table_context.hpp"

namespace tenon::records {

/// Claims of blobs that a change makes or ends. Claims are in the host's database, records in the
/// plugin's. So a claim is made before the change and ended after it. The change stores in its own
/// transaction, in the table tenon_files, which claims belong to the record. A failure between
/// these steps leaves a claim too many, never one too few.
class UploadClaims {
 public:
  explicit UploadClaims(const TableContext& table_context)
      : blobs_(*table_context.blobs), plugin_(table_context.plugin) {}
  /// Ends every claim that is still here.
  ~UploadClaims() { blobs_.release_later(plugin_, std::move(claims_)); }
  UploadClaims(const UploadClaims&) = delete;
  UploadClaims& operator=(const UploadClaims&) = delete;

  /// Claims what the body's uploads became, and completes their references; appends to its errors
  /// what they are not allowed to be. Blocks on the disk.
  void take(Body& body, const TableContext& table_context, const expression::Context& context);
  /// The change is on disk: what it keeps stays claimed, what it ended goes.
  void complete(const std::vector<std::string>& kept, std::vector<blobs::Blobs::Claim> ended);
  /// Keeps every claim: it is unknown what is on disk.
  void leave() noexcept { claims_.clear(); }

 private:
  void take(FileRef& file, const FieldModel& field, Body& body, const TableContext& table_context,
            const std::string& user);

  blobs::Blobs& blobs_;
  const std::string plugin_;
  std::vector<blobs::Blobs::Claim> claims_;
};

/// The files of records inside a write transaction. Borrows everything.
class RecordFiles {
 public:
  RecordFiles(const TableContext& table_context, data::Transaction& transaction)
      : table_context_(table_context), transaction_(transaction) {}

  /// Returns the stored value of the field: the new files, and those of the record that remain.
  /// Throws 422 records.validation.
  data::schema::Value store(std::string_view record, const Change& change, bool is_new);
  /// Ends the claims of a record that was deleted, and of those that went with it.
  void forget(std::string_view record);

  /// Keys of claims that records have now.
  const std::vector<std::string>& kept() const noexcept { return kept_; }
  std::vector<blobs::Blobs::Claim> take_ended() { return std::move(ended_); }
  /// These claims end with the change, too.
  void also_release(std::vector<blobs::Blobs::Claim> claims) {
    std::move(claims.begin(), claims.end(), std::back_inserter(ended_));
  }

 private:
  struct Row {
    std::string record;
    blobs::Blobs::Claim claim;
  };
  bool has_table();
  void ensure_table();
  std::vector<Row> rows(std::string_view where, const std::vector<data::Cell>& cells);
  void end(const Row& row, std::string_view table);
  std::vector<std::pair<std::string, std::string>> current(std::string_view record,
                                                           const FieldModel& field);

  const TableContext& table_context_;
  data::Transaction& transaction_;
  std::vector<std::string> kept_;
  std::vector<blobs::Blobs::Claim> ended_;
};

}  // namespace tenon::records
