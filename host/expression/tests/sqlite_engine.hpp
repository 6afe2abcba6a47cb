#pragma once

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "engines/tests/support.hpp"
#include "expression/tests/engine.hpp"

namespace tenon::expression::test {

/// A file of SQLite, whose queries run confined as a plugin's.
class SqliteEngine : public TestEngine {
 public:
  Dialect dialect() const override { return Dialect::sqlite; }

  void run(const std::string& sql, data::Cells cells) override {
    if (!host_) {
      reader_.reset();
      host_ = std::make_unique<data::Database>(data::test::host_file(path()));
      writing_.emplace(host_->begin(data::Mode::write));
    }
    writing_->exec(sql, cells);
  }

  std::vector<Value> column(const std::string& sql, data::Cells cells, Type) override {
    std::vector<Value> values;
    try {
      read(sql, cells, values);
    } catch (const data::SqlError& error) {
      // The engine's own words are not in the public message.
      throw std::runtime_error(error.detail() + "\n" + sql);
    }
    return values;
  }

  data::Database& reader() {
    if (!reader_) {
      if (writing_) writing_->commit();
      writing_.reset();
      host_.reset();
      reader_ = std::make_unique<data::Database>(data::test::plugin_file(path()));
    }
    return *reader_;
  }

  std::string path() const { return folder_.file("expression.db"); }

 private:
  void read(const std::string& sql, data::Cells cells, std::vector<Value>& values) {
    auto rows = reader().query(sql, cells);
    while (rows.next()) {
      switch (rows.kind(0)) {
        case data::CellKind::integer:
          values.emplace_back(rows.integer(0));
          break;
        case data::CellKind::number:
          values.emplace_back(rows.number(0));
          break;
        case data::CellKind::text:
          values.emplace_back(std::string(rows.text(0)));
          break;
        default:
          values.emplace_back();
      }
    }
  }

  data::test::Folder folder_;
  std::unique_ptr<data::Database> host_;
  std::optional<data::Transaction> writing_;
  std::unique_ptr<data::Database> reader_;
};

}  // namespace tenon::expression::test
