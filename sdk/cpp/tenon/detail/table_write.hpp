#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <tenon/columns.hpp>
#include <tenon/database.hpp>
#include <tenon/detail/table_errors.hpp>

namespace tenon::detail {

template <class T>
inline constexpr bool is_change = false;
template <class T>
inline constexpr bool is_change<Change<T>> = true;

/// What is to be written of a member of a New or Patch: null where nothing is.
template <class M>
const auto* written(const M& member) {
  if constexpr (is_change<M>) {
    return member.is_set() ? &member.value() : nullptr;
  } else if constexpr (is_optional<M>) {
    return member ? &*member : nullptr;
  } else if constexpr (is_vector<M>) {
    return member.empty() ? nullptr : &member;
  } else {
    return &member;
  }
}

/// Names and values of an INSERT or UPDATE. Borrows from the record.
class Assigned {
 public:
  template <class V>
  void add(std::string_view column, const V& value) {
    names_.push_back(quoted(column));
    add_value(values_, value);
  }
  void add_text(std::string_view column, std::string text) {
    names_.push_back(quoted(column));
    values_.keep(std::move(text));
  }
  template <class T, class V>
  void add(const Column<T, V>& column, const auto& value) {
    add(column.name, value);
  }
  template <class T, class V>
  void add(const ListColumn<T, V>& column, const std::vector<V>& list) {
    if (!list.empty()) return add(column.name, list);
    if (column.is_required) throw missing(column.name);
    add(column.name, std::optional<std::string>());
  }
  template <class T, class V>
  void add(const LinkColumn<T, V>& column, const std::vector<V>& list) {
    if (list.empty() && column.is_required) throw missing(column.name);
  }

  bool empty() const noexcept { return names_.empty(); }
  Values& values() noexcept { return values_; }

  std::string insert_sql(std::string_view table) const {
    std::string names;
    std::string marks;
    for (const std::string& name : names_) {
      names.append(names.empty() ? "" : ", ").append(name);
      marks += marks.empty() ? "?" : ", ?";
    }
    return "INSERT INTO " + quoted(table) + " (" + names + ") VALUES (" + marks + ")";
  }
  std::string set_sql() const {
    std::string sql;
    for (const std::string& name : names_)
      sql.append(sql.empty() ? "" : ", ").append(name).append(" = ?");
    return sql;
  }

 private:
  std::vector<std::string> names_;
  Values values_;
};

inline std::int64_t run(Statements& db, std::string_view sql, const Values& values) {
  return db.exec(sql, values.arguments()).rows;
}

template <class T>
bool has_record(Statements& db, const Id<T>& id) {
  return !db.query("SELECT 1 FROM " + quoted(T::Info::table) + " WHERE \"id\" = ?", id.text())
              .empty();
}

/// Fields of the record that refer to an own table and lead nowhere: the host does not say which.
template <class T, class R>
std::vector<std::string> dangling(Statements& db, const R& record) {
  std::vector<std::string> fields;
  T::Info::visit_references(
      record, [&](std::string_view field, std::string_view target, const auto& member) {
        using M = std::remove_cvref_t<decltype(member)>;
        const auto* value = written(member);
        if (value == nullptr) return;
        const auto leads_nowhere = [&](const std::string& id) {
          return db.query("SELECT 1 FROM " + quoted(target) + " WHERE \"id\" = ?", id).empty();
        };
        if constexpr (is_vector<std::remove_cvref_t<decltype(*value)>>) {
          for (const auto& one : *value) {
            if (leads_nowhere(one.text())) return fields.emplace_back(field), void();
          }
        } else if constexpr (is_optional<std::remove_cvref_t<decltype(*value)>>) {
          if (*value && leads_nowhere((*value)->text())) fields.emplace_back(field);
        } else {
          static_assert(!std::is_void_v<M>);
          if (leads_nowhere(value->text())) fields.emplace_back(field);
        }
      });
  return fields;
}

/// Runs a change; what the host says of a constraint names the fields.
template <class T, class R, class F>
auto naming_fields(Statements& db, const R& record, const F& change) {
  try {
    return change();
  } catch (const Error& error) {
    if (error.code() != "data.reference") throw in_words(error);
    std::vector<std::string> fields;
    try {
      fields = dangling<T>(db, record);
    } catch (const Error&) {
      // The first failure is the one to tell.
    }
    throw in_words(error, std::move(fields));
  }
}

template <class T, class V>
void write_links(Statements& db, const LinkColumn<T, V>& column, const Id<T>& id,
                 const std::vector<V>& list) {
  const std::string insert = "INSERT INTO " + quoted(column.link_table) +
                             " (\"record\", \"target\", \"position\") VALUES (?, ?, ?)";
  for (std::size_t i = 0; i < list.size(); ++i) {
    for (std::size_t before = 0; before < i; ++before) {
      if (list[before] == list[i]) {
        throw Error(422, "data.duplicate", "A value stands twice.",
                    {{std::string(column.name), "duplicate", "A value stands twice."}});
      }
    }
    db.exec(insert, id.text(), list[i].text(), i);
  }
}

/// Writes the links of a record; those that were there first go where `is_new` is false.
template <class T, class R>
void write_all_links(Statements& db, const Id<T>& id, const R& record, bool is_new) {
  T::Info::visit_fields(record, [&](const auto& column, const auto& member) {
    using Kind = std::remove_cvref_t<decltype(column)>;
    if constexpr (requires(Kind kind) { kind.link_table; }) {
      const auto* list = written(member);
      if (list == nullptr) return;
      if (!is_new)
        db.exec("DELETE FROM " + quoted(column.link_table) + " WHERE \"record\" = ?", id.text());
      write_links(db, column, id, *list);
    }
  });
}

template <class R>
void assign(Assigned& to, const auto& column, const R& member) {
  if (const auto* value = written(member); value != nullptr) {
    to.add(column, *value);
  } else if constexpr (is_vector<R>) {
    // An empty list of a new record: what is required must not be.
    if (column.is_required) throw missing(column.name);
  }
}

template <class T>
Id<T> insert_record(Statements& db, const typename T::New& record,
                    const std::optional<UserId>& by) {
  const Id<T> id = record.id ? *record.id : Id<T>::make();
  Assigned columns;
  columns.add("id", id);
  T::Info::visit_fields(
      record, [&](const auto& column, const auto& member) { assign(columns, column, member); });
  if constexpr (T::Info::has_timestamps) {
    const std::string now = now_text();
    columns.add_text("created", now);
    columns.add_text("updated", now);
  }
  if constexpr (T::Info::has_authorship) {
    columns.add("created_by", by);
    columns.add("updated_by", by);
  }
  naming_fields<T>(db, record, [&] {
    run(db, columns.insert_sql(T::Info::table), columns.values());
    write_all_links<T>(db, id, record, true);
  });
  return id;
}

template <class T>
bool update_record(Statements& db, const Id<T>& id, const typename T::Patch& patch,
                   const std::optional<UserId>& by, std::optional<std::int64_t> version) {
  Assigned columns;
  T::Info::visit_fields(
      patch, [&](const auto& column, const auto& member) { assign(columns, column, member); });
  if constexpr (T::Info::has_timestamps) columns.add_text("updated", now_text());
  if constexpr (T::Info::has_authorship) columns.add("updated_by", by);
  std::string sets = columns.set_sql();
  if constexpr (T::Info::has_version)
    sets.append(sets.empty() ? "" : ", ").append("\"version\" = \"version\" + 1");
  return naming_fields<T>(db, patch, [&] {
    bool is_there = false;
    if (sets.empty()) {
      is_there = has_record(db, id);
    } else {
      std::string sql = "UPDATE " + quoted(T::Info::table) + " SET " + sets + " WHERE \"id\" = ?";
      columns.values().borrow(id.text());
      if (version) {
        sql += " AND \"version\" = ?";
        columns.values().add(*version);
      }
      is_there = run(db, sql, columns.values()) > 0;
      if (!is_there && version && has_record(db, id)) throw conflict();
    }
    if (is_there) write_all_links<T>(db, id, patch, false);
    return is_there;
  });
}

}  // namespace tenon::detail
