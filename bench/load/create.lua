-- Creates one record a request. Argument: its JSON, else one for /records.
require("report")

wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
wrk.body = '{"title":"A record of the usual length","body":"' .. string.rep("x", 200) .. '"}'

init = function(arguments)
  wrk.body = arguments[1] or wrk.body
end
