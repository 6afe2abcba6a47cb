#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tenon::data::schema {

/// Bounds on a tables.json.
inline constexpr std::size_t max_tables = 100;
inline constexpr std::size_t max_fields = 200;  ///< of one table
inline constexpr std::size_t max_indexes = 40;  ///< of one table
inline constexpr std::size_t max_index_fields = 8;
inline constexpr std::size_t max_choices = 200;
inline constexpr std::size_t max_choice_length = 100;  ///< characters
inline constexpr std::size_t max_name_length = 48;
inline constexpr std::size_t max_description_length = 2000;  ///< characters
inline constexpr std::size_t max_pattern_length = 500;
inline constexpr std::size_t max_message_length = 200;  ///< characters
inline constexpr std::int64_t max_text_length =
    16 * 1024 * 1024;                                ///< characters, the most that `max` may say
inline constexpr std::size_t max_former_names = 20;  ///< of one table or field
inline constexpr std::size_t max_expression_bytes = 4096;  ///< of a rule, of a computed field
inline constexpr std::int64_t max_search_weight = 100;
inline constexpr std::size_t max_blob_types = 50;
inline constexpr std::size_t max_blob_type_length = 127;
inline constexpr std::int64_t default_blob_bytes = 25 * 1024 * 1024;
inline constexpr std::int64_t max_blob_bytes =
    16LL * 1024 * 1024 * 1024;  ///< the most that `max_bytes` may say

enum class FieldType : std::uint8_t {
  text,
  integer,
  number,
  boolean,
  date,
  datetime,
  json,
  choice,
  reference,
  user,
  blob,      ///< a file, kept by the room `blobs`; the record holds its id, name, type and size
  computed,  ///< an expression over the record; no column
};
std::string_view name_of(FieldType type) noexcept;
std::optional<FieldType> type_named(std::string_view name) noexcept;
constexpr bool is_number(FieldType type) noexcept {
  return type == FieldType::integer || type == FieldType::number;
}

enum class OnDelete : std::uint8_t {
  restrict_,  ///< the record referred to cannot be deleted
  clear,      ///< the field becomes empty
  cascade,    ///< this record is deleted too
};
std::string_view name_of(OnDelete rule) noexcept;
std::optional<OnDelete> rule_named(std::string_view name) noexcept;

/// As the default of a date or datetime: the moment of the insert.
inline constexpr std::string_view now_default = "@now";
/// The default of a user: who creates the record over REST or by records().
inline constexpr std::string_view user_default = "@user";

/// A value in the schema itself. Booleans as integers 0 and 1; json defaults as JSON text.
using Value = std::variant<std::monostate, std::int64_t, double, std::string>;

/// The access rules of a table: texts in the expression language (room `expression`), unread here.
/// Empty: access is denied.
struct TableRules {
  std::string read;
  std::string create;
  std::string update;
  std::string delete_;

  bool operator==(const TableRules&) const = default;
};

/// The access rules of a field, in addition to those of its table. Empty: those of the table only.
struct FieldRules {
  std::string read;
  std::string write;

  bool operator==(const FieldRules&) const = default;
};

/// The target of a reference.
struct Target {
  std::string_view plugin;  ///< an id, or "core"; empty: the plugin's own
  std::string_view table;

  bool is_own() const noexcept { return plugin.empty(); }
};

struct Field {
  std::string name;
  std::vector<std::string> formerly;  ///< names that it had, none of them declared any more
  FieldType type = FieldType::text;
  std::string description;
  bool required = false;
  bool unique = false;
  bool indexed = false;
  bool searchable = false;  ///< text only: its words are in the table's search index
  std::int64_t search_weight =
      1;                ///< searchable: how much a word found here counts, 1 to max_search_weight
  bool hidden = false;  ///< never in REST responses
  bool read_only = false;  ///< not writable over REST; always so for computed
  bool writable = false;   ///< writable over REST although it is hidden or a rule reads it
  bool reveals = false;  ///< computed: may show what hidden fields and fields with a read rule hold
  bool many = false;     ///< choice, reference, user, blob: any number of values, in order, none
                         ///< twice; `required` then: at least one
  FieldRules rules;
  Value default_value;           ///< monostate: none; for many choices their JSON array as text
  bool default_user = false;     ///< user: the default is who creates the record; not for SQL
  bool set_by_callback = false;  ///< a callback before the write sets it: a create may omit it
  /// text: characters; integer, number: the value; date, datetime: the text. monostate: none.
  Value min;
  Value max;
  std::string pattern;  ///< text; the common part of ECMAScript's and Perl's syntax; enforced over
                        ///< REST; empty: none
  std::string
      message;  ///< with pattern: the error for a text that does not match; empty: a usual one
  std::vector<std::string> choices;  ///< choice
  std::string table;  ///< reference, as declared: "cards" of the same plugin, "core:users",
                      ///< "crm:contacts"; see target()
  /// Reference to an own table: the field that must be equal in both records; empty: none.
  std::string same;
  OnDelete on_delete = OnDelete::restrict_;     ///< reference to an own table
  std::int64_t max_bytes = default_blob_bytes;  ///< blob: of one file
  std::vector<std::string> types;  ///< blob: media types like "image/*", "application/pdf"; empty:
                                   ///< all
  std::string expression;          ///< computed: a text in the expression language, unread here

  /// Of references and users ("core:users"); empty for other types. Borrows from `table`.
  Target target() const noexcept;
  /// A reference to a table of the same plugin.
  bool refers_to_own() const noexcept { return type == FieldType::reference && target().is_own(); }
  /// Many references or users: the values are in a table of their own, see link_table.
  bool is_link() const noexcept {
    return many && (type == FieldType::reference || type == FieldType::user);
  }
  /// A create may omit it although it is required and no default is stored in the database.
  bool is_filled_in() const noexcept { return default_user || set_by_callback; }
  /// False for what has no column in the record's table: links and computed fields.
  bool has_column() const noexcept { return type != FieldType::computed && !is_link(); }

  bool operator==(const Field&) const = default;
};

struct Index {
  std::vector<std::string> fields;  ///< in order; may include "id"
  bool unique = false;

  bool operator==(const Index&) const = default;
};

/// A declared table. In addition to its fields, every record has `rowid` (SQLite's, stable, for
/// search indexes) and `id` (UUIDv7 text, unique), and what the options add.
struct Table {
  std::string name;
  std::vector<std::string> formerly;  ///< names that it had, none of them declared any more
  std::string description;
  std::vector<Field> fields;  ///< in the order of the file
  std::vector<Index>
      indexes;  ///< of several fields; those of one field by Field::unique and ::indexed
  bool timestamps = false;  ///< `created`, `updated`: datetime, set when the record is inserted
  bool authorship = false;  ///< `created_by`, `updated_by`: user, optional
  bool version = false;     ///< `version`: integer, 1 for a new record
  bool publish = false;     ///< has a REST API
  bool anonymous = false;   ///< with publish: people who are not signed in reach it as far as the
                            ///< rules let them
  TableRules rules;

  const Field* find(std::string_view name) const noexcept;
  /// Declared fields and those of the options, in order, without rowid and id.
  std::vector<Field> all_fields() const;
  /// Those of all_fields() that have a column.
  std::vector<Field> column_fields() const;

  bool operator==(const Table&) const = default;
};

/// A parsed tables.json.
struct Tables {
  std::vector<Table> tables;

  const Table* find(std::string_view name) const noexcept;
  bool operator==(const Tables&) const = default;
};

/// The table that holds the values of a field with is_link(): `rowid`, `record` (the owner's id,
/// goes with it), `target` (the id referred to), `position` (integer, the order). No declared table
/// has such a name.
std::string link_table(std::string_view table, std::string_view field);

/// Ids of the other plugins whose tables these refer to ("core" is none), sorted, none twice.
std::vector<std::string> referred_plugins(const Tables& tables);

/// Parses the text of a tables.json (see sdk/schema/tables.schema.json). `file` is named in the
/// errors. Throws 422 data.tables_invalid; every finding is in fields() with a JSON pointer (RFC
/// 6901) as its field, the first one in the message: "tables.json: /tables/0/fields/2/type: …".
/// Unknown keys are refused by name.
Tables parse_tables(std::string_view text, std::string_view file = "tables.json");

/// The tables as JSON that parse_tables reads back to an equal value.
std::string to_json(const Tables& tables);

}  // namespace tenon::data::schema
