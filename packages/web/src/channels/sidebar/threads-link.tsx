import { useTexts } from "../../i18n/use-texts.ts";
import { useParley, useSelf } from "../../session/parley-context.ts";
import { THREADS_HREF } from "../../state/route.ts";
import { useStore } from "../../state/store.ts";
import { ThreadIcon } from "../../ui/icons.tsx";

/** Leads to the threads that the user follows, with the number of those that have new replies. */
export function ThreadsLink() {
  const parley = useParley();
  const { threads: texts } = useTexts();
  const self = useSelf();
  const { page } = useStore(parley.route);
  const count = useStore(parley.threads.unread).size;
  if (self === null) return null;
  return (
    <a
      className="channel-link threads-link"
      href={THREADS_HREF}
      aria-current={page === "threads" ? "page" : undefined}
      data-unread={count > 0 ? "" : undefined}
    >
      <span className="hash" aria-hidden="true">
        <ThreadIcon />
      </span>
      <span className="label">{texts.list}</span>
      {count > 0 && (
        <span className="count mentioned">
          <span aria-hidden="true">{count >= 100 ? "99+" : count}</span>
          <span className="visually-hidden">, {texts.unreadThreads(count)}</span>
        </span>
      )}
    </a>
  );
}
