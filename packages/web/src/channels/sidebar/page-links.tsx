import type { ReactNode } from "react";
import { useTexts } from "../../i18n/use-texts.ts";
import { useParley, useSelf } from "../../session/parley-context.ts";
import { CATCH_UP_HREF, type Route, THREADS_HREF } from "../../state/route.ts";
import { useStore } from "../../state/store.ts";
import { CheckIcon, ThreadIcon } from "../../ui/icons.tsx";

/** Leads to everything that waits for the user. */
export function CatchUpLink() {
  const parley = useParley();
  const { sidebar: texts } = useTexts();
  const { hasUnread } = useStore(parley.calls.attention);
  const threads = useStore(parley.threads.unread).size;
  return (
    <PageLink
      page="catch-up"
      href={CATCH_UP_HREF}
      label={texts.catchUp}
      icon={<CheckIcon />}
      isUnread={hasUnread || threads > 0}
    />
  );
}

/** Leads to the threads that the user follows, with the number of those that have new replies. */
export function ThreadsLink() {
  const parley = useParley();
  const { threads: texts } = useTexts();
  const count = useStore(parley.threads.unread).size;
  return (
    <PageLink page="threads" href={THREADS_HREF} label={texts.list} icon={<ThreadIcon />} isUnread={count > 0}>
      {count > 0 && (
        <span className="count mentioned">
          <span aria-hidden="true">{count >= 100 ? "99+" : count}</span>
          <span className="visually-hidden">, {texts.unreadThreads(count)}</span>
        </span>
      )}
    </PageLink>
  );
}

interface Props {
  page: Route["page"];
  href: string;
  label: string;
  icon: ReactNode;
  isUnread: boolean;
  children?: ReactNode;
}

/** A link above the channels, for users. */
function PageLink({ page, href, label, icon, isUnread, children }: Props) {
  const parley = useParley();
  const self = useSelf();
  const { page: current } = useStore(parley.route);
  if (self === null) return null;
  return (
    <a
      className="channel-link threads-link"
      href={href}
      aria-current={page === current ? "page" : undefined}
      data-unread={isUnread ? "" : undefined}
    >
      <span className="hash" aria-hidden="true">
        {icon}
      </span>
      <span className="label">{label}</span>
      {children}
    </a>
  );
}
