-- One line of JSON for bench.py; the other scripts end with it too.
done = function(summary, latency)
  local errors = summary.errors
  print(string.format('{"requests":%d,"seconds":%.6f,"max_ms":%.3f,"errors":%d}', summary.requests, summary.duration / 1e6,
    latency.max / 1e3, errors.connect + errors.read + errors.write + errors.status + errors.timeout))
end
