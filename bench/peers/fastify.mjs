// The tasks by hand: prepared statements, reply schemas for fast serialisation, sessions in memory.
// Usage: node fastify.mjs PORT DATABASE SESSION
import { randomUUID } from "node:crypto";

import Database from "better-sqlite3";
import Fastify from "fastify";

const [port, file, session] = process.argv.slice(2);
const database = new Database(file);
database.pragma("journal_mode = WAL");
database.pragma("synchronous = NORMAL");

const columns = "id, title, body, status, priority, assignee, created, updated";
const list = database.prepare(`SELECT ${columns} FROM tasks ORDER BY created DESC LIMIT 50`);
const listFiltered = database.prepare(
  `SELECT ${columns} FROM tasks WHERE status = ? ORDER BY created DESC LIMIT 50`,
);
const listAfter = database.prepare(
  `SELECT ${columns} FROM tasks WHERE (created, id) < (?, ?) ORDER BY created DESC, id DESC LIMIT 50`,
);
const isSearched = database
  .prepare("SELECT 1 FROM sqlite_master WHERE name = 'tasks_search'")
  .get();
const search =
  isSearched &&
  database.prepare(
    `SELECT ${columns
      .split(", ")
      .map((column) => `t.${column}`)
      .join(", ")} FROM tasks_search s JOIN tasks t ON t.rowid = s.rowid
   WHERE tasks_search MATCH ? ORDER BY s.rank LIMIT 20`,
  );
const update = database.prepare(
  `UPDATE tasks SET priority = @priority, updated = @updated WHERE id = @id RETURNING ${columns}`,
);
const get = database.prepare(`SELECT ${columns} FROM tasks WHERE id = ?`);
const insert = database.prepare(
  `INSERT INTO tasks (${columns}) VALUES (@id, @title, @body, @status, @priority, @assignee, @created, @updated)`,
);

const sessions = new Map([
  [
    session,
    { user: "anna", permissions: new Set(["tasks"]), expires: Date.now() + 24 * 3600 * 1000 },
  ],
]);

function allowed(request, reply, done) {
  const cookie = /(?:^|; *)session=([^;]*)/.exec(request.headers.cookie ?? "");
  const found = cookie && sessions.get(cookie[1]);
  if (!found || found.expires < Date.now()) return reply.code(401).send({ error: "signed out" });
  if (!found.permissions.has("tasks")) return reply.code(403).send({ error: "forbidden" });
  request.session = found;
  done();
}

const text = { type: "string" };
const task = {
  type: "object",
  properties: {
    id: text,
    title: text,
    body: text,
    status: text,
    priority: { type: "integer" },
    assignee: { type: ["string", "null"] },
    created: text,
    updated: text,
  },
};
const newTask = {
  type: "object",
  required: ["title"],
  properties: {
    title: { type: "string", minLength: 1, maxLength: 200 },
    body: { type: "string", maxLength: 65536, default: "" },
    status: { enum: ["open", "doing", "done"], default: "open" },
    priority: { type: "integer", minimum: 0, maximum: 9, default: 0 },
    assignee: { type: ["string", "null"], default: null },
  },
};
const tasks = { type: "object", properties: { items: { type: "array", items: task } } };

const app = Fastify({ logger: false });
app.decorateRequest("session", null);
app.get("/health", () => ({ ok: true }));
app.get(
  "/tasks",
  { onRequest: allowed, schema: { response: { 200: tasks } } },
  (request, reply) => {
    const { status, created, id } = request.query;
    if (status) reply.send({ items: listFiltered.all(status) });
    else if (created) reply.send({ items: listAfter.all(created, id) });
    else reply.send({ items: list.all() });
  },
);
app.get(
  "/tasks/:id",
  { onRequest: allowed, schema: { response: { 200: task } } },
  (request, reply) => {
    const row = get.get(request.params.id);
    if (row) reply.send(row);
    else reply.code(404).send({ error: "no such task" });
  },
);
app.post(
  "/tasks",
  { onRequest: allowed, schema: { body: newTask, response: { 201: task } } },
  (request, reply) => {
    const now = new Date().toISOString();
    const row = { ...request.body, id: randomUUID(), created: now, updated: now };
    insert.run(row);
    reply.code(201).send(row);
  },
);
if (isSearched)
  app.get(
    "/search",
    { onRequest: allowed, schema: { response: { 200: tasks } } },
    (request, reply) => {
      // As words, whatever is typed.
      const words = request.query.q.split(/\s+/).map((word) => `"${word.replaceAll('"', '""')}"`);
      reply.send({ items: search.all(words.join(" ")) });
    },
  );
app.patch(
  "/tasks/:id",
  {
    onRequest: allowed,
    schema: {
      body: {
        type: "object",
        required: ["priority"],
        properties: { priority: newTask.properties.priority },
      },
      response: { 200: task },
    },
  },
  (request, reply) => {
    const row = update.get({
      id: request.params.id,
      priority: request.body.priority,
      updated: new Date().toISOString(),
    });
    if (row) reply.send(row);
    else reply.code(404).send({ error: "no such task" });
  },
);
await app.listen({ port: Number(port), host: "127.0.0.1" });
