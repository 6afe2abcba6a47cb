#pragma once

#include <libpq-fe.h>

// The functions of libpq that this room calls, without their prefix PQ.
#define TENON_LIBPQ_FUNCTIONS(use)                                                                 \
  use(cancel) use(clear) use(cmdStatus) use(cmdTuples) use(connectdbParams) use(consumeInput)      \
      use(encryptPasswordConn) use(enterPipelineMode) use(errorMessage) use(exitPipelineMode)      \
          use(finish) use(flush) use(fname) use(freeCancel) use(freemem) use(ftype) use(getCancel) \
              use(getCopyData) use(getResult) use(getisnull) use(getlength) use(getvalue)          \
                  use(isBusy) use(nfields) use(ntuples) use(pipelineStatus) use(pipelineSync)      \
                      use(putCopyData) use(putCopyEnd) use(resultErrorField) use(resultMemorySize) \
                          use(resultStatus) use(sendPrepare) use(sendQuery) use(sendQueryParams)   \
                              use(sendQueryPrepared) use(setnonblocking) use(socket) use(status)

namespace tenon::data::postgresql {

/// libpq as a table: `libpq().getvalue(...)` calls PQgetvalue.
struct Libpq {
#define TENON_LIBPQ_MEMBER(name) decltype(&::PQ##name) name = nullptr;
  TENON_LIBPQ_FUNCTIONS(TENON_LIBPQ_MEMBER)
#undef TENON_LIBPQ_MEMBER
};

/// Returns the functions of libpq. The first call opens the library, which then stays open for the
/// life of the process; a call that fails is repeated by the next one.
///
/// Thread: any. Throws SqlError 503 "data.open" when the library or one of its functions is
/// missing. It does not throw while a connection or a result exists: the library is open then.
const Libpq& libpq();

}  // namespace tenon::data::postgresql
