import {
  KEYBOARD_ROW_BUTTONS,
  MARKUP_BUTTONS,
  MARKUP_BYTES,
  MARKUP_TEXT_MAX,
  MENU_ROW_BUTTONS,
} from "@parley/protocol/card-limits";
import type { CardElement, Components, ReplyKeyboard } from "@parley/protocol/cards";
import type { ChatMessage } from "@parley/protocol/models";
import { isBlank } from "../base/visible-text.ts";
import type { Markup } from "../messages/menus/markup.ts";
import type { Fields } from "./fields.ts";
import { badRequest } from "./telegram-error.ts";

const DATA_BYTES = 64;
const URL_MAX = 2_000;
const PLACEHOLDER_MAX = 64;
/** Characters that turn the reading direction, or end the line: a button must read as it is stored. */
const TURNING = /[\p{Bidi_Control}\p{Cc}\u2028\u2029]+/gu;

type Given = Readonly<Record<string, unknown>>;

/** Returns what `reply_markup` of a send says. Errors: 400. */
export function sentMarkup(fields: Fields): Markup {
  const given = markupOf(fields);
  if (given === null) return { menu: null, keyboard: null };
  if (given.inline_keyboard !== undefined) return { menu: menuOf(given.inline_keyboard), keyboard: null };
  const isSelective = given.selective === true;
  if (given.remove_keyboard === true) return { menu: null, keyboard: keyboardOf([], given, isSelective) };
  if (given.keyboard === undefined) return { menu: null, keyboard: null };
  const rows = rowsOf(given.keyboard, "keyboard", KEYBOARD_ROW_BUTTONS, replyText);
  return { menu: null, keyboard: rows.length === 0 ? null : keyboardOf(rows, given, isSelective) };
}

/** Returns the buttons that an edit gives to a message; null: none. Errors: 400. */
export function editedMenu(fields: Fields): Components | null {
  const given = markupOf(fields);
  if (given === null) return null;
  if (given.inline_keyboard === undefined) throw badRequest("inline keyboard expected");
  return menuOf(given.inline_keyboard);
}

function markupOf(fields: Fields): Given | null {
  const given = fields.object("reply_markup");
  if (given === undefined || given === null) return null;
  if (typeof given !== "object" || Array.isArray(given)) throw badRequest("object expected as reply markup");
  return given as Given;
}

/** Returns the rows without what a server leaves out. Errors: 400 for a wrong shape, and for too much. */
function rowsOf<T>(given: unknown, name: string, rowMax: number, read: (button: unknown) => T | null): T[][] {
  if (!Array.isArray(given)) throw badRequest(`field "${name}" must be of type Array`);
  const rows = given.map((row: unknown) => {
    if (!Array.isArray(row)) throw badRequest(`field "${name}" must be an Array of Arrays`);
    if (row.length > rowMax) throw badRequest("REPLY_MARKUP_TOO_LONG");
    return row;
  });
  if (rows.flat().length > MARKUP_BUTTONS) throw badRequest("REPLY_MARKUP_TOO_LONG");
  const kept = rows.map((row) => row.flatMap((button) => read(button) ?? [])).filter((row) => row.length > 0);
  if (Buffer.byteLength(JSON.stringify(kept)) > MARKUP_BYTES) throw badRequest("REPLY_MARKUP_TOO_LONG");
  return kept;
}

function menuOf(given: unknown): Components | null {
  let count = 0;
  const rows = rowsOf(given, "inline_keyboard", MENU_ROW_BUTTONS, (button) => menuButton(button, `b${count++}`));
  return rows.length === 0 ? null : rows.map((elements) => ({ type: "row" as const, elements }));
}

function menuButton(given: unknown, action_id: string): CardElement {
  const button = buttonOf(given);
  const label = labelOf(button.text).slice(0, MARKUP_TEXT_MAX);
  const { callback_data: data, url, style } = button;
  if (typeof url === "string" && url !== "") return { type: "link", label, url: linkOf(url) };
  if (data === undefined) throw badRequest("BUTTON_TYPE_INVALID");
  const bytes = typeof data === "string" ? Buffer.byteLength(data) : 0;
  if (typeof data !== "string" || bytes === 0 || bytes > DATA_BYTES) throw badRequest("BUTTON_DATA_INVALID");
  const shown = style === "danger" || style === "primary" ? { style } : {};
  return { type: "button", action_id, label, ...shown, value: data } as CardElement;
}

/** Returns the text of a button of a keyboard; null: it asks for what the server does not have. */
function replyText(given: unknown): string | null {
  if (typeof given === "string") return replyLabel(given);
  const button = buttonOf(given);
  const asks = Object.keys(button).some((name) => name.startsWith("request_") || name === "web_app");
  return asks ? null : replyLabel(button.text);
}

function replyLabel(text: unknown): string {
  const label = labelOf(text);
  // It is sent as it is, so it is not cut.
  if (label.length > MARKUP_TEXT_MAX) throw badRequest("BUTTON_TEXT_INVALID");
  return label;
}

function buttonOf(given: unknown): Given {
  if (given === null || typeof given !== "object" || Array.isArray(given))
    throw badRequest("can't parse keyboard button: expected an Object");
  return given as Given;
}

function labelOf(text: unknown): string {
  const label = typeof text === "string" ? text.replace(TURNING, " ").trim() : "";
  if (isBlank(label)) throw badRequest("can't parse keyboard button: text must be non-empty");
  return label;
}

/** Returns the address of a button; one without a scheme is `http`, as for Telegram. */
function linkOf(given: string): string {
  const url = /^[a-z][a-z0-9+.-]*:/i.test(given) ? given : `http://${given}`;
  const parsed = URL.canParse(url) ? new URL(url) : null;
  const isWeb = parsed?.protocol === "https:" || parsed?.protocol === "http:";
  if (parsed === null || !isWeb || parsed.username !== "" || parsed.password !== "" || parsed.href.length > URL_MAX)
    throw badRequest("BUTTON_URL_INVALID");
  return parsed.href;
}

function keyboardOf(rows: string[][], given: Given, selective: boolean): ReplyKeyboard {
  const { one_time_keyboard, input_field_placeholder: hint } = given;
  const placeholder = typeof hint === "string" ? hint.replace(TURNING, " ").trim().slice(0, PLACEHOLDER_MAX) : "";
  return { rows, one_time: one_time_keyboard === true, selective, placeholder: placeholder || null };
}

/** Returns the rows of a message's menu; null if it has none that can be pressed. */
export const menuOfMessage = ({ components, interaction }: ChatMessage): Components | null =>
  components !== undefined && interaction?.kind === "menu" && interaction.status === "open" ? components : null;

/** Returns the `reply_markup` of a message: the Bot API shows only inline keyboards. */
export function shownMarkup(message: ChatMessage): { reply_markup?: { inline_keyboard: object[][] } } {
  const menu = menuOfMessage(message);
  if (menu === null) return {};
  const inline_keyboard = menu.map(({ elements }) => elements.flatMap(shownButton));
  return { reply_markup: { inline_keyboard } };
}

function shownButton(element: CardElement): object[] {
  if (element.type === "link") return [{ text: element.label, url: element.url }];
  if (element.type !== "button") return [];
  const { label: text, value: callback_data = "", style } = element;
  return [{ text, callback_data, ...(style === undefined ? {} : { style }) }];
}
