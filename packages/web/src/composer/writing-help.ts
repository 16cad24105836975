import type { ClipboardEvent, KeyboardEvent } from "react";
import type { Conversation } from "../model/conversation.ts";
import { endsInOpenFence } from "../ui/open-fence.ts";
import { isShortcut } from "../ui/shortcuts.ts";
import { isLikeCode } from "./paste.ts";

const LINK = /^https?:\/\/[^\s<>]+$/i;
/** A line of a list: its indentation, its sign, a box to tick, and its text. */
const ITEM = /^([ \t]*)(?:([-*+])|(\d{1,9})([.)]))([ \t]+)(\[[ xX]\][ \t]+)?(.*)$/;

/** Inserts text over the selection. Old, but the only insertion that the browser's undo knows. */
function insert(field: HTMLTextAreaElement, text: string): void {
  field.focus();
  document.execCommand(text === "" ? "delete" : "insertText", false, text);
}

const isInCode = ({ value, selectionStart }: HTMLTextAreaElement): boolean =>
  endsInOpenFence(value.slice(0, selectionStart));

/** Returns the link to insert where an address is pasted over a selection; null: the paste is something else. */
export function linkOf(pasted: string, selected: string): string | null {
  const url = pasted.trim();
  if (!LINK.test(url) || selected.trim() === "" || selected.includes("\n") || LINK.test(selected.trim())) return null;
  const address = url.replaceAll("(", "%28").replaceAll(")", "%29");
  return `[${selected.replaceAll(/[[\]\\]/g, "\\$&")}](${address})`;
}

/** Pastes an address over a selection as a link; returns true if it did. */
export function pasteAsLink(event: ClipboardEvent<HTMLTextAreaElement>): boolean {
  const { currentTarget: field, clipboardData } = event;
  const selected = field.value.slice(field.selectionStart, field.selectionEnd);
  const link = linkOf(clipboardData.getData("text/plain"), selected);
  if (link === null || isInCode(field)) return false;
  event.preventDefault();
  insert(field, link);
  return true;
}

/** True for a paste that may be code, so that a block is offered. */
export const mayBeCode = (event: ClipboardEvent<HTMLTextAreaElement>): boolean =>
  !isInCode(event.currentTarget) && isLikeCode(event.clipboardData.getData("text/plain"));

/**
 * Returns what a new line in a list begins with, or "" where an empty item ends the list; null: the line is no item.
 */
export function nextItem(line: string): string | null {
  const [whole, indent = "", sign, number, mark, space = "", box = "", text = ""] = ITEM.exec(line) ?? [];
  if (whole === undefined) return null;
  if (text.trim() === "") return "";
  return `${indent}${sign ?? `${Number(number) + 1}${mark}`}${space}${box === "" ? "" : "[ ] "}`;
}

/** Goes on with a list where a key breaks the line in an item; returns true if it did. */
export function continueList(event: KeyboardEvent<HTMLTextAreaElement>): boolean {
  const field = event.currentTarget;
  const { value, selectionStart: at, selectionEnd } = field;
  if (event.key !== "Enter" || at !== selectionEnd || isInCode(field)) return false;
  const start = value.lastIndexOf("\n", at - 1) + 1;
  const begun = nextItem(value.slice(start, at));
  if (begun === null) return false;
  event.preventDefault();
  if (begun === "") field.setSelectionRange(start, at);
  insert(field, begun === "" ? "" : `\n${begun}`);
  return true;
}

/** Makes the selection bold or italic, or takes that back; returns true if the key does that. */
export function emphasize(event: KeyboardEvent<HTMLTextAreaElement>): boolean {
  const mark = isShortcut(event, "bold") ? "**" : isShortcut(event, "italic") ? "_" : null;
  if (mark === null) return false;
  event.preventDefault();
  const field = event.currentTarget;
  const { value, selectionStart: start, selectionEnd: end } = field;
  const { length } = mark;
  const isMarked = value.slice(start - length, start) === mark && value.slice(end, end + length) === mark;
  const text = value.slice(start, end);
  if (isMarked) field.setSelectionRange(start - length, end + length);
  insert(field, isMarked ? text : mark + text + mark);
  const first = isMarked ? start - length : start + length;
  field.setSelectionRange(first, first + text.length);
  return true;
}

/** Arrow up in an empty field edits the user's last message. */
export function editLast(channelSession: Conversation, self: string | null, event: KeyboardEvent): void {
  const last = channelSession.view
    .get()
    .messages.findLast(
      (message) => message.username === self && message.type === "text" && !message.is_deleted && !message.forwarded,
    );
  if (last === undefined || self === null) return;
  event.preventDefault();
  channelSession.composeState.edit(last.id, true);
}
