/** The rates of agents, a part of `RATES` (limits.ts). */
export const AGENT_RATES = {
  agent: {
    name: "agent",
    quota: 300,
    window: 60,
    store: "shared",
    counts: "requests per agent, counting all its keys",
  },
  agentSend: { name: "agent-send", quota: 60, window: 60, store: "shared", counts: "messages per agent" },
  agentSession: {
    name: "agent-session",
    quota: 120,
    window: 60,
    store: "shared",
    counts: "changes of sessions per agent",
  },
  agentStop: { name: "agent-stop", quota: 30, window: 60, store: "shared", counts: "stops of agents per user" },
  agentTyping: { name: "agent-typing", quota: 60, window: 60, store: "shared", counts: "typing indicators per agent" },
  agentBurst: {
    name: "agent-burst",
    quota: 5,
    window: 1,
    store: "shared",
    counts: "messages per agent in one channel",
  },
  // Appends do not count as requests: the streams of an agent may have five times as many.
  agentAppend: {
    name: "agent-append",
    quota: 100,
    window: 1,
    store: "shared",
    counts: "appends to streams per agent; they do not count as requests",
  },
  pin: { name: "pin", quota: 120, window: 60, store: "shared", counts: "pins set or removed, per user or agent" },
  streamAppend: { name: "stream-append", quota: 20, window: 1, store: "shared", counts: "appends per stream" },
  streamDelta: {
    name: "stream-delta",
    quota: 10,
    window: 1,
    store: "shared",
    fixed: true,
    counts: "events stream:delta per stream, which the server sends",
  },
} as const;
