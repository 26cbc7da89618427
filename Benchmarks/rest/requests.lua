-- The requests of one thread of wrk: `wrk -s requests.lua URL -- MIX BOOKS`. MIX is one, pages or mixed. `done` prints the result as JSON.
local number = 0

function setup(thread)
  number = number + 1
  thread:set("number", number)
end

function init(arguments)
  mix, books = arguments[1], tonumber(arguments[2])
  math.randomseed(number)
end

function request()
  local isbn = string.format("978%010d", math.random(0, books - 1))
  if mix == "pages" then
    return wrk.format("GET", "/books?offset=" .. 20 * math.random(0, 49))
  elseif mix == "mixed" and math.random(10) == 1 then
    local body = string.format('{"isbn":"%s","title":"Book %d","year":%d}', isbn, math.random(books), math.random(1900, 2024))
    return wrk.format("PUT", "/books/" .. isbn, { ["Content-Type"] = "application/json" }, body)
  end
  return wrk.format("GET", "/books/" .. isbn)
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    'RESULT {"requests": %d, "seconds": %f, "p50": %f, "p99": %f, "errors": %d}\n', summary.requests, summary.duration / 1e6,
    latency:percentile(50) / 1e3, latency:percentile(99) / 1e3,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout))
end
