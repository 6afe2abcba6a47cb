/*
 * Checks the layout of the ABI in memory, number by number. Compiled as C11 and C++20 by gcc and
 * clang, with -Wpadded. A line here changes only when a struct that may grow gets a new last
 * member: then its size, and a new line.
 */
#include "layout.h"

SIZE(tenon_code, 4, 4);
SIZE(tenon_handle, 8, 8);

/* tenon_span */
SIZE(tenon_span, 16, 8);
AT(tenon_span, data, 0, 8);
AT(tenon_span, size, 8, 8);

/* tenon_error */
SIZE(tenon_error, 512, 4);
AT(tenon_error, size, 0, 4);
AT(tenon_error, code, 4, 4);
AT(tenon_error, status, 8, 4);
AT(tenon_error, reserved, 12, 4);
AT(tenon_error, name, 16, 64);
AT(tenon_error, message, 80, 432);

/* tenon_cell */
SIZE(tenon_cell, 24, 8);
AT(tenon_cell, type, 0, 4);
AT(tenon_cell, reserved, 4, 4);
AT(tenon_cell, as, 8, 8);
AT(tenon_cell, size, 16, 8);

/* tenon_callback */
SIZE(tenon_callback, 24, 8);
AT(tenon_callback, fn, 0, 8);
AT(tenon_callback, ctx, 8, 8);
AT(tenon_callback, drop, 16, 8);

/* tenon_blob */
SIZE(tenon_blob, 160, 8);
AT(tenon_blob, size, 0, 4);
AT(tenon_blob, claims, 4, 4);
AT(tenon_blob, bytes, 8, 8);
AT(tenon_blob, created_ms, 16, 8);
AT(tenon_blob, id, 24, 72);
AT(tenon_blob, type, 96, 64);

/* tenon_blobs_uploads */
SIZE(tenon_blobs_uploads, 48, 8);
AT(tenon_blobs_uploads, size, 0, 4);
AT(tenon_blobs_uploads, access, 4, 4);
AT(tenon_blobs_uploads, permission, 8, 16);
AT(tenon_blobs_uploads, max_bytes, 24, 8);
AT(tenon_blobs_uploads, types, 32, 8);
AT(tenon_blobs_uploads, type_count, 40, 4);
AT(tenon_blobs_uploads, reserved, 44, 4);

/* tenon_blobs */
SIZE(tenon_blobs, 112, 8);
AT(tenon_blobs, size, 0, 4);
AT(tenon_blobs, reserved, 4, 4);
AT(tenon_blobs, create, 8, 8);
AT(tenon_blobs, write, 16, 8);
AT(tenon_blobs, finish, 24, 8);
AT(tenon_blobs, abort, 32, 8);
AT(tenon_blobs, open, 40, 8);
AT(tenon_blobs, read, 48, 8);
AT(tenon_blobs, close, 56, 8);
AT(tenon_blobs, claim, 64, 8);
AT(tenon_blobs, release, 72, 8);
AT(tenon_blobs, stat, 80, 8);
AT(tenon_blobs, respond, 88, 8);
AT(tenon_blobs, accept_uploads, 96, 8);
AT(tenon_blobs, check_uploader, 104, 8);

/* tenon_db_result */
SIZE(tenon_db_result, 24, 8);
AT(tenon_db_result, size, 0, 4);
AT(tenon_db_result, reserved, 4, 4);
AT(tenon_db_result, changes, 8, 8);
AT(tenon_db_result, last_row_id, 16, 8);

/* tenon_db_batch */
SIZE(tenon_db_batch, 32, 8);
AT(tenon_db_batch, size, 0, 4);
AT(tenon_db_batch, columns, 4, 4);
AT(tenon_db_batch, rows, 8, 4);
AT(tenon_db_batch, more, 12, 4);
AT(tenon_db_batch, cells, 16, 8);
AT(tenon_db_batch, names, 24, 8);

/* tenon_text_sink */
SIZE(tenon_text_sink, 16, 8);
AT(tenon_text_sink, fn, 0, 8);
AT(tenon_text_sink, ctx, 8, 8);

/* tenon_db_work */
SIZE(tenon_db_work, 32, 8);
AT(tenon_db_work, fn, 0, 8);
AT(tenon_db_work, done, 8, 8);
AT(tenon_db_work, ctx, 16, 8);
AT(tenon_db_work, drop, 24, 8);

/* tenon_db_migration_batch */
SIZE(tenon_db_migration_batch, 48, 8);
AT(tenon_db_migration_batch, size, 0, 4);
AT(tenon_db_migration_batch, number, 4, 4);
AT(tenon_db_migration_batch, transaction, 8, 8);
AT(tenon_db_migration_batch, done, 16, 8);
AT(tenon_db_migration_batch, total, 24, 8);
AT(tenon_db_migration_batch, checkpoint, 32, 16);

/* tenon_db_migration_progress */
SIZE(tenon_db_migration_progress, 1048, 8);
AT(tenon_db_migration_progress, size, 0, 4);
AT(tenon_db_migration_progress, checkpoint_size, 4, 4);
AT(tenon_db_migration_progress, done, 8, 8);
AT(tenon_db_migration_progress, total, 16, 8);
AT(tenon_db_migration_progress, checkpoint, 24, 1024);

/* tenon_db_migration */
SIZE(tenon_db_migration, 24, 8);
AT(tenon_db_migration, fn, 0, 8);
AT(tenon_db_migration, ctx, 8, 8);
AT(tenon_db_migration, drop, 16, 8);

/* tenon_db */
SIZE(tenon_db, 96, 8);
AT(tenon_db, size, 0, 4);
AT(tenon_db, reserved, 4, 4);
AT(tenon_db, begin, 8, 8);
AT(tenon_db, exec, 16, 8);
AT(tenon_db, query, 24, 8);
AT(tenon_db, next, 32, 8);
AT(tenon_db, close, 40, 8);
AT(tenon_db, commit, 48, 8);
AT(tenon_db, rollback, 56, 8);
AT(tenon_db, query_json, 64, 8);
AT(tenon_db, queue_write, 72, 8);
AT(tenon_db, migrate, 80, 8);
AT(tenon_db, engine, 88, 8);

/* tenon_host */
SIZE(tenon_host, 72, 8);
AT(tenon_host, size, 0, 4);
AT(tenon_host, abi_major, 4, 2);
AT(tenon_host, abi_minor, 6, 2);
AT(tenon_host, impl, 8, 8);
AT(tenon_host, version, 16, 16);
AT(tenon_host, plugin_id, 32, 16);
AT(tenon_host, instance, 48, 8);
AT(tenon_host, generation, 56, 8);
AT(tenon_host, get_interface, 64, 8);

/* tenon_plugin */
SIZE(tenon_plugin, 64, 8);
AT(tenon_plugin, size, 0, 4);
AT(tenon_plugin, flags, 4, 4);
AT(tenon_plugin, impl, 8, 8);
AT(tenon_plugin, start, 16, 8);
AT(tenon_plugin, quiesce, 24, 8);
AT(tenon_plugin, stop, 32, 8);
AT(tenon_plugin, destroy, 40, 8);
AT(tenon_plugin, get_interface, 48, 8);
AT(tenon_plugin, health, 56, 8);

/* tenon_plugin_entry */
SIZE(tenon_plugin_entry, 64, 8);
AT(tenon_plugin_entry, magic, 0, 8);
AT(tenon_plugin_entry, size, 8, 4);
AT(tenon_plugin_entry, abi_major, 12, 2);
AT(tenon_plugin_entry, abi_minor, 14, 2);
AT(tenon_plugin_entry, needs_host_minor, 16, 2);
AT(tenon_plugin_entry, reserved, 18, 2);
AT(tenon_plugin_entry, flags, 20, 4);
AT(tenon_plugin_entry, id, 24, 16);
AT(tenon_plugin_entry, version, 40, 16);
AT(tenon_plugin_entry, create, 56, 8);

/* tenon_http_field */
SIZE(tenon_http_field, 32, 8);
AT(tenon_http_field, name, 0, 16);
AT(tenon_http_field, value, 16, 16);

/* tenon_http_request */
SIZE(tenon_http_request, 144, 8);
AT(tenon_http_request, size, 0, 4);
AT(tenon_http_request, method, 4, 4);
AT(tenon_http_request, handle, 8, 8);
AT(tenon_http_request, path, 16, 16);
AT(tenon_http_request, query, 32, 16);
AT(tenon_http_request, body, 48, 16);
AT(tenon_http_request, content_length, 64, 8);
AT(tenon_http_request, fields, 72, 8);
AT(tenon_http_request, params, 80, 8);
AT(tenon_http_request, field_count, 88, 4);
AT(tenon_http_request, param_count, 92, 4);
AT(tenon_http_request, request_id, 96, 16);
AT(tenon_http_request, peer, 112, 16);
AT(tenon_http_request, user_id, 128, 16);

/* tenon_http_handler */
SIZE(tenon_http_handler, 24, 8);
AT(tenon_http_handler, fn, 0, 8);
AT(tenon_http_handler, ctx, 8, 8);
AT(tenon_http_handler, drop, 16, 8);

/* tenon_http_route */
SIZE(tenon_http_route, 120, 8);
AT(tenon_http_route, size, 0, 4);
AT(tenon_http_route, method, 4, 4);
AT(tenon_http_route, pattern, 8, 16);
AT(tenon_http_route, permission, 24, 16);
AT(tenon_http_route, body_limit, 40, 8);
AT(tenon_http_route, access, 48, 4);
AT(tenon_http_route, body, 52, 4);
AT(tenon_http_route, flags, 56, 4);
AT(tenon_http_route, reserved, 60, 4);
AT(tenon_http_route, handler, 64, 24);
AT(tenon_http_route, summary, 88, 16);
AT(tenon_http_route, operation, 104, 16);

/* tenon_http_response */
SIZE(tenon_http_response, 56, 8);
AT(tenon_http_response, size, 0, 4);
AT(tenon_http_response, status, 4, 4);
AT(tenon_http_response, content_type, 8, 16);
AT(tenon_http_response, fields, 24, 8);
AT(tenon_http_response, field_count, 32, 4);
AT(tenon_http_response, reserved, 36, 4);
AT(tenon_http_response, body, 40, 16);

/* tenon_http_field_error */
SIZE(tenon_http_field_error, 48, 8);
AT(tenon_http_field_error, field, 0, 16);
AT(tenon_http_field_error, code, 16, 16);
AT(tenon_http_field_error, message, 32, 16);

/* tenon_http_problem */
SIZE(tenon_http_problem, 88, 8);
AT(tenon_http_problem, size, 0, 4);
AT(tenon_http_problem, status, 4, 4);
AT(tenon_http_problem, code, 8, 16);
AT(tenon_http_problem, message, 24, 16);
AT(tenon_http_problem, errors, 40, 8);
AT(tenon_http_problem, error_count, 48, 4);
AT(tenon_http_problem, reserved, 52, 4);
AT(tenon_http_problem, extra, 56, 16);
AT(tenon_http_problem, fields, 72, 8);
AT(tenon_http_problem, field_count, 80, 4);
AT(tenon_http_problem, reserved_too, 84, 4);

/* tenon_http_body_sink */
SIZE(tenon_http_body_sink, 32, 8);
AT(tenon_http_body_sink, data, 0, 8);
AT(tenon_http_body_sink, end, 8, 8);
AT(tenon_http_body_sink, ctx, 16, 8);
AT(tenon_http_body_sink, drop, 24, 8);

/* tenon_http */
SIZE(tenon_http, 72, 8);
AT(tenon_http, size, 0, 4);
AT(tenon_http, reserved, 4, 4);
AT(tenon_http, add_route, 8, 8);
AT(tenon_http, respond, 16, 8);
AT(tenon_http, respond_problem, 24, 8);
AT(tenon_http, begin, 32, 8);
AT(tenon_http, write, 40, 8);
AT(tenon_http, end, 48, 8);
AT(tenon_http, read_body, 56, 8);
AT(tenon_http, check, 64, 8);

/* tenon_user */
SIZE(tenon_user, 384, 4);
AT(tenon_user, size, 0, 4);
AT(tenon_user, flags, 4, 4);
AT(tenon_user, id, 8, 40);
AT(tenon_user, login, 48, 72);
AT(tenon_user, name, 120, 264);

/* tenon_group_id */
SIZE(tenon_group_id, 40, 1);
AT(tenon_group_id, id, 0, 40);

/* tenon_identity */
SIZE(tenon_identity, 48, 8);
AT(tenon_identity, size, 0, 4);
AT(tenon_identity, reserved, 4, 4);
AT(tenon_identity, requester, 8, 8);
AT(tenon_identity, can, 16, 8);
AT(tenon_identity, find, 24, 8);
AT(tenon_identity, next, 32, 8);
AT(tenon_identity, groups, 40, 8);

/* tenon_job_run */
SIZE(tenon_job_run, 104, 8);
AT(tenon_job_run, size, 0, 4);
AT(tenon_job_run, attempt, 4, 4);
AT(tenon_job_run, handle, 8, 8);
AT(tenon_job_run, id, 16, 16);
AT(tenon_job_run, kind, 32, 16);
AT(tenon_job_run, payload, 48, 16);
AT(tenon_job_run, key, 64, 16);
AT(tenon_job_run, schedule, 80, 16);
AT(tenon_job_run, max_attempts, 96, 4);
AT(tenon_job_run, reserved, 100, 4);

/* tenon_jobs_handler */
SIZE(tenon_jobs_handler, 24, 8);
AT(tenon_jobs_handler, fn, 0, 8);
AT(tenon_jobs_handler, ctx, 8, 8);
AT(tenon_jobs_handler, drop, 16, 8);

/* tenon_jobs_schedule */
SIZE(tenon_jobs_schedule, 88, 8);
AT(tenon_jobs_schedule, size, 0, 4);
AT(tenon_jobs_schedule, flags, 4, 4);
AT(tenon_jobs_schedule, name, 8, 16);
AT(tenon_jobs_schedule, cron, 24, 16);
AT(tenon_jobs_schedule, time_zone, 40, 16);
AT(tenon_jobs_schedule, kind, 56, 16);
AT(tenon_jobs_schedule, payload, 72, 16);

/* tenon_job_request */
SIZE(tenon_job_request, 80, 8);
AT(tenon_job_request, size, 0, 4);
AT(tenon_job_request, max_attempts, 4, 4);
AT(tenon_job_request, kind, 8, 16);
AT(tenon_job_request, payload, 24, 16);
AT(tenon_job_request, key, 40, 16);
AT(tenon_job_request, run_at_ms, 56, 8);
AT(tenon_job_request, backoff_ms, 64, 8);
AT(tenon_job_request, max_backoff_ms, 72, 8);

/* tenon_job_receipt */
SIZE(tenon_job_receipt, 48, 4);
AT(tenon_job_receipt, size, 0, 4);
AT(tenon_job_receipt, is_new, 4, 4);
AT(tenon_job_receipt, id, 8, 40);

/* tenon_job */
SIZE(tenon_job, 1184, 8);
AT(tenon_job, size, 0, 4);
AT(tenon_job, state, 4, 4);
AT(tenon_job, attempts, 8, 4);
AT(tenon_job, max_attempts, 12, 4);
AT(tenon_job, done, 16, 8);
AT(tenon_job, total, 24, 8);
AT(tenon_job, run_at_ms, 32, 8);
AT(tenon_job, created_ms, 40, 8);
AT(tenon_job, started_ms, 48, 8);
AT(tenon_job, finished_ms, 56, 8);
AT(tenon_job, id, 64, 40);
AT(tenon_job, kind, 104, 72);
AT(tenon_job, text, 176, 504);
AT(tenon_job, error, 680, 504);

/* tenon_jobs */
SIZE(tenon_jobs, 64, 8);
AT(tenon_jobs, size, 0, 4);
AT(tenon_jobs, reserved, 4, 4);
AT(tenon_jobs, set_handler, 8, 8);
AT(tenon_jobs, schedule, 16, 8);
AT(tenon_jobs, enqueue, 24, 8);
AT(tenon_jobs, find, 32, 8);
AT(tenon_jobs, cancel, 40, 8);
AT(tenon_jobs, progress, 48, 8);
AT(tenon_jobs, is_cancelled, 56, 8);

/* tenon_log_field */
SIZE(tenon_log_field, 32, 8);
AT(tenon_log_field, name, 0, 16);
AT(tenon_log_field, value, 16, 16);

/* tenon_log */
SIZE(tenon_log, 24, 8);
AT(tenon_log, size, 0, 4);
AT(tenon_log, reserved, 4, 4);
AT(tenon_log, write, 8, 8);
AT(tenon_log, enabled, 16, 8);

/* tenon_settings_watcher */
SIZE(tenon_settings_watcher, 24, 8);
AT(tenon_settings_watcher, fn, 0, 8);
AT(tenon_settings_watcher, ctx, 8, 8);
AT(tenon_settings_watcher, drop, 16, 8);

/* tenon_settings */
SIZE(tenon_settings, 32, 8);
AT(tenon_settings, size, 0, 4);
AT(tenon_settings, reserved, 4, 4);
AT(tenon_settings, get, 8, 8);
AT(tenon_settings, set, 16, 8);
AT(tenon_settings, watch, 24, 8);

/* tenon_tables_actor */
SIZE(tenon_tables_actor, 32, 8);
AT(tenon_tables_actor, size, 0, 4);
AT(tenon_tables_actor, flags, 4, 4);
AT(tenon_tables_actor, source, 8, 8);
AT(tenon_tables_actor, user, 16, 16);

/* tenon_tables_write */
SIZE(tenon_tables_write, 112, 8);
AT(tenon_tables_write, size, 0, 4);
AT(tenon_tables_write, operation, 4, 4);
AT(tenon_tables_write, handle, 8, 8);
AT(tenon_tables_write, transaction, 16, 8);
AT(tenon_tables_write, table, 24, 16);
AT(tenon_tables_write, id, 40, 16);
AT(tenon_tables_write, before, 56, 16);
AT(tenon_tables_write, change, 72, 16);
AT(tenon_tables_write, user, 88, 16);
AT(tenon_tables_write, flags, 104, 4);
AT(tenon_tables_write, reserved, 108, 4);

/* tenon_tables_before */
SIZE(tenon_tables_before, 24, 8);
AT(tenon_tables_before, fn, 0, 8);
AT(tenon_tables_before, ctx, 8, 8);
AT(tenon_tables_before, drop, 16, 8);

/* tenon_tables_change */
SIZE(tenon_tables_change, 32, 8);
AT(tenon_tables_change, size, 0, 4);
AT(tenon_tables_change, operation, 4, 4);
AT(tenon_tables_change, sequence, 8, 8);
AT(tenon_tables_change, id, 16, 16);

/* tenon_tables_after */
SIZE(tenon_tables_after, 24, 8);
AT(tenon_tables_after, fn, 0, 8);
AT(tenon_tables_after, ctx, 8, 8);
AT(tenon_tables_after, drop, 16, 8);

/* tenon_tables_page */
SIZE(tenon_tables_page, 56, 8);
AT(tenon_tables_page, size, 0, 4);
AT(tenon_tables_page, count, 4, 4);
AT(tenon_tables_page, handle, 8, 8);
AT(tenon_tables_page, table, 16, 16);
AT(tenon_tables_page, records, 32, 8);
AT(tenon_tables_page, user, 40, 16);

/* tenon_tables_extender */
SIZE(tenon_tables_extender, 24, 8);
AT(tenon_tables_extender, fn, 0, 8);
AT(tenon_tables_extender, ctx, 8, 8);
AT(tenon_tables_extender, drop, 16, 8);

/* tenon_tables_query */
SIZE(tenon_tables_query, 136, 8);
AT(tenon_tables_query, size, 0, 4);
AT(tenon_tables_query, flags, 4, 4);
AT(tenon_tables_query, table, 8, 16);
AT(tenon_tables_query, filter, 24, 16);
AT(tenon_tables_query, values, 40, 8);
AT(tenon_tables_query, value_count, 48, 4);
AT(tenon_tables_query, limit, 52, 4);
AT(tenon_tables_query, search, 56, 16);
AT(tenon_tables_query, sort, 72, 16);
AT(tenon_tables_query, fields, 88, 16);
AT(tenon_tables_query, expand, 104, 16);
AT(tenon_tables_query, cursor, 120, 16);

/* tenon_tables */
SIZE(tenon_tables, 96, 8);
AT(tenon_tables, size, 0, 4);
AT(tenon_tables, reserved, 4, 4);
AT(tenon_tables, before_write, 8, 8);
AT(tenon_tables, after_write, 16, 8);
AT(tenon_tables, extend, 24, 8);
AT(tenon_tables, set, 32, 8);
AT(tenon_tables, reject_field, 40, 8);
AT(tenon_tables, add_extra, 48, 8);
AT(tenon_tables, get, 56, 8);
AT(tenon_tables, list, 64, 8);
AT(tenon_tables, insert, 72, 8);
AT(tenon_tables, update, 80, 8);
AT(tenon_tables, remove, 88, 8);

/* tenon_events_topic */
SIZE(tenon_events_topic, 40, 8);
AT(tenon_events_topic, size, 0, 4);
AT(tenon_events_topic, reserved, 4, 4);
AT(tenon_events_topic, name, 8, 16);
AT(tenon_events_topic, permission, 24, 16);

/* tenon_event */
SIZE(tenon_event, 64, 8);
AT(tenon_event, size, 0, 4);
AT(tenon_event, flags, 4, 4);
AT(tenon_event, topic, 8, 16);
AT(tenon_event, data, 24, 16);
AT(tenon_event, users, 40, 8);
AT(tenon_event, groups, 48, 8);
AT(tenon_event, user_count, 56, 4);
AT(tenon_event, group_count, 60, 4);

/* tenon_events */
SIZE(tenon_events, 24, 8);
AT(tenon_events, size, 0, 4);
AT(tenon_events, reserved, 4, 4);
AT(tenon_events, declare, 8, 8);
AT(tenon_events, publish, 16, 8);

/* tenon_search_query */
SIZE(tenon_search_query, 40, 8);
AT(tenon_search_query, size, 0, 4);
AT(tenon_search_query, flags, 4, 4);
AT(tenon_search_query, text, 8, 16);
AT(tenon_search_query, tables, 24, 8);
AT(tenon_search_query, table_count, 32, 4);
AT(tenon_search_query, limit, 36, 4);

/* tenon_search */
SIZE(tenon_search, 16, 8);
AT(tenon_search, size, 0, 4);
AT(tenon_search, reserved, 4, 4);
AT(tenon_search, find, 8, 8);

/* tenon_services_request */
SIZE(tenon_services_request, 104, 8);
AT(tenon_services_request, size, 0, 4);
AT(tenon_services_request, remaining_ms, 4, 4);
AT(tenon_services_request, handle, 8, 8);
AT(tenon_services_request, caller, 16, 16);
AT(tenon_services_request, caller_version, 32, 16);
AT(tenon_services_request, service, 48, 16);
AT(tenon_services_request, method, 64, 16);
AT(tenon_services_request, request, 80, 16);
AT(tenon_services_request, revision, 96, 4);
AT(tenon_services_request, reserved, 100, 4);

/* tenon_services_handler */
SIZE(tenon_services_handler, 24, 8);
AT(tenon_services_handler, fn, 0, 8);
AT(tenon_services_handler, ctx, 8, 8);
AT(tenon_services_handler, drop, 16, 8);

/* tenon_services_call */
SIZE(tenon_services_call, 64, 8);
AT(tenon_services_call, size, 0, 4);
AT(tenon_services_call, revision, 4, 4);
AT(tenon_services_call, service, 8, 16);
AT(tenon_services_call, method, 24, 16);
AT(tenon_services_call, request, 40, 16);
AT(tenon_services_call, deadline_ms, 56, 4);
AT(tenon_services_call, flags, 60, 4);

/* tenon_services */
SIZE(tenon_services, 32, 8);
AT(tenon_services, size, 0, 4);
AT(tenon_services, reserved, 4, 4);
AT(tenon_services, offer, 8, 8);
AT(tenon_services, call, 16, 8);
AT(tenon_services, respond, 24, 8);

/* tenon_http_client_request */
SIZE(tenon_http_client_request, 80, 8);
AT(tenon_http_client_request, size, 0, 4);
AT(tenon_http_client_request, flags, 4, 4);
AT(tenon_http_client_request, method, 8, 16);
AT(tenon_http_client_request, url, 24, 16);
AT(tenon_http_client_request, fields, 40, 8);
AT(tenon_http_client_request, field_count, 48, 4);
AT(tenon_http_client_request, timeout_ms, 52, 4);
AT(tenon_http_client_request, body, 56, 16);
AT(tenon_http_client_request, max_response_bytes, 72, 8);

/* tenon_http_client_response */
SIZE(tenon_http_client_response, 56, 8);
AT(tenon_http_client_response, size, 0, 4);
AT(tenon_http_client_response, status, 4, 4);
AT(tenon_http_client_response, url, 8, 16);
AT(tenon_http_client_response, fields, 24, 8);
AT(tenon_http_client_response, field_count, 32, 4);
AT(tenon_http_client_response, reserved, 36, 4);
AT(tenon_http_client_response, body, 40, 16);

/* tenon_http_client_sink */
SIZE(tenon_http_client_sink, 16, 8);
AT(tenon_http_client_sink, fn, 0, 8);
AT(tenon_http_client_sink, ctx, 8, 8);

/* tenon_http_client */
SIZE(tenon_http_client, 16, 8);
AT(tenon_http_client, size, 0, 4);
AT(tenon_http_client, reserved, 4, 4);
AT(tenon_http_client, send, 8, 8);
