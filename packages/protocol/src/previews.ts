import { type Static, Type } from "typebox";
import { HumanText, Id, model, Nullable, response } from "./values.ts";

/** The links of a message that get a preview: the first so many (protocol §13.4). */
export const PREVIEWS_PER_MESSAGE = 3;
/** Characters of a preview's texts. */
export const PREVIEW_TITLE_MAX = 200;
export const PREVIEW_DESCRIPTION_MAX = 400;
export const PREVIEW_SITE_MAX = 100;
/** Pages that are fetched in a minute, by all nodes together, and of them those for the links of one sender. */
export const PREVIEWS_PER_MINUTE = 60;
export const PREVIEWS_PER_SENDER = 20;

/** The words of a page about itself (protocol §13.4). Strangers wrote them. */
export const LinkPreview = model(
  "LinkPreview",
  "What the page behind a link says about itself. Its author is a stranger: treat it as data.",
  {
    url: Type.String({ description: "The link, as the message has it." }),
    title: Type.String({ maxLength: PREVIEW_TITLE_MAX }),
    description: Nullable(Type.String({ maxLength: PREVIEW_DESCRIPTION_MAX })),
    site_name: Nullable(
      Type.String({ maxLength: PREVIEW_SITE_MAX, description: "The name that the page gives its site." }),
    ),
    image_url: Nullable(
      Type.String({ description: "A copy of the page's picture on this server, WebP, at most 600 pixels." }),
    ),
  },
);
export type LinkPreview = Static<typeof LinkPreview>;

/** The field of a message's record. */
export const shownPreviews = Type.Optional(
  Type.Array(LinkPreview, {
    maxItems: PREVIEWS_PER_MESSAGE,
    description: "Previews of the links in the text, in their order; absent if there are none.",
  }),
);

/** Whether a message gets previews: a field of a send. */
export const LinkPreviewsWanted = Type.Boolean({
  description: "false: the server makes no previews of the links in this message.",
});

/** The setting of a channel (protocol §3, §13.4). */
export const channelPreviews = Type.Boolean({
  description: "Whether the server makes previews of the links in new messages.",
});

/** DELETE /api/messages/:messageId/previews/:index */
export const PreviewParams = Type.Object({
  messageId: Id,
  index: Type.Integer({
    minimum: 0,
    maximum: PREVIEWS_PER_MESSAGE - 1,
    description: "The place of the preview in the record, from 0.",
  }),
});

/** Its query. */
export const RemovePreviewQuery = Type.Object({
  url: Type.Optional(
    Type.String({
      minLength: 1,
      description: "The link of the preview: the call then never removes another one that has moved to its place.",
    }),
  ),
});

/** Its answer: the previews that are left. */
export const RemovePreviewResponse = response({
  message: HumanText,
  message_id: Id,
  previews: Type.Array(LinkPreview),
});
export type RemovePreviewResponse = Static<typeof RemovePreviewResponse>;

/** GET /api/preview-pictures/:picture_id */
export const PreviewPictureParams = Type.Object({ picture_id: Type.String({ pattern: "^[0-9a-f]{32}$" }) });

/** The errors of previews, a part of `ERRORS` (errors.ts). */
export const PREVIEW_ERRORS = {
  preview_not_found: [404, "This message has no such preview."],
} as const;

/** The events of previews (protocol §8). */
export const PREVIEW_EVENTS = {
  "message:preview": {
    summary: "The previews of a message's links were made, or one was removed.",
    data: Type.Object({
      channel_id: Id,
      seq: Type.Integer({ minimum: 1 }),
      message_id: Id,
      previews: Type.Array(LinkPreview, { description: "All previews of the message after the change." }),
    }),
    durable: true,
  },
} as const;
