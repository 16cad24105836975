import fc from "fast-check";

/** Ids that exist, so that some calls get past the first checks. */
interface Known {
  chat_id: number;
  room: { id: number; slug: string };
  mine: number;
  theirs: number;
  fileId: string;
  botId: number;
}

/** Numbers and texts at the edges of what is read. */
const EDGES = [
  0,
  1,
  -1,
  1.5,
  2 ** 31,
  2 ** 53,
  -(2 ** 60),
  1e308,
  null,
  true,
  "",
  " ",
  "0",
  "1",
  "-1",
  "1e9",
  "[",
  "{}",
  "\u{1f600}",
  "a\u0301",
];
const TEXT = fc.oneof(
  fc.string({ maxLength: 60, unit: "grapheme" }),
  fc
    .array(
      fc.constantFrom(
        ..."*_~`#>|-[]()!<&\\$:@ \n/".split(""),
        "a",
        "1. ",
        "**",
        "</b>",
        "<b>",
        "&lt;",
        "@ann",
        "@x_y",
        "😀",
        "https://a.b/_c_",
      ),
      { maxLength: 40 },
    )
    .map((parts) => parts.join("")),
);
const COUNT = fc.oneof(fc.integer({ min: -2, max: 70 }), fc.constantFrom(2 ** 31, 2 ** 53, Number.NaN));
const ENTITY = fc.record(
  {
    type: fc.constantFrom(
      "bold",
      "italic",
      "code",
      "pre",
      "text_link",
      "blockquote",
      "strikethrough",
      "text_mention",
      "nothing",
      "constructor",
    ),
    offset: COUNT,
    length: COUNT,
    url: fc.constantFrom<unknown>("https://a.b", "javascript:alert(1)", "tg://user?id=1", "", 7),
    language: fc.constantFrom<unknown>("ts", "`", "a b", 7),
    user: fc.constantFrom<unknown>({ id: 5_000_000_001 }, {}, null),
  },
  { requiredKeys: ["type"] },
);
/** Returns parameters of the methods of the Bot API. */
export function telegramValues({
  chat_id,
  room,
  mine,
  theirs,
  fileId,
  botId,
}: Known): fc.Arbitrary<Record<string, unknown>> {
  const MEDIA = fc.record(
    {
      type: fc.constantFrom("photo", "video", "audio", "document", "animation", "__proto__"),
      media: fc.constantFrom(
        fileId,
        "f999",
        "p1",
        "attach://a",
        "attach://",
        "http://127.0.0.1:1/",
        "https://10.0.0.1/",
      ),
      caption: TEXT,
      parse_mode: fc.constantFrom("HTML", "MarkdownV2", "Markdown"),
      caption_entities: fc.array(ENTITY, { maxLength: 3 }),
    },
    { requiredKeys: [] },
  );
  const MESSAGE = fc.oneof(
    fc.constantFrom<unknown>(mine, theirs, String(mine), 999_999),
    fc.constantFrom<unknown>(...EDGES),
  );
  const FILE = fc.constantFrom<unknown>(
    fileId,
    `p${fileId.slice(1)}`,
    "f0",
    "f9007199254740993",
    "attach://b",
    "http://127.0.0.1:1/a",
    "http://[",
    "https://a:b@c",
    7,
  );
  const CHAT = fc.constantFrom<unknown>(
    chat_id,
    `@${room.slug}`,
    -room.id,
    5_000_000_001,
    botId,
    "@nowhere",
    "@",
    ...EDGES,
  );
  /** Fields by their names, each with values of its kind. */
  const fields: Record<string, fc.Arbitrary<unknown>> = {
    chat_id: CHAT,
    from_chat_id: CHAT,
    user_id: CHAT,
    message_id: MESSAGE,
    message_thread_id: MESSAGE,
    reply_to_message_id: MESSAGE,
    message_ids: fc.oneof(fc.array(MESSAGE, { maxLength: 5 }), fc.constantFrom<unknown>(...EDGES)),
    reply_parameters: fc.oneof(
      fc.record({ message_id: MESSAGE, allow_sending_without_reply: fc.boolean() }),
      fc.constantFrom<unknown>(...EDGES),
    ),
    text: TEXT,
    caption: TEXT,
    name: TEXT,
    description: TEXT,
    short_description: TEXT,
    parse_mode: fc.constantFrom<unknown>("HTML", "MarkdownV2", "markdown", "", "constructor", 1),
    entities: fc.oneof(fc.array(ENTITY, { maxLength: 6 }), fc.constantFrom<unknown>(...EDGES)),
    caption_entities: fc.array(ENTITY, { maxLength: 4 }),
    rich_message: fc.oneof(fc.record({ markdown: TEXT }), fc.constantFrom<unknown>(...EDGES)),
    draft_id: fc.integer(),
    media: fc.oneof(fc.array(MEDIA, { maxLength: 4 }), fc.constantFrom<unknown>(...EDGES)),
    ...Object.fromEntries(
      "photo document video audio voice animation video_note sticker file_id".split(" ").map((name) => [name, FILE]),
    ),
    action: fc.constantFrom<unknown>("typing", "upload_photo", "", 7, {}),
    reaction: fc.oneof(
      fc.array(fc.record({ type: fc.constant("emoji"), emoji: fc.constantFrom<unknown>("👍", "no", "", 7) }), {
        maxLength: 3,
      }),
      fc.constantFrom<unknown>(...EDGES),
    ),
    commands: fc.oneof(
      fc.array(fc.record({ command: TEXT, description: TEXT }), { maxLength: 3 }),
      fc.constantFrom<unknown>(...EDGES),
    ),
    scope: fc.oneof(
      fc.record({ type: fc.constantFrom<unknown>("default", "chat", "__proto__", 7), chat_id: CHAT }),
      fc.constantFrom<unknown>(...EDGES),
    ),
    language_code: fc.constantFrom<unknown>("de", "constructor", 7),
    offset: fc.oneof(fc.integer(), fc.constantFrom<unknown>(...EDGES)),
    limit: fc.oneof(fc.integer(), fc.constantFrom<unknown>(...EDGES)),
    allowed_updates: fc.oneof(fc.array(TEXT, { maxLength: 3 }), fc.constantFrom<unknown>(...EDGES)),
    url: fc.constantFrom<unknown>("", "http://127.0.0.1:1/", "https://[::1]/", "x", "http://", 7),
    secret_token: TEXT,
    certificate: TEXT,
    drop_pending_updates: fc.constantFrom<unknown>(true, "false", 7),
    reply_markup: fc.oneof(
      fc.jsonValue({ maxDepth: 4 }),
      fc.record({ inline_keyboard: fc.jsonValue({ maxDepth: 4 }) }),
      fc.record({ keyboard: fc.jsonValue({ maxDepth: 4 }) }),
    ),
    inline_message_id: TEXT,
    callback_query_id: fc.constantFrom<unknown>(...EDGES),
    show_alert: fc.boolean(),
    is_big: fc.constantFrom<unknown>(...EDGES),
  };
  // Mostly values of the field's own kind, sometimes any JSON.
  return fc.record(
    Object.fromEntries(
      Object.entries(fields).map(([name, values]) => [
        name,
        fc.oneof({ weight: 9, arbitrary: values }, { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) }),
      ]),
    ),
    { requiredKeys: [] },
  );
}
