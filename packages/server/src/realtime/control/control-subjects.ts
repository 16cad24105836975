/** A user (`u5`) or agent (`a7`), as `http/identity.ts` spells them. */
type Member = `u${number}` | `a${number}`;

/** A user or agent in a channel. */
interface Place {
  channelId: number;
  member: Member;
}

/** How the subject of a kind is written in `control_log` and on the bus. Nodes of other releases read and write it, too. */
interface Form<T> {
  text(subject: T): string;
  /** Returns null if this release cannot read the text. Further parts, which a newer release may write, are ignored. */
  read(text: string): T | null;
}

/** A whole number. */
const id: Form<number> = { text: String, read: (text) => numberOf(text) };

/** Any text. */
const word: Form<string> = { text: (subject) => subject, read: (text) => text };

/** Numbers, separated by colons. */
const ids = <K extends string>(...names: readonly K[]): Form<Record<K, number>> => ({
  text: (subject) => names.map((name) => subject[name]).join(":"),
  read: (text) => {
    const parts = text.split(":");
    const numbers = names.map((name, at) => [name, numberOf(parts[at])] as const);
    // `fromEntries` forgets which names there are.
    return numbers.some(([, number]) => number === null) ? null : (Object.fromEntries(numbers) as Record<K, number>);
  },
});

const place: Form<Place> = {
  text: ({ channelId, member }) => `${channelId}:${member}`,
  read: (text) => {
    const [channel, member = ""] = text.split(":");
    const channelId = numberOf(channel);
    return channelId === null || !isMember(member) ? null : { channelId, member };
  },
};

const FORMS = {
  session_ended: id,
  /** `<user id>`, or `<user id>:<session id>` for all sessions but that one. */
  user_sessions_ended: {
    text: ({ userId, except }) => (except === null ? String(userId) : `${userId}:${except}`),
    read: (text) => {
      const [user, except] = text.split(":");
      const userId = numberOf(user);
      return userId === null ? null : { userId, except: numberOf(except) };
    },
  } satisfies Form<{ userId: number; except: number | null }>,
  user_suspended: id,
  user_changed: id,
  /** This user's block list must be read again. */
  blocks_changed: id,
  /** The key of the name. */
  name_retired: word,
  /** The id of the key. */
  key_revoked: word,
  agent_changed: id,
  /** The agent has logged in or out there, under one of its names. */
  agent_stay: ids("channelId", "agentId"),
  /** `at`: the time of the clear, in epoch milliseconds. From control_log only. */
  guard_cleared: ids("channelId", "at"),
  channel_changed: id,
  /** The settings of the site must be read again. The subject is their version. */
  site_changed: id,
  /** The list of emoji must be read again. The subject is the name of one that changed, or `import:<id>`. */
  emoji_changed: word,
  /** After `channel_changed`: nobody has a place in it any more, unless it is restored. */
  channel_deleted: id,
  /** `<channel id>:<user ids, separated by commas>`: it was open to everybody until now; these are its members. */
  channel_closed: {
    text: ({ channelId, memberIds }) => `${channelId}:${memberIds}`,
    read: (text) => {
      const [channel, members = ""] = text.split(":");
      const channelId = numberOf(channel);
      return channelId === null
        ? null
        : { channelId, memberIds: members.split(",").flatMap((id) => numberOf(id) ?? []) };
    },
  } satisfies Form<{ channelId: number; memberIds: readonly number[] }>,
  /** The import of that id was opened: no event announced the messages of its channels. */
  import_opened: id,
  /** Messages or events up to that seq were rewritten without an event of their own. */
  history_rewritten: ids("channelId", "seq"),
  /** It is unknown whether events of the channel were committed; listeners may have to be notified. */
  events_in_doubt: id,
  /** An agent begins to write a message there. */
  stream_opened: ids("channelId", "streamId"),
  /** It was finished or cancelled. */
  stream_over: ids("channelId", "streamId"),
  membership_changed: place,
  /** `<channel id>:<member>`, optionally `:<reason>`, as `access:ended` shows it. */
  access_ended: {
    text: ({ reason, ...rest }) => (reason === undefined ? place.text(rest) : `${place.text(rest)}:${reason}`),
    read: (text) => {
      const found = place.read(text);
      return found === null ? null : { ...found, reason: text.split(":")[2] };
    },
  } satisfies Form<Place & { reason?: string | undefined }>,
};

/** The control messages between the parts and nodes of a Parley. */
export type ControlKind = keyof typeof FORMS;

/** The subjects of the messages, by kind. If a subject has one part, it is that number or text itself. */
export type ControlSubjects = {
  [K in ControlKind]: (typeof FORMS)[K] extends Form<infer T> ? T : never;
};

const forms: { readonly [K in ControlKind]: Form<ControlSubjects[K]> } = FORMS;

/** Returns the text of a subject: the same in all releases. */
export const subjectText = <K extends ControlKind>(kind: K, subject: ControlSubjects[K]): string =>
  forms[kind].text(subject);

/** Reads a subject; null if only another release can read it. */
export const readSubject = <K extends ControlKind>(kind: K, text: string): ControlSubjects[K] | null =>
  forms[kind].read(text);

const numberOf = (text: string | undefined): number | null =>
  text !== undefined && /^\d+$/.test(text) ? Number(text) : null;

const isMember = (text: string): text is Member => /^[ua]\d+$/.test(text);
