-- oltp_update_non_index with Zipf draws, for versions of sysbench that have none (1.0): row k of a table is drawn in proportion to
-- k ^ -exponent, the law of --rand-type=zipfian. Tables are those that oltp_update_non_index prepares.
--
-- Draws invert the law's integral and then accept or refuse (Hoermann and Derflinger 1996), which is exact and needs no table.

sysbench.cmdline.options = {
   tables = {"Tables", 1},
   table_size = {"Rows in a table", 10000},
   exponent = {"Exponent of the law, not 1", 0.8},
}

local function integral(x, s) return (x ^ (1 - s) - 1) / (1 - s) end
local function inverse(y, s) return (1 + y * (1 - s)) ^ (1 / (1 - s)) end

-- A function that draws from 1 .. n.
local function zipf(n, s)
   local low, high = integral(1.5, s) - 1, integral(n + 0.5, s)
   local close = 2 - inverse(integral(2.5, s) - 2 ^ -s, s)
   return function()
      while true do
         local u = high + sysbench.rand.uniform_double() * (low - high)
         local x = inverse(u, s)
         local k = math.min(math.max(math.floor(x + 0.5), 1), n)
         if k - x <= close or u >= integral(k + 0.5, s) - k ^ -s then
            return k
         end
      end
   end
end

function thread_init()
   draw = zipf(sysbench.opt.table_size, sysbench.opt.exponent)
   connection = sysbench.sql.driver():connect()
   updates = {}
   for i = 1, sysbench.opt.tables do
      local statement = connection:prepare(string.format("UPDATE sbtest%d SET c = ? WHERE id = ?", i))
      local c = statement:bind_create(sysbench.sql.type.CHAR, 120)
      local id = statement:bind_create(sysbench.sql.type.INT)
      statement:bind_param(c, id)
      updates[i] = {statement = statement, c = c, id = id}
   end
end

function event()
   local update = updates[sysbench.rand.uniform(1, sysbench.opt.tables)]
   update.c:set_rand_str(string.rep("###########-", 9) .. "###########")
   update.id:set(draw())
   update.statement:execute()
end

function thread_done()
   for _, update in ipairs(updates) do
      update.statement:close()
   end
   connection:disconnect()
end
