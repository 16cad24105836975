import { ShownComponents } from "@parley/protocol/cards";
import { EditMessageBody, MessageParams } from "@parley/protocol/messages";
import { Nullable } from "@parley/protocol/values";
import { Type } from "typebox";
import { perServer } from "../context.ts";
import { recordJson } from "../event-log/message-json.ts";
import { InnerRoute } from "../http/inner-route.ts";
import { ReadyJson, type Route, route, routeNamed } from "../http/route.ts";
import { menuToEdit } from "../messages/menus/sending.ts";
import { editMessage, editParts } from "../messages/messages.service.ts";
import { longAppend, longFinish } from "./draft-routes.ts";
import { copySend, longSend } from "./send-routes.ts";
import { STORED_MAX } from "./text/stored-max.ts";
import { termsOf } from "./twin-terms.ts";

/** The routes of REST that the methods call, those that store longer texts, because escapes lengthen them, and menus. */
export class TelegramRoutes {
  #all: () => readonly Route[] = () => [];
  readonly #prepared = new Map<string, InnerRoute>();

  /** Says where the routes of all modules are. */
  provide(all: () => readonly Route[]): void {
    this.#all = all;
  }

  find(name: string): InnerRoute {
    const known = this.#prepared.get(name);
    if (known !== undefined) return known;
    const made = new InnerRoute(this.#route(name));
    this.#prepared.set(name, made);
    return made;
  }

  #route(name: string): Route {
    if (name === "sendTelegramMessage") return longSend(routeNamed(this.#all(), "sendAgentMessage"));
    if (name === "copyTelegramMessage") return copySend(routeNamed(this.#all(), "sendAgentMessage"));
    if (name === "editTelegramMessage") return longEdit(routeNamed(this.#all(), "editMessage"));
    if (name === "appendToTelegramDraft") return longAppend(routeNamed(this.#all(), "appendToStream"));
    if (name === "finishTelegramDraft") return longFinish(routeNamed(this.#all(), "finishStream"));
    if (name === "editTelegramMenu") return menuEdit(routeNamed(this.#all(), "editMessage"));
    return routeNamed(this.#all(), name);
  }
}

/** The routes of this server, for the door and for answers of webhooks. */
export const telegramRoutesOf = perServer(() => new TelegramRoutes());

/** `editMessage` for longer texts, with buttons. */
const longEdit = (twin: Route): Route =>
  route({
    ...termsOf(twin),
    name: "editTelegramMessage",
    auth: "agent",
    params: MessageParams,
    body: Type.Object({
      ...EditMessageBody.properties,
      content: Type.String({ maxLength: STORED_MAX }),
      menu: Type.Optional(Nullable(ShownComponents)),
    }),
    async handle({ ctx, caller, params, body }) {
      const remark = body.menu === undefined ? undefined : menuToEdit(caller, body.menu);
      const options = { contentMax: STORED_MAX, remark };
      const { json } = await editMessage(ctx, caller, params.messageId, body.content, options);
      return new ReadyJson(`{"success":true,"chat_message":${json}}`, 200);
    },
  });

/** `editMessage` for the buttons alone: the text stays, and the message does not count as edited. */
const menuEdit = (twin: Route): Route =>
  route({
    ...termsOf(twin),
    name: "editTelegramMenu",
    auth: "agent",
    params: MessageParams,
    body: Type.Object({ menu: Nullable(ShownComponents) }),
    async handle({ ctx, caller, params, body }) {
      const { row, channel } = await editParts(ctx, caller, params.messageId, menuToEdit(caller, body.menu));
      return new ReadyJson(`{"success":true,"chat_message":${recordJson(row, channel.slug)}}`, 200);
    },
  });
