import type { Channel, ChatMessage } from "@parley/protocol/models";
import { useTexts } from "../../i18n/use-texts.ts";
import { useLevel, useParley, useSelf } from "../../session/parley-context.ts";
import { BellIcon, LockIcon } from "../../ui/icons.tsx";

/** True if the user may lock threads of the channel; the server decides in the end. */
export function useManages(channel: Channel): boolean {
  const level = useLevel();
  return channel.my_role === "owner" || channel.my_role === "admin" || level >= 1;
}

/** Follows a thread or no longer does, and locks it. */
export function ThreadButtons({ root, channel }: { root: ChatMessage; channel: Channel }) {
  const parley = useParley();
  const { threads: texts } = useTexts();
  const self = useSelf();
  const manages = useManages(channel);
  const isFollowing = root.thread === null ? root.username === self : root.thread.following === true;
  const isLocked = root.thread?.is_locked === true;
  const run = (action: () => Promise<unknown>, done?: string) => () => {
    action().then(
      () => done !== undefined && parley.notices.say(done),
      (error: unknown) => parley.showError(error),
    );
  };
  const follow = () =>
    isFollowing ? parley.client.messages.unfollowThread(root.id) : parley.client.messages.followThread(root.id);
  const followLabel = isFollowing ? texts.unfollow : texts.follow;
  const lockLabel = isLocked ? texts.unlock : texts.lock;
  if (self === null) return null;
  return (
    <>
      <button
        type="button"
        className="icon-button follow"
        aria-label={followLabel}
        title={followLabel}
        data-on={isFollowing ? "" : undefined}
        onClick={run(follow, isFollowing ? texts.unfollowed : texts.followed)}
      >
        <BellIcon />
      </button>
      {manages && (
        <button
          type="button"
          className="icon-button"
          aria-label={lockLabel}
          title={lockLabel}
          data-on={isLocked ? "" : undefined}
          onClick={run(() => parley.client.messages.updateThread(root.id, { is_locked: !isLocked }))}
        >
          <LockIcon />
        </button>
      )}
    </>
  );
}
