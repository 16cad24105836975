import { type Static, Type } from "typebox";
import { AgentName } from "./agents.ts";
import { PageQuery, SlugRef } from "./channels.ts";
import { Id, model, Nullable, response, Timestamp } from "./values.ts";

/** Characters of a session's title. */
export const SESSION_TITLE_MAX = 200;
/** Sessions of one agent that may be open at once, and those that ended or are gone which are kept beside them. */
export const OPEN_SESSIONS_MAX = 100;
export const ENDED_SESSIONS_KEPT = 200;
/** Sessions in one page. */
export const SESSIONS_PAGE = 50;

const SET_STATES = ["working", "done", "failed"] as const;

/** The states that an agent sets; the server derives `waiting` and `gone` (protocol §16.4). */
export const SetSessionState = Type.Enum([...SET_STATES]);
export const SessionState = Type.Enum([...SET_STATES, "waiting", "gone"], {
  description:
    "`waiting`: a card of the agent is open in the thread. `gone`: the agent was working, and has been away for a minute.",
});
export type SessionState = Static<typeof SessionState>;

/** The work of an agent in a thread (protocol §16.4). */
export const AgentSession = model("AgentSession", "What an agent does in a thread.", {
  agent_id: Id,
  agent_name: Type.String(),
  channel_id: Id,
  thread_root_id: Id,
  title: Nullable(Type.String()),
  state: SessionState,
  since: Type.String({ ...Timestamp, description: "When this state began; of `gone`, since when the agent is away." }),
  interaction_id: Nullable(
    Type.Integer({ ...Id, description: "The newest open card of the agent in the thread, while it works there." }),
  ),
});
export type AgentSession = Static<typeof AgentSession>;

/** PUT /api/agenthub/sessions (protocol §16.4). */
export const SetSessionBody = Type.Object({
  channel_slug: SlugRef,
  thread_root_id: Type.Integer({ ...Id, description: "The message whose thread it is, also before its first reply." }),
  agent_name: Type.Optional(Nullable(AgentName)),
  title: Type.Optional(
    Nullable(
      Type.String({
        maxLength: SESSION_TITLE_MAX,
        description: "What the agent does, on one line. Absent: it stays; null or empty: none.",
      }),
    ),
  ),
  state: SetSessionState,
});
export type SetSessionBody = Static<typeof SetSessionBody>;

/** Response of PUT /api/agenthub/sessions (protocol §16.4). */
export const SetSessionResponse = response({ session: AgentSession });
export type SetSessionResponse = Static<typeof SetSessionResponse>;

/** POST /api/channels/:channel_id/stop (protocol §16.4). */
export const StopAgentBody = Type.Object({
  agent_id: Id,
  thread_root_id: Type.Optional(
    Nullable(
      Type.Integer({
        ...Id,
        description:
          "The thread, or the message that the agent answers. Absent or null: what it writes outside of threads.",
      }),
    ),
  ),
});
export type StopAgentBody = Static<typeof StopAgentBody>;

/** Response of POST /api/channels/:channel_id/stop. */
export const StopAgentResponse = response({
  stopped: Type.Boolean({ description: "false: the agent did nothing there." }),
});
export type StopAgentResponse = Static<typeof StopAgentResponse>;

/** GET /api/channels/:channel_id/sessions and GET /api/agents/sessions (protocol §16.4). */
export const AgentSessionsQuery = Type.Object({
  ...PageQuery.properties,
  state: Type.Optional(
    Type.String({
      pattern: "^(working|waiting|gone|done|failed)(,(working|waiting|gone|done|failed)){0,4}$",
      description: "Only sessions in this state, or in one of several: `working,waiting`.",
    }),
  ),
});
export type AgentSessionsQuery = Static<typeof AgentSessionsQuery>;

/** Response of both lists, newest first (protocol §16.4). */
export const AgentSessionsResponse = response({
  sessions: Type.Array(AgentSession),
  has_more: Type.Boolean(),
  next_offset: Nullable(Type.Integer({ minimum: 0 })),
  limit: Type.Integer({ minimum: 1, description: `Sessions in a page, at most ${SESSIONS_PAGE}.` }),
});
export type AgentSessionsResponse = Static<typeof AgentSessionsResponse>;

/** The event of sessions, a part of `EVENTS` (events.ts, protocol §16.4). */
export const SESSION_EVENTS = {
  "agent:session": {
    summary: "An agent began or ended its work in a thread, waits for an answer there, or has gone away.",
    data: AgentSession,
    durable: false,
  },
} as const;
