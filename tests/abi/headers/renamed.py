"""Names that ABI 0.12 replaced, old to new: no layout, value or slot changed, so that older binaries run as they are. Older sources are
changed by apply(). ABI 1.0 freezes the names."""

import re

RENAMED = {
    "TENON_BLOBS_SAVE": "TENON_BLOBS_ATTACHMENT",
    "TENON_DB_OWN": "TENON_DB_AUTOCOMMIT",
    "TENON_JOBS_IS_CANCELLED": "TENON_JOBS_STATE_CANCELLED",
    "TENON_JOBS_IS_DONE": "TENON_JOBS_STATE_DONE",
    "TENON_JOBS_IS_FAILED": "TENON_JOBS_STATE_FAILED",
    "TENON_JOBS_IS_RUNNING": "TENON_JOBS_STATE_RUNNING",
    "TENON_JOBS_IS_WAITING": "TENON_JOBS_STATE_WAITING",
    "TENON_TABLES_AS_PLUGIN": "TENON_TABLES_AS_SYSTEM",
    "bookmark": "checkpoint",
    "bookmark_size": "checkpoint_size",
    "left_ms": "remaining_ms",
    "most_attempts": "max_attempts",
    "most_backoff_ms": "max_backoff_ms",
    "most_bytes": "max_bytes",
    "tenon_db_migration_place": "tenon_db_migration_progress",
    "tenon_db_sink": "tenon_text_sink",
    "tenon_job_order": "tenon_job_request",
    "tenon_tables_who": "tenon_tables_actor",
}
# A slot and parameters whose old names are words that stand elsewhere too.
RENAMED_IN_CONTEXT = [
    (r"\(\*answer\)\(const tenon_host\* host, tenon_handle request,\s+tenon_span answer\)",
     "(*respond)(const tenon_host* host, tenon_handle request, tenon_span response)"),
    (r"\btenon_tables_actor\* who\b", "tenon_tables_actor* actor"),
    (r"\btenon_db_migration_progress\* place\b", "tenon_db_migration_progress* progress"),
    (r"\bplace->", "progress->"),
    (r"\btenon_services, answer\b", "tenon_services, respond"),
    (r"\bservices->answer\(", "services->respond("),
    (r"\(\*on\)\(const tenon_host\* host, tenon_span kind, const tenon_jobs_handler\*",
     "(*set_handler)(const tenon_host* host, tenon_span kind, const tenon_jobs_handler*"),
    (r"\bconst tenon_job_request\* order\b", "const tenon_job_request* request"),
    (r"\bjobs->on\(", "jobs->set_handler("),
    (r"\btenon_jobs, on\b", "tenon_jobs, set_handler"),
    (r"\(\*write\)\(const tenon_host\* host, uint32_t deadline_ms", "(*queue_write)(const tenon_host* host, uint32_t deadline_ms"),
    (r"\bdb->write\(", "db->queue_write("),
    (r"\btenon_db, write\b", "tenon_db, queue_write"),
    (r"\(\*refuse\)\(const tenon_host\* host, tenon_handle write", "(*reject_field)(const tenon_host* host, tenon_handle write"),
    (r"\btables->refuse\(", "tables->reject_field("),
    (r"\btenon_tables, refuse\b", "tenon_tables, reject_field"),
    (r"\(\*add\)\(const tenon_host\* host, tenon_handle page", "(*add_extra)(const tenon_host* host, tenon_handle page"),
    (r"\btables->add\(", "tables->add_extra("),
    (r"\btenon_tables, add\b", "tenon_tables, add_extra"),
]


def apply(text):
    """A header or source written for ABI 0.11 or older, in the names of 0.12."""
    text = re.sub(r"\b(" + "|".join(RENAMED) + r")\b", lambda match: RENAMED[match[0]], text)
    for old, new in RENAMED_IN_CONTEXT:
        text = re.sub(old, new, text)
    return text
