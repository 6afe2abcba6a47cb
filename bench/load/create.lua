-- Creates one record a request. Argument: its JSON, else one for /records.
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
wrk.body = '{"title":"A record of the usual length","body":"' .. string.rep("x", 200) .. '"}'

init = function(arguments)
  wrk.body = arguments[1] or wrk.body
end

done = function(summary, latency)
  local errors = summary.errors
  print(string.format('{"requests":%d,"seconds":%.6f,"max_ms":%.3f,"errors":%d}', summary.requests, summary.duration / 1e6,
    latency.max / 1e3, errors.connect + errors.read + errors.write + errors.status + errors.timeout))
end
