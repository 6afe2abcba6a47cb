// libpq, loaded when it is first called. Linked, it brings TLS, Kerberos and LDAP into every
// process: twenty-two libraries, and 5 ms of each start, also where no PostgreSQL is asked for.

#include <string>

#include <dlfcn.h>
#include <libpq-fe.h>

#include "data/sql_error.hpp"

namespace {

void* library() {
  static void* const loaded = ::dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
  if (loaded) return loaded;
  throw tenon::data::SqlError(
      503, "data.open", "The library of PostgreSQL is missing; install Debian's package libpq5.", 0,
      "libpq.so.5 cannot be loaded");
}

// The function of the library that `own` stands for.
template <typename Function>
Function* load(Function& own, const char* name) {
  static_cast<void>(own);
  if (void* const found = ::dlsym(library(), name)) return reinterpret_cast<Function*>(found);
  throw tenon::data::SqlError(
      503, "data.open", "The library of PostgreSQL is too old; install Debian's package libpq5.", 0,
      std::string("libpq.so.5 has no ") + name);
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): libpq's names
extern "C" {

int PQcancel(PGcancel* cancel, char* errbuf, int errbufsize) {
  static const auto call = load(PQcancel, "PQcancel");
  return call(cancel, errbuf, errbufsize);
}

void PQclear(PGresult* res) {
  static const auto call = load(PQclear, "PQclear");
  call(res);
}

char* PQcmdStatus(PGresult* res) {
  static const auto call = load(PQcmdStatus, "PQcmdStatus");
  return call(res);
}

char* PQcmdTuples(PGresult* res) {
  static const auto call = load(PQcmdTuples, "PQcmdTuples");
  return call(res);
}

PGconn* PQconnectdbParams(const char* const* keywords, const char* const* values,
                          int expand_dbname) {
  static const auto call = load(PQconnectdbParams, "PQconnectdbParams");
  return call(keywords, values, expand_dbname);
}

int PQconsumeInput(PGconn* conn) {
  static const auto call = load(PQconsumeInput, "PQconsumeInput");
  return call(conn);
}

char* PQencryptPasswordConn(PGconn* conn, const char* passwd, const char* user,
                            const char* algorithm) {
  static const auto call = load(PQencryptPasswordConn, "PQencryptPasswordConn");
  return call(conn, passwd, user, algorithm);
}

int PQenterPipelineMode(PGconn* conn) {
  static const auto call = load(PQenterPipelineMode, "PQenterPipelineMode");
  return call(conn);
}

char* PQerrorMessage(const PGconn* conn) {
  static const auto call = load(PQerrorMessage, "PQerrorMessage");
  return call(conn);
}

int PQexitPipelineMode(PGconn* conn) {
  static const auto call = load(PQexitPipelineMode, "PQexitPipelineMode");
  return call(conn);
}

void PQfinish(PGconn* conn) {
  static const auto call = load(PQfinish, "PQfinish");
  call(conn);
}

int PQflush(PGconn* conn) {
  static const auto call = load(PQflush, "PQflush");
  return call(conn);
}

char* PQfname(const PGresult* res, int field_num) {
  static const auto call = load(PQfname, "PQfname");
  return call(res, field_num);
}

void PQfreeCancel(PGcancel* cancel) {
  static const auto call = load(PQfreeCancel, "PQfreeCancel");
  call(cancel);
}

void PQfreemem(void* ptr) {
  static const auto call = load(PQfreemem, "PQfreemem");
  call(ptr);
}

Oid PQftype(const PGresult* res, int field_num) {
  static const auto call = load(PQftype, "PQftype");
  return call(res, field_num);
}

PGcancel* PQgetCancel(PGconn* conn) {
  static const auto call = load(PQgetCancel, "PQgetCancel");
  return call(conn);
}

PGresult* PQgetResult(PGconn* conn) {
  static const auto call = load(PQgetResult, "PQgetResult");
  return call(conn);
}

int PQgetCopyData(PGconn* conn, char** buffer, int async) {
  static const auto call = load(PQgetCopyData, "PQgetCopyData");
  return call(conn, buffer, async);
}

int PQgetisnull(const PGresult* res, int tup_num, int field_num) {
  static const auto call = load(PQgetisnull, "PQgetisnull");
  return call(res, tup_num, field_num);
}

int PQgetlength(const PGresult* res, int tup_num, int field_num) {
  static const auto call = load(PQgetlength, "PQgetlength");
  return call(res, tup_num, field_num);
}

char* PQgetvalue(const PGresult* res, int tup_num, int field_num) {
  static const auto call = load(PQgetvalue, "PQgetvalue");
  return call(res, tup_num, field_num);
}

int PQisBusy(PGconn* conn) {
  static const auto call = load(PQisBusy, "PQisBusy");
  return call(conn);
}

int PQnfields(const PGresult* res) {
  static const auto call = load(PQnfields, "PQnfields");
  return call(res);
}

int PQntuples(const PGresult* res) {
  static const auto call = load(PQntuples, "PQntuples");
  return call(res);
}

PGpipelineStatus PQpipelineStatus(const PGconn* conn) {
  static const auto call = load(PQpipelineStatus, "PQpipelineStatus");
  return call(conn);
}

int PQpipelineSync(PGconn* conn) {
  static const auto call = load(PQpipelineSync, "PQpipelineSync");
  return call(conn);
}

int PQputCopyData(PGconn* conn, const char* buffer, int nbytes) {
  static const auto call = load(PQputCopyData, "PQputCopyData");
  return call(conn, buffer, nbytes);
}

int PQputCopyEnd(PGconn* conn, const char* errormsg) {
  static const auto call = load(PQputCopyEnd, "PQputCopyEnd");
  return call(conn, errormsg);
}

char* PQresultErrorField(const PGresult* res, int fieldcode) {
  static const auto call = load(PQresultErrorField, "PQresultErrorField");
  return call(res, fieldcode);
}

size_t PQresultMemorySize(const PGresult* res) {
  static const auto call = load(PQresultMemorySize, "PQresultMemorySize");
  return call(res);
}

ExecStatusType PQresultStatus(const PGresult* res) {
  static const auto call = load(PQresultStatus, "PQresultStatus");
  return call(res);
}

int PQsendPrepare(PGconn* conn, const char* stmt_name, const char* query, int n_params,
                  const Oid* param_types) {
  static const auto call = load(PQsendPrepare, "PQsendPrepare");
  return call(conn, stmt_name, query, n_params, param_types);
}

int PQsendQuery(PGconn* conn, const char* query) {
  static const auto call = load(PQsendQuery, "PQsendQuery");
  return call(conn, query);
}

int PQsendQueryParams(PGconn* conn, const char* command, int n_params, const Oid* param_types,
                      const char* const* param_values, const int* param_lengths,
                      const int* param_formats, int result_format) {
  static const auto call = load(PQsendQueryParams, "PQsendQueryParams");
  return call(conn, command, n_params, param_types, param_values, param_lengths, param_formats,
              result_format);
}

int PQsendQueryPrepared(PGconn* conn, const char* stmt_name, int n_params,
                        const char* const* param_values, const int* param_lengths,
                        const int* param_formats, int result_format) {
  static const auto call = load(PQsendQueryPrepared, "PQsendQueryPrepared");
  return call(conn, stmt_name, n_params, param_values, param_lengths, param_formats, result_format);
}

int PQsetnonblocking(PGconn* conn, int arg) {
  static const auto call = load(PQsetnonblocking, "PQsetnonblocking");
  return call(conn, arg);
}

int PQsocket(const PGconn* conn) {
  static const auto call = load(PQsocket, "PQsocket");
  return call(conn);
}

ConnStatusType PQstatus(const PGconn* conn) {
  static const auto call = load(PQstatus, "PQstatus");
  return call(conn);
}
}
// NOLINTEND(readability-identifier-naming)
