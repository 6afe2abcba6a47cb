#include "expression/sql.hpp"

#include <cassert>
#include <utility>

#include "expression/sql_writer.hpp"

namespace tenon::expression {

namespace {

data::Cell cell_of(const Value& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return *integer;
  if (const auto* number = std::get_if<double>(&value)) return *number;
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  return nullptr;
}

}  // namespace

Sql to_sql_condition(const Checked& checked, const SqlOptions& options) {
  assert(checked.type() == Type::boolean);
  SqlWriter writer(options);
  Sql sql;
  sql.text = writer.condition(checked.root(), false);
  sql.slots = writer.take_slots();
  return sql;
}

Sql to_sql_value(const Checked& checked, const SqlOptions& options) {
  SqlWriter writer(options);
  Sql sql;
  sql.text = writer.value(checked.root());
  sql.slots = writer.take_slots();
  return sql;
}

void append_cells(const Sql& sql, const Context& context, std::vector<data::Cell>& cells) {
  for (const Slot& slot : sql.slots) {
    switch (slot.kind) {
      case Slot::Kind::constant:
        cells.push_back(cell_of(slot.constant));
        break;
      case Slot::Kind::user:
        cells.push_back(context.user() ? data::Cell(*context.user()) : data::Cell());
        break;
      case Slot::Kind::groups:
        cells.emplace_back(context.groups_json());
        break;
      case Slot::Kind::now:
        cells.emplace_back(context.now());
        break;
      case Slot::Kind::today:
        cells.emplace_back(context.today());
        break;
      case Slot::Kind::can:
        cells.emplace_back(context.can(slot.permission) ? 1 : 0);
        break;
    }
  }
}

// PostgreSQL raises errors where other doubles become infinite or zero. Inside these magnitudes
// neither can happen; outside of them the error is caught.
std::string_view postgresql_functions() noexcept {
  return R"sql(
CREATE OR REPLACE FUNCTION tenon_add(a double precision, b double precision) RETURNS double precision
LANGUAGE plpgsql IMMUTABLE STRICT AS $$
DECLARE c double precision;
BEGIN
  IF abs(a) < 1e300 AND abs(b) < 1e300 THEN RETURN a + b; END IF;
  BEGIN c := a + b; EXCEPTION WHEN numeric_value_out_of_range THEN RETURN NULL; END;
  RETURN CASE WHEN abs(c) <= 1.7976931348623157e308 THEN c END;
END $$;
CREATE OR REPLACE FUNCTION tenon_multiply(a double precision, b double precision) RETURNS double precision
LANGUAGE plpgsql IMMUTABLE STRICT AS $$
DECLARE c double precision;
BEGIN
  IF a = 0 OR b = 0 OR (abs(a) BETWEEN 1e-150 AND 1e150 AND abs(b) BETWEEN 1e-150 AND 1e150) THEN
    RETURN CASE WHEN abs(a) <= 1.7976931348623157e308 AND abs(b) <= 1.7976931348623157e308 THEN a * b END;
  END IF;
  BEGIN c := a * b; EXCEPTION WHEN numeric_value_out_of_range THEN
    RETURN CASE WHEN abs(a) < 1 AND abs(b) < 1 THEN 0 END;
  END;
  RETURN CASE WHEN abs(c) <= 1.7976931348623157e308 THEN c END;
END $$;
CREATE OR REPLACE FUNCTION tenon_divide(a double precision, b double precision) RETURNS double precision
LANGUAGE plpgsql IMMUTABLE STRICT AS $$
DECLARE c double precision;
BEGIN
  IF b = 0 THEN RETURN NULL; END IF;
  IF a = 0 OR (abs(a) BETWEEN 1e-150 AND 1e150 AND abs(b) BETWEEN 1e-150 AND 1e150) THEN RETURN a / b; END IF;
  BEGIN c := a / b; EXCEPTION WHEN numeric_value_out_of_range THEN
    RETURN CASE WHEN abs(b) > 1 THEN 0 END;
  END;
  RETURN CASE WHEN abs(c) <= 1.7976931348623157e308 THEN c END;
END $$;
CREATE OR REPLACE FUNCTION tenon_whole(a double precision) RETURNS bigint
LANGUAGE sql IMMUTABLE STRICT AS $$
SELECT CASE WHEN a >= 9223372036854775807 THEN 9223372036854775807
            WHEN a <= -9223372036854775808 THEN -9223372036854775808
            ELSE trunc(a)::bigint END
$$;
CREATE OR REPLACE FUNCTION tenon_round(a double precision) RETURNS double precision
LANGUAGE sql IMMUTABLE STRICT AS $$
SELECT CASE WHEN abs(a) > 4503599627370496 THEN a
            ELSE trunc(a + CASE WHEN a < 0 THEN -0.5 ELSE 0.5 END::double precision) END
$$;
)sql";
}

}  // namespace tenon::expression
