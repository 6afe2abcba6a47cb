#include "postgresql/schema/ddl.hpp"

namespace tenon::data::postgresql {

// Of sums: PostgreSQL raises errors where other doubles become infinite or zero. Inside these
// magnitudes neither can happen; outside of them the error is caught.
std::string_view functions() noexcept {
  return R"sql(
CREATE OR REPLACE FUNCTION tenon_is_date(a text) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
SELECT a ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' AND substr(a, 6, 2) COLLATE "C" BETWEEN '01' AND '12'
  AND substr(a, 9, 2) COLLATE "C" BETWEEN '01' AND CASE
    WHEN substr(a, 6, 2) IN ('04', '06', '09', '11') THEN '30'
    WHEN substr(a, 6, 2) <> '02' THEN '31'
    WHEN substr(a, 3, 2) = '00' AND substr(a, 1, 2) ~ '^([02468][048]|[13579][26])$' THEN '29'
    WHEN substr(a, 3, 2) <> '00' AND substr(a, 3, 2) ~ '^([02468][048]|[13579][26])$' THEN '29'
    ELSE '28' END
$$;
CREATE OR REPLACE FUNCTION tenon_is_datetime(a text) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
SELECT a ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]\.[0-9]{3}Z$' AND
  substr(a, 6, 2) COLLATE "C" BETWEEN '01' AND '12'
  AND substr(a, 9, 2) COLLATE "C" BETWEEN '01' AND CASE
    WHEN substr(a, 6, 2) IN ('04', '06', '09', '11') THEN '30'
    WHEN substr(a, 6, 2) <> '02' THEN '31'
    WHEN substr(a, 3, 2) = '00' AND substr(a, 1, 2) ~ '^([02468][048]|[13579][26])$' THEN '29'
    WHEN substr(a, 3, 2) <> '00' AND substr(a, 3, 2) ~ '^([02468][048]|[13579][26])$' THEN '29'
    ELSE '28' END
$$;
CREATE OR REPLACE FUNCTION tenon_json_kind(a text) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  RETURN json_typeof(a::json);
EXCEPTION WHEN invalid_text_representation OR untranslatable_character OR statement_too_complex THEN
  RETURN '';
END $$;
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
CREATE OR REPLACE FUNCTION tenon_plain(a text) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
SELECT lower(normalize(regexp_replace(normalize(a, NFD), '[\u0300-\u036f]', '', 'g'), NFC)
             COLLATE "und-x-icu")
$$;
CREATE OR REPLACE FUNCTION tenon_tokens(a text) RETURNS SETOF text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE ROWS 20 AS $$
SELECT left(w, 250) FROM
  regexp_split_to_table(tenon_plain(a) COLLATE "und-x-icu", '[^[:alnum:]]+') AS s(w) WHERE w <> ''
$$;
CREATE OR REPLACE FUNCTION tenon_search_words(field integer, a text) RETURNS tsvector
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
SELECT coalesce(string_agg('''' || field || '.' || w || ''':' || least(n, 16383), ' '), '')::tsvector
  FROM tenon_tokens(a) WITH ORDINALITY AS t(w, n)
$$;
CREATE OR REPLACE FUNCTION tenon_search_phrase(field integer, term json) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
SELECT '(' || string_agg('''' || field || '.' || w || '''' || CASE WHEN n = most AND
    (term ->> 'beginning')::boolean THEN ':*' ELSE '' END, ' <-> ' ORDER BY n) || ')'
  FROM (SELECT w, n, count(*) OVER () AS most FROM
    tenon_tokens(term ->> 'text') WITH ORDINALITY AS t(w, n)) AS o
$$;
CREATE OR REPLACE FUNCTION tenon_search_query(asked text) RETURNS tsquery
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE term json; phrases text; found text := ''; excluded text := '';
BEGIN
  FOR term IN SELECT * FROM json_array_elements(asked::json -> 'terms') LOOP
    SELECT string_agg(tenon_search_phrase(field::integer, term), ' | ') INTO phrases
      FROM json_array_elements_text(asked::json -> 'fields') AS f(field);
    IF phrases IS NULL THEN CONTINUE; END IF;
    IF (term ->> 'excluded')::boolean THEN excluded := excluded || ' & !(' || phrases || ')';
    ELSE found := found || ' & (' || phrases || ')'; END IF;
  END LOOP;
  IF found = '' THEN RETURN '''-'''::tsquery; END IF;
  RETURN substr(found || excluded, 4)::tsquery;
END $$;
CREATE OR REPLACE FUNCTION tenon_search_parts(asked text) RETURNS tsquery[]
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
SELECT array_agg(part ORDER BY location) FROM (
  SELECT location, coalesce((SELECT string_agg(tenon_search_phrase(field::integer, term), ' | ')
      FROM json_array_elements(asked::json -> 'terms') AS t(term)
      WHERE NOT (term ->> 'excluded')::boolean), '''-''')::tsquery AS part
    FROM json_array_elements_text(asked::json -> 'fields') WITH ORDINALITY AS f(field, location)) AS p
$$;
CREATE OR REPLACE FUNCTION tenon_search_weights(asked text, weights text) RETURNS double precision[]
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
SELECT array_agg((weights::json ->> field::integer)::double precision ORDER BY location)
  FROM json_array_elements_text(asked::json -> 'fields') WITH ORDINALITY AS f(field, location)
$$;
CREATE OR REPLACE FUNCTION tenon_search_rank(words tsvector, parts tsquery[], weights double precision[])
RETURNS double precision LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
SELECT -sum(weight * ts_rank(words, part, 1)) FROM unnest(parts, weights) AS u(part, weight)
$$;
CREATE OR REPLACE FUNCTION tenon_search_pieces(a text, asked text, most integer) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
  words text[]; gaps text[]; plain text[]; terms json[]; wanted text[]; term json;
  ends integer[]; lead text; size integer; last integer; location integer; best integer := 0;
  first integer := 1; count integer; text_before text := ''; json text := '';
BEGIN
  a := left(a, 150000) COLLATE "und-x-icu";
  SELECT array_agg(m[1] ORDER BY n), array_agg(m[2] ORDER BY n) INTO words, gaps
    FROM regexp_matches(a COLLATE "und-x-icu",
      '([[:alnum:]][[:alnum:]\u0300-\u036f]*)([^[:alnum:]]*)', 'g') WITH ORDINALITY AS r(m, n);
  size := coalesce(array_length(words, 1), 0);
  IF size = 0 THEN RETURN NULL; END IF;
  lead := substring(a COLLATE "und-x-icu" FROM '^[^[:alnum:]]*');
  SELECT array_agg(tenon_plain(w) ORDER BY n) INTO plain FROM unnest(words) WITH ORDINALITY AS u(w, n);
  ends := array_fill(0, ARRAY[size]);
  FOR term IN SELECT * FROM json_array_elements(asked::json -> 'terms') LOOP
    IF (term ->> 'excluded')::boolean THEN CONTINUE; END IF;
    SELECT array_agg(w ORDER BY n) INTO wanted
      FROM tenon_tokens(term ->> 'text') WITH ORDINALITY AS t(w, n);
    last := array_length(wanted, 1);
    IF last IS NULL THEN CONTINUE; END IF;
    FOR i IN 1 .. size - last + 1 LOOP
      IF last > 1 AND plain[i : i + last - 2] <> wanted[1 : last - 1] THEN CONTINUE; END IF;
      IF plain[i + last - 1] = wanted[last] OR ((term ->> 'beginning')::boolean
          AND starts_with(plain[i + last - 1], wanted[last])) THEN
        ends[i] := greatest(ends[i], i + last - 1);
      END IF;
    END LOOP;
  END LOOP;
  FOR i IN 1 .. size LOOP
    IF ends[i] = 0 THEN CONTINUE; END IF;
    SELECT count(*) INTO count FROM unnest(ends[i : least(size, i + most - 1)]) AS u(e) WHERE e > 0;
    IF count > best THEN best := count; first := i; END IF;
  END LOOP;
  IF best = 0 THEN RETURN NULL; END IF;
  IF size <= most THEN first := 1;
  ELSE first := greatest(1, least(first - 4, size - most + 1)); END IF;
  last := least(size, first + most - 1);
  text_before := CASE WHEN first > 1 THEN '…' ELSE lead END;
  location := first;
  WHILE location <= last LOOP
    IF ends[location] > 0 THEN
      IF text_before <> '' THEN
        json := json || ',{"text":' || to_json(text_before) || ',"match":false}';
      END IF;
      text_before := '';
      count := least(ends[location], last);
      FOR i IN location .. count LOOP
        -- A match that begins within another one extends it.
        IF ends[i] > count THEN count := least(ends[i], last); END IF;
        EXIT WHEN i = count;
      END LOOP;
      FOR i IN location .. count LOOP
        text_before := text_before || words[i] || CASE WHEN i < count THEN gaps[i] ELSE '' END;
      END LOOP;
      json := json || ',{"text":' || to_json(text_before) || ',"match":true}';
      text_before := CASE WHEN count < last OR last = size THEN gaps[count] ELSE '' END;
      location := count + 1;
    ELSE
      text_before := text_before || words[location] ||
        CASE WHEN location < last OR last = size THEN gaps[location] ELSE '' END;
      location := location + 1;
    END IF;
  END LOOP;
  IF last < size THEN text_before := text_before || '…'; END IF;
  IF text_before <> '' THEN
    json := json || ',{"text":' || to_json(text_before) || ',"match":false}';
  END IF;
  RETURN replace('[' || substr(json, 2) || ']', '<', '\u003c');
END $$;
)sql";
}

}  // namespace tenon::data::postgresql
