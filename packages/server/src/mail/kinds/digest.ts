import { digestLetter } from "../../digests/letter.ts";
import type { DigestParameters } from "../../digests/send-due.ts";
import type { KindOfMail } from "./kind.ts";

/** The mail of what a user has missed. It is made of the messages as they are when it is sent. */
export const digest: KindOfMail = {
  async compose(ctx, { userId, parameters }) {
    if (userId === null) return { dropped: "account deleted" };
    const { since, sent_before } = parameters as Partial<DigestParameters>;
    return digestLetter(ctx, userId, { since: Number(since), sent_before: sent_before ?? null });
  },
};
