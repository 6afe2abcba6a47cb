const people = [
  { kind: "user", id: "u1", name: "Ada Lovelace" },
  { kind: "user", id: "u2", name: "Grace Hopper" },
  { kind: "user", id: "u3", name: "Alan Turing" },
  { kind: "group", id: "g1", name: "Gardeners" },
];

const json = (status: number, type: string, body: unknown) =>
  new Response(JSON.stringify(body), { status, headers: { "content-type": type } });

/** Responds to requests of the examples: the gallery is a folder of files without a Tenon server. */
export function respond(url: URL): Response {
  if (url.pathname !== "/api/core/people") {
    const title = "The gallery has no server.";
    return json(501, "application/problem+json", { status: 501, code: "gallery.no_server", title });
  }
  const ids = url.searchParams.get("ids")?.split(",");
  const text = (url.searchParams.get("q") ?? "").toLowerCase();
  const items = people.filter(({ id, name }) =>
    ids
      ? ids.includes(id)
      : name
          .toLowerCase()
          .split(" ")
          .some((word) => word.startsWith(text)),
  );
  return json(200, "application/json", { items, next: null });
}
