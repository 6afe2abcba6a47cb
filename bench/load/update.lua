-- Changes the records that stand in a file, a target a line, one after the other. Arguments: the file, the JSON.
local requests, at = {}, 0

init = function(arguments)
  wrk.headers["Content-Type"] = "application/json"
  for target in io.lines(arguments[1]) do
    requests[#requests + 1] = wrk.format("PATCH", target, nil, arguments[2])
  end
end

request = function()
  at = at % #requests + 1
  return requests[at]
end

done = function(summary, latency)
  local errors = summary.errors
  print(string.format('{"requests":%d,"seconds":%.6f,"max_ms":%.3f,"errors":%d}', summary.requests, summary.duration / 1e6,
    latency.max / 1e3, errors.connect + errors.read + errors.write + errors.status + errors.timeout))
end
