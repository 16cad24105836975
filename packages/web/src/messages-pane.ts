import type { ChatMessage } from "@parley/protocol/records";
import { byId } from "./dom.ts";
import { continues, dayLine, isSameDay, messageItem, pendingItem } from "./message-view.ts";

/** Messages kept on the page while its newest end is looked at. */
const KEPT = 600;
/** Closer to the end than this the page follows it. */
const NEAR_PX = 80;

interface Sending {
  item: HTMLElement;
  fail(reason: string): void;
}

/** The conversation: what was said in order, then what is on its way. */
export class MessagesPane {
  readonly #scroller = byId("scroller", HTMLDivElement);
  readonly #list = byId("messages", HTMLOListElement);
  readonly #newest = byId("newest", HTMLButtonElement);
  readonly #earlier = byId("earlier", HTMLButtonElement);
  readonly #empty = byId("empty", HTMLParagraphElement);
  readonly #messages = new Map<number, ChatMessage>();
  readonly #items = new Map<number, HTMLElement>();
  readonly #sending = new Map<string, Sending>();
  #newestItem: ChatMessage | undefined;
  #follows = true;
  /** Who reads; mentions of that name stand out. */
  me: string | null = null;

  /** `loadEarlier` gives the page of messages before the oldest one, and whether there are more. */
  constructor(loadEarlier: (beforeId: number) => Promise<{ messages: ChatMessage[]; more: boolean }>) {
    this.#scroller.onscroll = () => this.#scrolled();
    this.#newest.onclick = () => this.#toEnd();
    // A page that grows or shrinks (a phone's keyboard) stays at the end it was at.
    new ResizeObserver(() => this.#keepEnd()).observe(this.#scroller);
    this.#earlier.onclick = async () => {
      const oldest = this.#messages.values().next().value;
      if (oldest === undefined) return;
      this.#earlier.disabled = true;
      try {
        const { messages, more } = await loadEarlier(oldest.id);
        this.#prepend(messages);
        this.#earlier.hidden = !more;
      } finally {
        this.#earlier.disabled = false;
      }
    };
  }

  /** Another channel, or all anew. */
  clear(): void {
    for (const item of [...this.#list.children]) item.remove();
    this.#messages.clear();
    this.#items.clear();
    this.#sending.clear();
    this.#newestItem = undefined;
    this.#follows = true;
    this.#earlier.hidden = true;
    this.#empty.hidden = true;
  }

  /** The first page is here: says when there is nothing, offers what is older. */
  loaded(hasOlder: boolean): void {
    this.#earlier.hidden = !hasOlder || this.#messages.size === 0;
    this.#empty.hidden = this.#messages.size > 0 || this.#sending.size > 0;
  }

  add(message: ChatMessage): void {
    this.settled(message.client_msg_id);
    if (this.#messages.has(message.id)) {
      this.update(message);
      return;
    }
    this.#empty.hidden = true;
    const before = this.#newestItem;
    const firstSending = this.#list.querySelector(".pending");
    if (!isSameDay(message, before)) this.#list.insertBefore(dayLine(message), firstSending);
    this.#messages.set(message.id, message);
    const item = this.#itemOf(message, before);
    this.#list.insertBefore(item, firstSending);
    this.#newestItem = message;
    if (this.#follows) this.#trim();
    this.#keepEnd();
    this.#newest.hidden = this.#follows;
  }

  update(message: ChatMessage): void {
    const old = this.#items.get(message.id);
    if (old === undefined) return;
    this.#messages.set(message.id, message);
    const item = this.#itemOf(message, undefined, old.classList.contains("continued"));
    old.replaceWith(item);
    this.#keepEnd();
  }

  change(id: number, change: Partial<ChatMessage>): void {
    const message = this.#messages.get(id);
    if (message !== undefined) this.update({ ...message, ...change });
  }

  /** Shows a message of one's own at once; `settled` or `failed` follow. */
  sending(key: string, text: string, retry: () => void): void {
    const made = pendingItem(text, retry);
    this.#sending.set(key, made);
    this.#empty.hidden = true;
    this.#list.append(made.item);
    this.#toEnd();
  }

  failed(key: string, reason: string): void {
    this.#sending.get(key)?.fail(reason);
    this.#keepEnd();
  }

  settled(key: string | null): void {
    if (key === null) return;
    this.#sending.get(key)?.item.remove();
    this.#sending.delete(key);
  }

  #itemOf(message: ChatMessage, before: ChatMessage | undefined, continued = continues(message, before)): HTMLElement {
    const repliedTo = message.reply_to_id === null ? undefined : this.#messages.get(message.reply_to_id);
    const item = messageItem(message, { continued, repliedTo, me: this.me });
    this.#items.set(message.id, item);
    return item;
  }

  #prepend(older: readonly ChatMessage[]): void {
    const kept = [...this.#messages.values()];
    const height = this.#scroller.scrollHeight;
    const newest = this.#newestItem;
    const sending = [...this.#list.querySelectorAll(".pending")];
    this.#list.replaceChildren();
    this.#messages.clear();
    this.#newestItem = undefined;
    this.#follows = false;
    for (const message of [...older, ...kept]) this.add(message);
    this.#newestItem = newest;
    this.#list.append(...sending);
    this.#newest.hidden = true;
    this.#scroller.scrollTop += this.#scroller.scrollHeight - height;
  }

  #trim(): void {
    for (const [id, item] of this.#items) {
      if (this.#messages.size <= KEPT) break;
      item.remove();
      this.#items.delete(id);
      this.#messages.delete(id);
      this.#earlier.hidden = false;
    }
    // A day without messages says nothing.
    const first = this.#list.firstElementChild;
    if (first?.matches(".day") === true && first.nextElementSibling?.matches(".day") === true) first.remove();
  }

  #scrolled(): void {
    const { scrollTop, scrollHeight, clientHeight } = this.#scroller;
    this.#follows = scrollHeight - scrollTop - clientHeight < NEAR_PX;
    if (this.#follows) this.#newest.hidden = true;
  }

  #keepEnd(): void {
    if (this.#follows) this.#scroller.scrollTop = this.#scroller.scrollHeight;
  }

  #toEnd(): void {
    this.#follows = true;
    this.#newest.hidden = true;
    this.#keepEnd();
  }
}
