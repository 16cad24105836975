/**
 * The rooms of packages/server/src, lowest first. A room imports only itself and the rooms before it (ARCHITECTURE.md,
 * "Dependencies"). The slices begin with `lookups`.
 */
const FOUNDATIONS =
  "unicode config logging metrics base media db redis cluster rate-limit realtime http outgoing".split(" ");
const SLICES = [
  "lookups",
  "chains",
  "audit",
  "ledger",
  "event-log",
  "points",
  "site",
  "accounts",
  "budgets",
  "onchain",
  "payments",
  "channels",
  "stickers",
  "files",
  "messages",
  "reactions",
  "previews",
  "reports",
  "retention",
  "agents",
  "notifications",
  "digests",
  "scheduled",
  "saved",
  "forwards",
  "reminders",
  "mail",
  "search",
  "mcp",
  "polls",
  "emoji",
  "voice-notes",
  "webhooks",
  "setup-codes",
  "telegram",
  "key-claims",
  "red-packets",
  "payouts",
  "imports",
  "exports",
  "privacy",
  "administration",
  "operations",
  "replica",
  "restoring",
  "documents",
  "web",
  "client-programs",
];
const ROOMS = [...FOUNDATIONS, ...SLICES, "gateway", "command-line"];

/** The files beside the rooms, each with the other root files that it may import. */
const ROOT_FILES: Record<string, readonly string[]> = {
  "clock.ts": [],
  "errors.ts": [],
  "timing.ts": [],
  "context.ts": ["clock.ts", "errors.ts", "timing.ts"],
  "hook.ts": ["context.ts"],
  "erasure.ts": ["context.ts"],
  "user-export.ts": ["context.ts"],
  "overdue.ts": [],
  "module.ts": ["context.ts", "erasure.ts", "overdue.ts", "user-export.ts"],
  "modules.ts": ["module.ts"],
  "app.ts": ["clock.ts", "context.ts", "errors.ts"],
  "create-context.ts": ["clock.ts", "context.ts", "timing.ts"],
  "server.ts": [
    "app.ts",
    "clock.ts",
    "context.ts",
    "create-context.ts",
    "errors.ts",
    "module.ts",
    "modules.ts",
    "timing.ts",
  ],
  "main.ts": [],
  "../package.json": [],
  // A macro: the page's list of codes, of which the server needs the names.
  "../../web/src/i18n/emoji-lines.ts": [],
};

/** Root files that rooms may import, with the first room that may. */
const OPEN_FILES: Record<string, string> = {
  "clock.ts": "unicode",
  "errors.ts": "unicode",
  "timing.ts": "base",
  "context.ts": "base",
  "hook.ts": "realtime",
  "erasure.ts": "http",
  "user-export.ts": "http",
  "overdue.ts": "http",
  "module.ts": "http",
  "modules.ts": "command-line",
  "server.ts": "command-line",
  "../package.json": "cluster",
  "../../web/src/i18n/emoji-lines.ts": "emoji",
};

/** The highest room that a root file may import. */
const REACH: Record<string, string> = {
  "errors.ts": "base",
  "context.ts": "http",
  "erasure.ts": "http",
  "user-export.ts": "http",
  "module.ts": "http",
  "overdue.ts": "db",
  "modules.ts": "client-programs",
  "app.ts": "gateway",
  "create-context.ts": "event-log",
  "server.ts": "gateway",
  "main.ts": "command-line",
};

/**
 * Returns the reason why a file may not import another one; undefined if it may. Both paths are relative to
 * packages/server/src.
 */
export function layerProblem(from: string, to: string): string | undefined {
  if (to.endsWith(".md") && to.startsWith("..")) {
    return isModule(from) || isFormat(from) ? undefined : `imports ${to}; a module gives the pages of the guide`;
  }
  for (const path of [from, to]) {
    if (!ROOMS.includes(roomOf(path)) && ROOT_FILES[path] === undefined) {
      return `${path === from ? "belongs" : `imports ${to}, which belongs`} to no room; add the room to test/support/layers.ts`;
    }
  }
  if (!isAllowed(from, to)) return `imports ${to}; a room may import only the rooms below it (test/support/layers.ts)`;
  if (isModule(to) && from !== "modules.ts") return `imports ${to}; only modules.ts imports modules`;
  if (isRoutes(to) && !((isRoutes(from) || isModule(from)) && roomOf(from) === roomOf(to)))
    return `imports ${to}; only the slice's own module and routes import routes`;
  if (isStore(to) && roomOf(from) !== roomOf(to))
    return `imports ${to}; ask that slice's service, its store is its own`;
  if (isRoutes(from) && isStore(to)) return `imports ${to}; routes ask the service`;
  if (isStore(from) && to.endsWith(".service.ts")) return `imports ${to}; a store holds SQL only`;
  if (isStore(from) && to === "context.ts") return `imports ${to}; a store gets the database as an argument`;
  return undefined;
}

/** A source of imports, which gives the module its page of the guide. */
const isFormat = (path: string): boolean => /^imports\/sources\/[a-z]+\/format\.ts$/.test(path);

/** The slices whose tables a test attributes (architecture.test.ts). */
export const isSlice = (room: string): boolean => SLICES.includes(room);

export const roomOf = (path: string): string => path.split("/")[0] ?? "";

const isStore = (path: string): boolean => path.endsWith(".store.ts");
const isModule = (path: string): boolean => path.endsWith(".module.ts");
const isRoutes = (path: string): boolean => path.endsWith(".routes.ts");

function isAllowed(from: string, to: string): boolean {
  const [source, target] = [ROOMS.indexOf(roomOf(from)), ROOMS.indexOf(roomOf(to))];
  if (source !== -1 && target !== -1) return target <= source;
  if (source !== -1) return source >= ROOMS.indexOf(OPEN_FILES[to] ?? "none") && OPEN_FILES[to] !== undefined;
  if (target !== -1) return target <= ROOMS.indexOf(REACH[from] ?? "none");
  return ROOT_FILES[from]?.includes(to) ?? false;
}
