import type { SecurityNotice } from "@parley/protocol/accounts";
import type { RealtimeEvent, UserClient } from "@parley/sdk";
import { retryUntilDone } from "../state/retry.ts";
import { Store } from "../state/store.ts";

/** The number of notices loaded; older ones are in the profile. */
const READ = 20;

/** Security notices that the user has not dismissed, the newest first, without what this session did itself. */
export class OwnSecurityNotices {
  readonly all = new Store<readonly SecurityNotice[]>([]);
  readonly #client: UserClient;
  /** The page's own session; null: not known. */
  #session: number | null = null;
  #stopReading = () => {};

  constructor(client: UserClient) {
    this.#client = client;
  }

  /** Loads the list, retrying until it succeeds. Notices that arrive meanwhile stay on top. */
  load(): void {
    this.#stopReading();
    const read = async () => {
      const { notices } = await this.#client.accounts.securityNotices({ limit: READ });
      const newest = notices[0]?.notice_id ?? 0;
      this.all.change((all) => [
        ...all.filter(({ notice_id }) => notice_id > newest),
        ...notices.filter((notice) => !this.#isOwn(notice)),
      ]);
    };
    // No error is shown: the list is retried, and the chat works without it.
    this.#stopReading = retryUntilDone(read, () => {});
  }

  /** Applies a socket event. */
  take(event: RealtimeEvent): void {
    if (event.event === "session:ready") this.#session = event.data.session_id ?? null;
    else if (event.event === "security:notice") {
      const { notice } = event.data;
      if (this.#isOwn(notice)) return;
      this.all.change((all) => [notice, ...all.filter(({ notice_id }) => notice_id !== notice.notice_id)]);
    } else if (event.event === "security:dismissed") this.#remove(event.data.up_to_notice_id);
  }

  async dismiss(): Promise<void> {
    const newest = this.all.get()[0]?.notice_id;
    if (newest === undefined) return;
    await this.#client.accounts.dismissSecurityNotices(newest);
    this.#remove(newest);
  }

  /** Discards the notices; called when the user changes. */
  forget(): void {
    this.#stopReading();
    this.all.set([]);
  }

  #isOwn({ details }: SecurityNotice): boolean {
    return this.#session !== null && details.session_id === this.#session;
  }

  #remove(upTo: number): void {
    this.all.change((all) => all.filter(({ notice_id }) => notice_id > upTo));
  }
}
