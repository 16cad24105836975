import { expect, test } from "bun:test";
import { recordJson } from "../../event-log/message-json.ts";
import { NOBODY } from "../mentions/resolve-mentions.ts";
import { type MessageParts, messageOf, newRow } from "./draft.ts";

const draftOf = (parts: Partial<MessageParts>) =>
  messageOf({
    channel: { id: 3, slug: "tea", direct: null },
    content: "Hé, tea?",
    sender_type: "user",
    user_id: 7,
    sender_name: "ann",
    client_msg_id: "k-1",
    client_key: "u7:k-1",
    ...parts,
  });

const files = '[{"file_id":11},{"file_id":12}]';
const card = { card: '{"components":[]}', cardFingerprint: '{"components":[]}' };

// Release 0.3.0 wrote these. A send that is repeated across an upgrade must find its message.
const FINGERPRINTS: [what: string, parts: Partial<MessageParts>, fingerprint: string][] = [
  ["a plain text", {}, "r/A/U4Oddb7B5pjUYL6qbjXc0Fna54AXjn7fR0xj48w="],
  ["a quote", { reply_to_id: 6 }, "WtCo/0Cel+J2EmDPRUYliE7zl7zbZsldmqw+WuOFmbU="],
  ["a sticker", { type: "sticker", content: "", sticker_id: 5 }, "EiSzDg0GIpEAPz9UmDi2BxI2jfqoczpyh3Fdnrl8Qfo="],
  ["a reply", { thread_root_id: 21 }, "9j4aci/qxiCqhrIrJtqJjoPcDOtM0feX4E3Aev/4qvs="],
  ["a shown reply", { thread_root_id: 21, also_in_channel: 1 }, "Tv+Y1gYeOi+1ummHtMJzN/VkzmQhBLUSAh/AfB56EOo="],
  ["files", { files }, "N7CXRM8dhGQ1cNPJ8ZdVTgqqfUtIJwggYP+oAYyB1E4="],
  ["an expiring text", { expires_at: 1_700_000_060_000 }, "pzw7Y6khU15MOqW1zt2BigwbgdQXtAwi7eSikROk19M="],
  ["a card", card, "hkSI/PsGrcNh/GL397Kb+gx9F12sy/GqqgdbnxufZz4="],
  ["a reply with a card", { thread_root_id: 21, ...card }, "1xDWNlYrk4nYdHrTotA8YO7J6OxTyhhbt0tWRIE/J08="],
  [
    "the text of a webhook",
    { sender_type: "system", user_id: null, sender_name: "ci", client_key: "w4:k-1", webhook_id: 4 },
    "03WMFYAivIeXR2quW6kDM3ZfpW1BlbhqFTv7rmv8c0g=",
  ],
];

for (const [what, parts, fingerprint] of FINGERPRINTS) {
  test(`the fingerprint of ${what} is that of release 0.3.0`, () => {
    expect(draftOf(parts).client_hash).toBe(fingerprint);
  });
}

test("a message without a key has no fingerprint", () => {
  expect(draftOf({ client_key: null }).client_hash).toBeNull();
});

test("a record is that of release 0.3.0, to the byte", () => {
  const mentions = [{ type: "user" as const, name: "bob", offset: 0, length: 4 }];
  const parts = { thread_root_id: 21, also_in_channel: 1, files, expires_at: 1_700_000_060_000 };
  const row = newRow(draftOf({ ...parts, mentioned: { ...NOBODY, mentions } }), 77, 1_700_000_000_500);
  expect(recordJson({ ...row, id: 501 }, "tea")).toBe(
    '{"id":501,"channel_id":3,"channel_slug":"tea","seq":77,"type":"text","content":"Hé, tea?","sender_type":"user",' +
      '"username":"ann","agent_name":null,"agent_id":null,"client_msg_id":"k-1","reply_to_id":null,' +
      '"mentions":[{"type":"user","name":"bob","offset":0,"length":4}],"sticker":null,"packet_id":null,' +
      '"thread_root_id":21,"also_in_channel":true,"thread":null,"files":[{"file_id":11},{"file_id":12}],"reactions":[],' +
      '"is_pinned":false,"pinned_at":null,"pinned_by":null,"edited_at":null,"is_deleted":false,' +
      '"expires_at":"2023-11-14T22:14:20.000Z","created_at":"2023-11-14T22:13:20.500Z"}',
  );
});
