-- Asks for the targets that stand in a file, a line each, one after the other. Arguments: the file; the JSON that changes each of them,
-- without which they are only got.
require("report")

local requests, at = {}, 0

init = function(arguments)
  local body = arguments[2]
  if body then
    wrk.headers["Content-Type"] = "application/json"
  end
  for target in io.lines(arguments[1]) do
    requests[#requests + 1] = wrk.format(body and "PATCH" or "GET", target, nil, body)
  end
end

request = function()
  at = at % #requests + 1
  return requests[at]
end
