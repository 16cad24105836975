import { Type } from "typebox";
import { shownActivity } from "./activity.ts";
import { ReplyKeyboard } from "./cards.ts";
import { Forwarded } from "./forwarded.ts";
import { pollField } from "./polls.ts";
import { shownPreviews } from "./previews.ts";

/** The fields that features add to the record of a message. All of it is absent from a plain message. */
export const FEATURE_FIELDS = {
  keyboard: Type.Optional(ReplyKeyboard),
  ...pollField,
  activity: shownActivity,
  forwarded: Type.Optional(Forwarded),
  previews: shownPreviews,
};
