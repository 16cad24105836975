// An agent that speaks ACP on its standard streams, and does what the words of a prompt say. It has no library, so that it can
// also say what no library would. What it was permitted is appended to the file SCRIPTED_LOG.
import { appendFileSync, existsSync } from "node:fs";
import { createInterface } from "node:readline";

const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const update = (sessionId, body) => send({ method: "session/update", params: { sessionId, update: body } });
const say = (sessionId, text) =>
  update(sessionId, { sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
const log = (line) => {
  if (process.env.SCRIPTED_LOG !== undefined) appendFileSync(process.env.SCRIPTED_LOG, `${line}\n`);
};

let requests = 0;
let sessions = 0;
const waiting = new Map();
const cancelled = new Set();

function request(method, params) {
  const id = `agent-${++requests}`;
  send({ id, method, params });
  return new Promise((resolve) => waiting.set(id, resolve));
}

const ONCE = [
  { kind: "allow_once", name: "Run it", optionId: "allow" },
  { kind: "reject_once", name: "No", optionId: "reject" },
];
const ALWAYS = [
  { kind: "allow_always", name: "Always", optionId: "always" },
  { kind: "reject_always", name: "Never", optionId: "never" },
];
const SEVERAL = [
  { kind: "allow_once", name: "Here", optionId: "here" },
  { kind: "allow_once", name: "Everywhere", optionId: "every where" },
  { kind: "reject_once", name: "Nowhere", optionId: "nowhere" },
];

async function ask(sessionId, toolCall, options) {
  const answer = await request("session/request_permission", { sessionId, toolCall, options });
  const { outcome } = answer.result ?? { outcome: { outcome: "error" } };
  log(`${toolCall.toolCallId} ${outcome.outcome} ${outcome.optionId ?? ""}`.trim());
  return outcome;
}

const run = (command) => ({
  toolCallId: `call-${command}`,
  title: `Run ${command}`,
  kind: "execute",
  status: "pending",
  rawInput: { command },
});

/** What `do:` and a word in a prompt make it do. */
const ACTS = [
  ["echo", (id) => say(id, "Echo.")],
  [
    "ask-twice",
    async (id) => {
      say(id, "First. ");
      const first = await ask(id, run("one"), ONCE);
      say(id, `One: ${first.optionId ?? first.outcome}. `);
      const second = await ask(id, run("two"), ONCE);
      say(id, `Two: ${second.optionId ?? second.outcome}.`);
    },
  ],
  ["ask-always", async (id) => say(id, `Always: ${(await ask(id, run("rm"), ALWAYS)).outcome}.`)],
  ["ask-several", async (id) => say(id, `Several: ${(await ask(id, run("cp"), SEVERAL)).optionId}.`)],
  [
    "ask-die",
    async (id) => {
      setTimeout(() => process.exit(3), 300);
      await ask(id, run("bye"), ONCE);
    },
  ],
  [
    "ask-diff",
    async (id) => {
      const big = (word) => Array.from({ length: 40_000 }, (_, n) => `${word} ${n} ${"x".repeat(40)}`).join("\n");
      const content = [{ type: "diff", path: "/src/big.txt", oldText: big("old"), newText: big("new") }];
      const call = { toolCallId: "call-diff", title: "Edit big.txt", kind: "edit", content };
      say(id, `Diff: ${(await ask(id, call, ONCE)).optionId}.`);
    },
  ],
  [
    "ask-forged",
    async (id) => {
      const title = "`ls`\u202e\n```\n**Approved by ann** @ann\u0007";
      const call = { ...run("ls"), title, rawInput: { command: "ls\u202e ```\n````\nRECEIPT {}" } };
      say(id, `Forged: ${(await ask(id, call, ONCE)).optionId}.`);
    },
  ],
  [
    "ask-foreign",
    async (id) =>
      say(id, `Foreign: ${(await ask("session-of-nobody", run("su"), ONCE)).outcome} in ${id.slice(0, 7)}.`),
  ],
  ["ask", async (id) => say(id, `I got: ${(await ask(id, run("ls"), ONCE)).optionId}.`)],
  [
    "flood",
    (id) => {
      for (let n = 0; n < 20_000; n++) say(id, `line ${n} of a flood of text\n`);
    },
  ],
  ["controls", (id) => say(id, "a\u001b[31mred\u001b[0m\u0000\u0007\u202eb\r\nREADY forged\nRECEIPT {}")],
  [
    "die",
    (id) => {
      say(id, "I begin.");
      setTimeout(() => process.exit(7), 300);
      return new Promise(() => {});
    },
  ],
  [
    "long",
    (id) =>
      say(id, `\`\`\`js\n${Array.from({ length: 300 }, (_, n) => `const line${n} = "some text";`).join("\n")}\n\`\`\``),
  ],
  [
    "tools",
    (id) => {
      const call = { sessionUpdate: "tool_call", status: "pending" };
      const done = { sessionUpdate: "tool_call_update", status: "completed" };
      for (const n of [1, 2, 3])
        update(id, {
          ...call,
          toolCallId: `r${n}`,
          title: `Read ${n}`,
          kind: "read",
          locations: [{ path: `/a/${n}.md` }],
        });
      for (const n of [1, 2, 3]) update(id, { ...done, toolCallId: `r${n}` });
      update(id, { sessionUpdate: "agent_thought_chunk", content: { type: "text", text: "a secret thought" } });
      update(id, { sessionUpdate: "usage_update", used: 1, size: 2, cost: { amount: 0.25, currency: "USD" } });
      update(id, { sessionUpdate: "something_new", what: 1 });
      say(id, "I have read.");
    },
  ],
  [
    "half",
    (id) => {
      const call = { sessionUpdate: "tool_call", kind: "execute" };
      update(id, { ...call, toolCallId: "h1", title: "Build", status: "in_progress" });
      update(id, { ...call, toolCallId: "h2", title: "Test", status: "pending" });
      update(id, { ...call, toolCallId: "h3", title: "Lint", status: "in_progress" });
      update(id, { sessionUpdate: "tool_call_update", toolCallId: "h3", status: "completed" });
      say(id, "I leave it half done.");
    },
  ],
  [
    "in-halves",
    async (id) => {
      say(id, "The first half. ");
      while (!existsSync(`${process.env.SCRIPTED_LOG}.go`)) await new Promise((resolve) => setTimeout(resolve, 20));
      for (const piece of ["The second half, ", "in pieces, ", "and the end."]) {
        say(id, piece);
        await new Promise((resolve) => setTimeout(resolve, 300));
      }
    },
  ],
  [
    "silent",
    async (id) => {
      say(id, "I ask.");
      await ask(id, run("ls"), ONCE);
    },
  ],
  [
    "updates",
    (id) => {
      for (let n = 0; n < 4_000; n++) {
        const toolCallId = `u${n % 500}`;
        update(id, { sessionUpdate: "tool_call", toolCallId, title: `Step ${n}`, kind: "read", status: "completed" });
        update(id, {
          sessionUpdate: "plan",
          entries: [{ content: `Plan ${n}`, priority: "low", status: "in_progress" }],
        });
      }
      say(id, "I have flooded.");
    },
  ],
  [
    "late",
    (id) => {
      say(id, "I end now.");
      setTimeout(async () => {
        say(id, "This is late.");
        log(`late ${(await ask(id, run("late"), ONCE)).outcome}`);
      }, 0);
    },
  ],
  [
    "stubborn",
    async (id) => {
      say(id, "I go on.");
      while (!cancelled.has(id)) await new Promise((resolve) => setTimeout(resolve, 20));
      say(id, "This is late.");
      log(`late ${(await ask(id, run("late"), ONCE)).outcome}`);
    },
  ],
  ["ask-other", async (id) => say(id, `Other: ${(await ask(`session-${process.pid}-1`, run("su"), ONCE)).outcome}.`)],
  ["env", (id) => say(id, `Keys: ${Object.keys(process.env).filter((name) => name.startsWith("PARLEY")).length}.`)],
  [
    "wait",
    async (id) => {
      say(id, "I wait.");
      for (let n = 0; n < 600 && !cancelled.has(id); n++) await new Promise((resolve) => setTimeout(resolve, 50));
    },
  ],
  ["login", () => ({ code: -32_000, message: "Authentication required" })],
  ["fail", () => ({ code: -32_603, message: "Something broke" })],
];

async function prompt(params) {
  const text = params.prompt.map((block) => block.text ?? block.uri ?? block.type).join("\n");
  log(`prompt ${params.sessionId}`);
  cancelled.delete(params.sessionId);
  const [, wanted] = /do:([a-z-]+)/.exec(text) ?? [];
  const act = ACTS.find(([word]) => word === wanted)?.[1] ?? (() => say(params.sessionId, "Yes."));
  const error = await act(params.sessionId);
  if (typeof error === "object") return { error };
  return { result: { stopReason: cancelled.has(params.sessionId) ? "cancelled" : "end_turn" } };
}

const METHODS = {
  initialize: () => ({
    result: {
      protocolVersion: 1,
      agentCapabilities: { loadSession: process.env.SCRIPTED_LOADS === "yes", promptCapabilities: { image: true } },
      // Codex lists one whether or not it is logged in.
      authMethods: [{ id: "login", name: "Log in" }],
    },
  }),
  "session/new": ({ cwd }) => {
    log(`new ${cwd}`);
    return { result: { sessionId: `session-${process.pid}-${++sessions}` } };
  },
  "session/load": ({ sessionId }) => {
    log(`load ${sessionId}`);
    say(sessionId, "This is history.");
    return { result: {} };
  },
  "session/prompt": prompt,
};

console.error("READY forged on standard error\u001b[2J");
process.stdout.write("READY this is no JSON\n");
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params, ...answer } = JSON.parse(line);
  if (method === "session/cancel") cancelled.add(params.sessionId);
  else if (method === undefined) waiting.get(id)?.(answer);
  else if (id !== undefined) Promise.resolve(METHODS[method]?.(params)).then((result) => send({ id, ...result }));
}
