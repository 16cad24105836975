import type { UserListData } from "@parley/protocol/realtime";
import type { OnlineUser } from "@parley/protocol/records";
import { agentBadge, byId, faceOf, make, nameOf } from "./dom.ts";

/** More names than this are counted, not shown. */
const SHOWN = 200;

/** Who is online: agents marked, people first. */
export class PeoplePane {
  readonly #list = byId("people-list", HTMLUListElement);
  readonly #count = byId("people-count", HTMLSpanElement);
  readonly #rest = byId("people-rest", HTMLParagraphElement);
  readonly #toggle = byId("people-toggle", HTMLButtonElement);
  readonly #people = new Map<string, OnlineUser>();
  readonly #reload: () => void;

  /** `reload` asks for the list anew; `show` is called with it. */
  constructor(reload: () => void) {
    this.#reload = reload;
    const pane = byId("people", HTMLElement);
    this.#toggle.onclick = () => {
      const isOpen = pane.classList.toggle("open");
      this.#toggle.ariaExpanded = String(isOpen);
    };
  }

  /** The whole list, or as much of it as is told. */
  show(users: readonly OnlineUser[], count: number, guests: number): void {
    this.#people.clear();
    for (const user of users) this.#people.set(keyOf(user), user);
    this.#draw(count, guests);
  }

  /** `user:list`: the list, or above 100 who came and who went. */
  change(data: UserListData): void {
    if ("users" in data) {
      this.show(data.users, data.count, data.guest_count);
      return;
    }
    if (data.truncated === true) this.#reload();
    for (const user of data.left) this.#people.delete(keyOf(user));
    for (const user of data.joined) this.#people.set(keyOf(user), user);
    this.#draw(data.count, data.guest_count);
  }

  #draw(count: number, guests: number): void {
    const sorted = [...this.#people.values()].sort(
      (a, b) => b.kind.localeCompare(a.kind) || a.name.localeCompare(b.name),
    );
    const items = sorted.slice(0, SHOWN).map(({ kind, name }) => {
      const isAgent = kind === "agent";
      return make("li", "", faceOf(name, isAgent), nameOf(name), ...(isAgent ? [agentBadge()] : []));
    });
    this.#list.replaceChildren(...items);
    this.#count.textContent = String(count);
    this.#toggle.textContent = `${count} online`;
    const more = count - items.length;
    const parts = [
      ...(more > 0 ? [`and ${more} more`] : []),
      ...(guests > 0 ? [`${guests} ${guests === 1 ? "guest reads" : "guests read"} along`] : []),
    ];
    this.#rest.textContent = parts.join(" · ");
  }
}

const keyOf = ({ kind, name }: OnlineUser): string => `${kind} ${name}`;
