#pragma once

#include <string_view>

/// Queries of PostgreSQL's catalogs whose results are statements, for the schema that the search
/// path names. Its own functions write all but tables, columns and sequences.
namespace tenon::data::postgresql::catalog_sql {

/// Objects in the schema that dump_schema() does not know, or that its owner may not recreate.
inline constexpr std::string_view unknown = R"sql(
WITH n AS (SELECT quote_ident(current_schema())::regnamespace::oid AS oid)
SELECT pg_describe_object(found.class, found.oid, 0) || found.why FROM n, LATERAL (
  SELECT 'pg_class'::regclass::oid AS class, c.oid, '' AS why FROM pg_class c
    WHERE c.relnamespace = n.oid AND c.relkind IN ('f', 'c')
  UNION ALL SELECT 'pg_class'::regclass, c.oid, ' of another role' FROM pg_class c
    WHERE c.relnamespace = n.oid AND c.relkind IN ('r', 'p', 'v', 'm', 'S')
      AND c.relowner <> quote_ident(current_user)::regrole
  UNION ALL SELECT 'pg_class'::regclass, c.oid, ' without columns' FROM pg_class c
    WHERE c.relnamespace = n.oid AND c.relkind = 'r' AND NOT EXISTS (SELECT 1 FROM pg_attribute a
      WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '')
  UNION ALL SELECT 'pg_type'::regclass, t.oid, '' FROM pg_type t
    WHERE t.typnamespace = n.oid AND (t.typtype IN ('d', 'e', 'r', 'm')
      OR (t.typrelid = 0 AND t.typelem = 0))
  UNION ALL SELECT 'pg_proc'::regclass, p.oid, '' FROM pg_proc p
    WHERE p.pronamespace = n.oid AND p.prokind NOT IN ('f', 'p', 'w')
  UNION ALL SELECT 'pg_proc'::regclass, p.oid, ' of another role' FROM pg_proc p
    WHERE p.pronamespace = n.oid AND p.proowner <> quote_ident(current_user)::regrole
  UNION ALL SELECT 'pg_operator'::regclass, o.oid, '' FROM pg_operator o WHERE o.oprnamespace = n.oid
  UNION ALL SELECT 'pg_opclass'::regclass, o.oid, '' FROM pg_opclass o WHERE o.opcnamespace = n.oid
  UNION ALL SELECT 'pg_collation'::regclass, o.oid, '' FROM pg_collation o
    WHERE o.collnamespace = n.oid
  UNION ALL SELECT 'pg_conversion'::regclass, o.oid, '' FROM pg_conversion o
    WHERE o.connamespace = n.oid
  UNION ALL SELECT 'pg_ts_config'::regclass, o.oid, '' FROM pg_ts_config o WHERE o.cfgnamespace = n.oid
  UNION ALL SELECT 'pg_ts_dict'::regclass, o.oid, '' FROM pg_ts_dict o WHERE o.dictnamespace = n.oid
  UNION ALL SELECT 'pg_statistic_ext'::regclass, o.oid, '' FROM pg_statistic_ext o
    WHERE o.stxnamespace = n.oid
  UNION ALL SELECT 'pg_policy'::regclass, p.oid, '' FROM pg_policy p JOIN pg_class c
    ON c.oid = p.polrelid WHERE c.relnamespace = n.oid
  UNION ALL SELECT 'pg_rewrite'::regclass, r.oid, '' FROM pg_rewrite r JOIN pg_class c
    ON c.oid = r.ev_class WHERE c.relnamespace = n.oid AND r.rulename <> '_RETURN'
) AS found ORDER BY 1)sql";

/// Objects of another schema, or of none, that depend on something of this one.
inline constexpr std::string_view outside = R"sql(
WITH n AS (SELECT quote_ident(current_schema())::regnamespace::oid AS oid),
own AS (SELECT 'pg_class'::regclass::oid AS class, c.oid FROM pg_class c, n WHERE c.relnamespace = n.oid
  UNION ALL SELECT 'pg_proc'::regclass, p.oid FROM pg_proc p, n WHERE p.pronamespace = n.oid
  UNION ALL SELECT 'pg_type'::regclass, t.oid FROM pg_type t, n WHERE t.typnamespace = n.oid)
SELECT DISTINCT pg_describe_object(d.classid, d.objid, 0) FROM pg_depend d JOIN own
  ON own.class = d.refclassid AND own.oid = d.refobjid, n
WHERE CASE d.classid
  WHEN 'pg_class'::regclass THEN (SELECT c.relnamespace NOT IN (n.oid, 'pg_toast'::regnamespace)
    FROM pg_class c WHERE c.oid = d.objid)
  WHEN 'pg_type'::regclass THEN (SELECT t.typnamespace NOT IN (n.oid, 'pg_toast'::regnamespace)
    FROM pg_type t WHERE t.oid = d.objid)
  WHEN 'pg_proc'::regclass THEN (SELECT p.pronamespace <> n.oid FROM pg_proc p WHERE p.oid = d.objid)
  WHEN 'pg_constraint'::regclass THEN (SELECT k.connamespace <> n.oid FROM pg_constraint k
    WHERE k.oid = d.objid)
  WHEN 'pg_attrdef'::regclass THEN (SELECT c.relnamespace <> n.oid FROM pg_attrdef a
    JOIN pg_class c ON c.oid = a.adrelid WHERE a.oid = d.objid)
  WHEN 'pg_rewrite'::regclass THEN (SELECT c.relnamespace <> n.oid FROM pg_rewrite r
    JOIN pg_class c ON c.oid = r.ev_class WHERE r.oid = d.objid)
  WHEN 'pg_trigger'::regclass THEN (SELECT c.relnamespace <> n.oid FROM pg_trigger t
    JOIN pg_class c ON c.oid = t.tgrelid WHERE t.oid = d.objid)
  ELSE true END
ORDER BY 1)sql";

/// A statement that removes each; some go with others.
inline constexpr std::string_view drop_statements = R"sql(
SELECT 'DROP ' || CASE c.relkind WHEN 'v' THEN 'VIEW' WHEN 'm' THEN 'MATERIALIZED VIEW'
    WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END || ' IF EXISTS ' || quote_ident(c.relname) || ' CASCADE'
  FROM pg_class c WHERE c.relnamespace = quote_ident(current_schema())::regnamespace
  AND c.relkind IN ('r', 'p', 'v', 'm', 'S') AND NOT (c.relkind = 'S' AND EXISTS (SELECT 1 FROM pg_depend d
    WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'i'))
UNION ALL SELECT 'DROP ROUTINE IF EXISTS ' || p.oid::regprocedure || ' CASCADE' FROM pg_proc p
  WHERE p.pronamespace = quote_ident(current_schema())::regnamespace)sql";

/// Relation, and another one that must be there before it.
inline constexpr std::string_view needs = R"sql(
WITH c AS (SELECT oid, relname, reltype FROM pg_class
  WHERE relnamespace = quote_ident(current_schema())::regnamespace)
SELECT DISTINCT a.relname, b.relname FROM (
  SELECT inhrelid AS oid, inhparent AS needed FROM pg_inherits
  UNION ALL SELECT r.ev_class, d.refobjid FROM pg_rewrite r JOIN pg_depend d
    ON d.classid = 'pg_rewrite'::regclass AND d.objid = r.oid AND d.refclassid = 'pg_class'::regclass
  UNION ALL SELECT x.attrelid, y.oid FROM pg_attribute x JOIN pg_type t ON t.oid = x.atttypid
    JOIN c y ON y.reltype IN (t.oid, t.typelem) AND y.reltype <> 0
) AS edge JOIN c a ON a.oid = edge.oid JOIN c b ON b.oid = edge.needed WHERE a.oid <> b.oid)sql";

inline constexpr std::string_view functions = R"sql(
SELECT pg_get_functiondef(p.oid) FROM pg_proc p
WHERE p.pronamespace = quote_ident(current_schema())::regnamespace ORDER BY p.oid::regprocedure::text)sql";

/// Those of identities are made with their columns.
inline constexpr std::string_view new_sequences = R"sql(
SELECT 'CREATE ' || CASE c.relpersistence WHEN 'u' THEN 'UNLOGGED ' ELSE '' END || 'SEQUENCE ' ||
  quote_ident(c.relname) || ' AS ' || format_type(s.seqtypid, NULL) || ' INCREMENT BY ' || s.seqincrement ||
  ' MINVALUE ' || s.seqmin || ' MAXVALUE ' || s.seqmax || ' START WITH ' || s.seqstart ||
  ' CACHE ' || s.seqcache || CASE WHEN s.seqcycle THEN ' CYCLE' ELSE ' NO CYCLE' END
FROM pg_sequence s JOIN pg_class c ON c.oid = s.seqrelid
WHERE c.relnamespace = quote_ident(current_schema())::regnamespace AND NOT EXISTS (
  SELECT 1 FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid
  AND d.deptype = 'i') ORDER BY c.relname)sql";

inline constexpr std::string_view new_tables = R"sql(
SELECT c.relname, 'CREATE ' || CASE c.relpersistence WHEN 'u' THEN 'UNLOGGED ' ELSE '' END || 'TABLE ' ||
  quote_ident(c.relname) ||
  CASE WHEN c.relispartition THEN ' PARTITION OF ' || (SELECT i.inhparent::regclass::text
      FROM pg_inherits i WHERE i.inhrelid = c.oid) || ' ' || pg_get_expr(c.relpartbound, c.oid)
    ELSE ' (' || coalesce(col.text, '') || ')' || coalesce((SELECT ' INHERITS (' ||
      string_agg(i.inhparent::regclass::text, ', ' ORDER BY i.inhseqno) || ')' FROM pg_inherits i
      WHERE i.inhrelid = c.oid), '') END ||
  CASE c.relkind WHEN 'p' THEN ' PARTITION BY ' || pg_get_partkeydef(c.oid) ELSE '' END ||
  coalesce((SELECT ' WITH (' || string_agg(o.text, ', ') || ')' FROM (SELECT unnest(c.reloptions)
    UNION ALL SELECT 'toast.' || unnest(t.reloptions) FROM pg_class t WHERE t.oid = c.reltoastrelid)
    AS o(text) HAVING count(*) > 0), '')
FROM pg_class c LEFT JOIN LATERAL (
  SELECT string_agg(quote_ident(a.attname) || ' ' || format_type(a.atttypid, a.atttypmod) ||
    CASE WHEN a.attcollation NOT IN (0, t.typcollation)
      THEN ' COLLATE ' || a.attcollation::regcollation ELSE '' END ||
    CASE WHEN a.attgenerated = 's'
        THEN ' GENERATED ALWAYS AS (' || pg_get_expr(d.adbin, d.adrelid) || ') STORED'
      WHEN a.attidentity <> '' THEN ' GENERATED ' ||
        CASE a.attidentity WHEN 'a' THEN 'ALWAYS' ELSE 'BY DEFAULT' END || ' AS IDENTITY (' ||
        (SELECT 'SEQUENCE NAME ' || q.oid::regclass || ' INCREMENT BY ' || s.seqincrement ||
          ' MINVALUE ' || s.seqmin || ' MAXVALUE ' || s.seqmax || ' START WITH ' || s.seqstart ||
          ' CACHE ' || s.seqcache || CASE WHEN s.seqcycle THEN ' CYCLE' ELSE '' END
        FROM pg_depend i JOIN pg_class q ON q.oid = i.objid JOIN pg_sequence s ON s.seqrelid = q.oid
        WHERE i.classid = 'pg_class'::regclass AND i.deptype = 'i'
          AND i.refclassid = 'pg_class'::regclass AND i.refobjid = c.oid
          AND i.refobjsubid = a.attnum) || ')'
      ELSE coalesce(' DEFAULT ' || pg_get_expr(d.adbin, d.adrelid), '') END ||
    CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END, ', ' ORDER BY a.attnum) AS text
  FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
    LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
  WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attislocal
) AS col ON true
WHERE c.relnamespace = quote_ident(current_schema())::regnamespace AND c.relkind IN ('r', 'p'))sql";

/// Own settings of inherited columns, and how values are stored.
inline constexpr std::string_view column_settings = R"sql(
SELECT 'ALTER TABLE ONLY ' || quote_ident(c.relname) || ' ALTER COLUMN ' || quote_ident(a.attname) || ' ' ||
  setting.text
FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid JOIN pg_type t ON t.oid = a.atttypid
  LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
  CROSS JOIN LATERAL (VALUES
    (CASE WHEN (c.relispartition OR NOT a.attislocal) AND a.attgenerated = '' AND a.attidentity = ''
      THEN coalesce('SET DEFAULT ' || pg_get_expr(d.adbin, d.adrelid), 'DROP DEFAULT') END),
    (CASE WHEN (c.relispartition OR NOT a.attislocal) AND a.attnotnull THEN 'SET NOT NULL' END),
    (CASE WHEN a.attstorage <> t.typstorage THEN 'SET STORAGE ' || CASE a.attstorage
      WHEN 'p' THEN 'PLAIN' WHEN 'e' THEN 'EXTERNAL' WHEN 'm' THEN 'MAIN' ELSE 'EXTENDED' END END),
    (CASE a.attcompression WHEN 'p' THEN 'SET COMPRESSION pglz' WHEN 'l' THEN 'SET COMPRESSION lz4'
      END),
    (CASE WHEN coalesce(a.attstattarget, -1) >= 0 THEN 'SET STATISTICS ' || a.attstattarget END),
    ('SET (' || array_to_string(a.attoptions, ', ') || ')')) AS setting(text)
WHERE c.relnamespace = quote_ident(current_schema())::regnamespace AND c.relkind IN ('r', 'p')
  AND a.attnum > 0 AND NOT a.attisdropped AND setting.text IS NOT NULL
ORDER BY c.relname, a.attnum)sql";

/// Table, column, type, whether `rowid` is the table's key, for tables with rows of their own. The
/// change log restarts empty.
inline constexpr std::string_view columns = R"sql(
SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod), EXISTS (SELECT 1 FROM pg_index i
  JOIN pg_attribute k ON k.attrelid = c.oid AND k.attnum = i.indkey[0] WHERE i.indrelid = c.oid
  AND i.indisprimary AND i.indnkeyatts = 1 AND k.attname = 'rowid' AND k.atttypid = 'bigint'::regtype)
FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
WHERE c.relnamespace = quote_ident(current_schema())::regnamespace AND c.relkind = 'r'
  AND c.relname <> 'tenon_changes'
  AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
ORDER BY c.relname COLLATE "C", a.attnum)sql";

inline constexpr std::string_view sequences = R"sql(
SELECT quote_ident(c.relname) FROM pg_class c
WHERE c.relnamespace = quote_ident(current_schema())::regnamespace AND c.relkind = 'S' ORDER BY 1)sql";

inline constexpr std::string_view sequence_owners = R"sql(
SELECT 'ALTER SEQUENCE ' || quote_ident(s.relname) || ' OWNED BY ' || quote_ident(c.relname) || '.' ||
  quote_ident(a.attname)
FROM pg_depend d JOIN pg_class s ON s.oid = d.objid AND s.relkind = 'S'
  JOIN pg_class c ON c.oid = d.refobjid
  JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = d.refobjsubid
WHERE d.classid = 'pg_class'::regclass AND d.refclassid = 'pg_class'::regclass AND d.deptype = 'a'
  AND s.relnamespace = quote_ident(current_schema())::regnamespace ORDER BY 1)sql";

/// Keys and checks, those of a table at once: it is read once for them.
inline constexpr std::string_view constraints = R"sql(
SELECT 'ALTER TABLE ' || quote_ident(c.relname) || ' ' || string_agg('ADD CONSTRAINT ' ||
  quote_ident(k.conname) || ' ' || pg_get_constraintdef(k.oid), ', ' ORDER BY k.conname)
FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid
WHERE k.connamespace = quote_ident(current_schema())::regnamespace AND k.contype IN ('p', 'u', 'x', 'c')
  AND k.conparentid = 0 AND k.coninhcount = 0
GROUP BY c.oid, c.relname ORDER BY (SELECT count(*) FROM pg_inherits i WHERE i.inhrelid = c.oid),
  c.relname)sql";

inline constexpr std::string_view references = R"sql(
SELECT 'ALTER TABLE ' || quote_ident(c.relname) || ' ' || string_agg('ADD CONSTRAINT ' ||
  quote_ident(k.conname) || ' ' || pg_get_constraintdef(k.oid), ', ' ORDER BY k.conname)
FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid
WHERE k.connamespace = quote_ident(current_schema())::regnamespace AND k.contype = 'f'
  AND k.conparentid = 0 GROUP BY c.oid, c.relname ORDER BY c.relname)sql";

inline constexpr std::string_view views = R"sql(
SELECT c.relname, 'CREATE ' || CASE c.relkind WHEN 'm' THEN 'MATERIALIZED ' ELSE '' END || 'VIEW ' ||
  quote_ident(c.relname) || coalesce(' WITH (' || array_to_string(c.reloptions, ', ') || ')', '') ||
  ' AS ' || rtrim(pg_get_viewdef(c.oid), ';') ||
  CASE WHEN c.relkind = 'm' AND NOT c.relispopulated THEN ' WITH NO DATA' ELSE '' END
FROM pg_class c WHERE c.relnamespace = quote_ident(current_schema())::regnamespace
  AND c.relkind IN ('v', 'm'))sql";

inline constexpr std::string_view view_defaults = R"sql(
SELECT 'ALTER VIEW ' || quote_ident(c.relname) || ' ALTER COLUMN ' || quote_ident(a.attname) ||
  ' SET DEFAULT ' || pg_get_expr(d.adbin, d.adrelid)
FROM pg_attrdef d JOIN pg_class c ON c.oid = d.adrelid
  JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = d.adnum
WHERE c.relnamespace = quote_ident(current_schema())::regnamespace AND c.relkind = 'v'
ORDER BY c.relname, a.attnum)sql";

/// Those of no constraint; those of partitions are made with their tables'.
inline constexpr std::string_view indexes = R"sql(
SELECT statement FROM (SELECT c.relname, 1 AS step, CASE c.relkind WHEN 'I'
    THEN regexp_replace(pg_get_indexdef(c.oid), ' ON ONLY ', ' ON ') ELSE pg_get_indexdef(c.oid) END
    AS statement
  FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
  WHERE c.relnamespace = quote_ident(current_schema())::regnamespace AND NOT c.relispartition
    AND NOT EXISTS (SELECT 1 FROM pg_constraint k WHERE k.conindid = c.oid
      AND k.contype IN ('p', 'u', 'x'))
  UNION ALL SELECT c.relname, 2, 'ALTER INDEX ' || quote_ident(c.relname) || ' ALTER COLUMN ' ||
    a.attnum || ' SET STATISTICS ' || a.attstattarget
  FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
  WHERE c.relnamespace = quote_ident(current_schema())::regnamespace AND c.relkind IN ('i', 'I')
    AND NOT c.relispartition AND coalesce(a.attstattarget, -1) >= 0) AS made
ORDER BY step, relname)sql";

inline constexpr std::string_view triggers = R"sql(
SELECT statement FROM (SELECT c.relname, t.tgname, 1 AS step,
    pg_get_triggerdef(t.oid, true) AS statement, t.oid
  FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
  WHERE c.relnamespace = quote_ident(current_schema())::regnamespace AND NOT t.tgisinternal
    AND t.tgparentid = 0
  UNION ALL SELECT c.relname, t.tgname, 2, 'ALTER TABLE ' || quote_ident(c.relname) || CASE t.tgenabled
    WHEN 'D' THEN ' DISABLE' WHEN 'R' THEN ' ENABLE REPLICA' ELSE ' ENABLE ALWAYS' END || ' TRIGGER ' ||
    quote_ident(t.tgname), t.oid
  FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
  WHERE c.relnamespace = quote_ident(current_schema())::regnamespace AND NOT t.tgisinternal
    AND t.tgparentid = 0 AND t.tgenabled <> 'O') AS made
ORDER BY relname, tgname, step)sql";

inline constexpr std::string_view table_settings = R"sql(
SELECT 'ALTER TABLE ONLY ' || quote_ident(c.relname) || ' ' || setting.text
FROM pg_class c CROSS JOIN LATERAL (VALUES
  (CASE c.relreplident WHEN 'f' THEN 'REPLICA IDENTITY FULL' WHEN 'n' THEN 'REPLICA IDENTITY NOTHING'
    WHEN 'i' THEN (SELECT 'REPLICA IDENTITY USING INDEX ' || i.indexrelid::regclass FROM pg_index i
      WHERE i.indrelid = c.oid AND i.indisreplident) END),
  ((SELECT 'CLUSTER ON ' || i.indexrelid::regclass FROM pg_index i WHERE i.indrelid = c.oid
    AND i.indisclustered)),
  (CASE WHEN c.relrowsecurity THEN 'ENABLE ROW LEVEL SECURITY' END),
  (CASE WHEN c.relforcerowsecurity THEN 'FORCE ROW LEVEL SECURITY' END)) AS setting(text)
WHERE c.relnamespace = quote_ident(current_schema())::regnamespace AND c.relkind IN ('r', 'p')
  AND setting.text IS NOT NULL ORDER BY 1)sql";

inline constexpr std::string_view comments = R"sql(
WITH n AS (SELECT quote_ident(current_schema())::regnamespace::oid AS oid),
own AS (SELECT c.* FROM pg_class c, n WHERE c.relnamespace = n.oid)
SELECT 'COMMENT ON ' || o.object || ' IS ' || quote_literal(d.description) FROM pg_description d JOIN (
  SELECT 'pg_class'::regclass::oid AS class, c.oid, 0 AS part, CASE c.relkind WHEN 'v' THEN 'VIEW '
      WHEN 'm' THEN 'MATERIALIZED VIEW ' WHEN 'S' THEN 'SEQUENCE ' WHEN 'i' THEN 'INDEX '
      WHEN 'I' THEN 'INDEX ' ELSE 'TABLE ' END || quote_ident(c.relname) AS object
    FROM own c WHERE NOT (c.relkind IN ('i', 'I') AND c.relispartition)
  UNION ALL SELECT 'pg_class'::regclass, c.oid, a.attnum, 'COLUMN ' || quote_ident(c.relname) || '.' ||
    quote_ident(a.attname) FROM own c JOIN pg_attribute a ON a.attrelid = c.oid
    WHERE a.attnum > 0 AND NOT a.attisdropped AND c.relkind NOT IN ('i', 'I')
  UNION ALL SELECT 'pg_constraint'::regclass, k.oid, 0, 'CONSTRAINT ' || quote_ident(k.conname) ||
    ' ON ' || quote_ident(c.relname) FROM pg_constraint k JOIN own c ON c.oid = k.conrelid
    WHERE k.conparentid = 0
  UNION ALL SELECT 'pg_trigger'::regclass, t.oid, 0, 'TRIGGER ' || quote_ident(t.tgname) || ' ON ' ||
    quote_ident(c.relname) FROM pg_trigger t JOIN own c ON c.oid = t.tgrelid WHERE t.tgparentid = 0
  UNION ALL SELECT 'pg_proc'::regclass, p.oid, 0, 'ROUTINE ' || p.oid::regprocedure FROM pg_proc p, n
    WHERE p.pronamespace = n.oid
) AS o ON o.class = d.classoid AND o.oid = d.objoid AND o.part = d.objsubid ORDER BY 1)sql";

/// ?1: a role.
inline constexpr std::string_view rights = R"sql(
SELECT CASE c.relkind WHEN 'S' THEN 'SEQUENCE ' ELSE 'TABLE ' END || quote_ident(c.relname),
  coalesce(string_agg(a.privilege_type, ', ' ORDER BY a.privilege_type), '')
FROM pg_class c LEFT JOIN LATERAL aclexplode(coalesce(c.relacl, acldefault(
  CASE c.relkind WHEN 'S' THEN 's' ELSE 'r' END::"char", c.relowner))) a
  ON a.grantee = quote_ident(?1)::regrole
WHERE c.relnamespace = quote_ident(current_schema())::regnamespace
  AND c.relkind IN ('r', 'p', 'v', 'm', 'S') GROUP BY c.oid, c.relkind, c.relname ORDER BY 1)sql";

/// A line for each thing, without the texts of expressions: these change their form when they are
/// read again.
inline constexpr std::string_view objects = R"sql(
WITH n AS (SELECT quote_ident(current_schema())::regnamespace::oid AS oid),
own AS (SELECT c.* FROM pg_class c, n WHERE c.relnamespace = n.oid)
SELECT line FROM (
  SELECT 'relation ' || c.relname || ' ' || c.relkind::text || c.relpersistence::text || c.relreplident::text ||
      c.relrowsecurity || coalesce(' ' || array_to_string(c.reloptions, ' '), '') AS line
    FROM own c WHERE c.relkind <> 'c' AND NOT (c.relkind IN ('i', 'I') AND c.relispartition)
  UNION ALL SELECT 'column ' || c.relname || '.' || a.attname || ' ' ||
      format_type(a.atttypid, a.atttypmod) || ' ' || a.attcollation::regcollation || ' ' || a.attnotnull ||
      a.atthasdef || a.attidentity::text || a.attgenerated::text || a.attstorage::text || a.attcompression::text ||
      coalesce(a.attstattarget, -1) || coalesce(col_description(c.oid, a.attnum), '')
    FROM own c JOIN pg_attribute a ON a.attrelid = c.oid WHERE a.attnum > 0 AND NOT a.attisdropped
      AND c.relkind NOT IN ('i', 'I', 'S')
  UNION ALL SELECT 'index ' || c.relname || ' of ' || i.indrelid::regclass || ' ' || i.indisunique ||
      i.indisprimary || i.indisclustered || i.indisreplident || i.indnatts || ' ' ||
      (SELECT string_agg(pg_get_indexdef(c.oid, k, true), ', ' ORDER BY k)
        FROM generate_series(1, i.indnatts) AS k)
    FROM own c JOIN pg_index i ON i.indexrelid = c.oid WHERE NOT c.relispartition
  UNION ALL SELECT 'constraint ' || k.conname || ' of ' || c.relname || ' ' || k.contype::text ||
      k.convalidated || k.condeferrable || k.condeferred
    FROM pg_constraint k JOIN own c ON c.oid = k.conrelid WHERE k.conparentid = 0
  UNION ALL SELECT 'trigger ' || t.tgname || ' of ' || c.relname || ' ' || t.tgtype || t.tgenabled::text
    FROM pg_trigger t JOIN own c ON c.oid = t.tgrelid WHERE NOT t.tgisinternal AND t.tgparentid = 0
  UNION ALL SELECT 'function ' || p.oid::regprocedure || ' ' || p.prosecdef || p.provolatile::text || md5(p.prosrc)
      || coalesce(array_to_string(p.proconfig, ' '), '')
    FROM pg_proc p, n WHERE p.pronamespace = n.oid
  UNION ALL SELECT 'inheritance ' || a.relname || ' of ' || b.relname FROM pg_inherits i
    JOIN own a ON a.oid = i.inhrelid JOIN own b ON b.oid = i.inhparent
    WHERE a.relkind NOT IN ('i', 'I')
  UNION ALL SELECT 'sequence ' || c.relname || ' ' || s.seqtypid::regtype || ' ' || s.seqstart || ' ' ||
      s.seqincrement || ' ' || s.seqmax || ' ' || s.seqmin || ' ' || s.seqcache || s.seqcycle
    FROM pg_sequence s JOIN own c ON c.oid = s.seqrelid
) AS made ORDER BY line COLLATE "C")sql";

}  // namespace tenon::data::postgresql::catalog_sql
