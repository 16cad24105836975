import type { ChannelRecord } from "@parley/protocol/records";
import type { Room } from "../model/channel-session.ts";
import { useParley, useTexts } from "../session/parley-context.ts";
import { useStore } from "../state/store.ts";
import { Writing } from "./composer-form.tsx";

/** The composer, or the reason why the user cannot write. */
export function Composer({ room, channel }: { room: Room; channel: ChannelRecord }) {
  const parley = useParley();
  const { composer: texts, account } = useTexts();
  const session = useStore(parley.session);
  const manages = channel.my_role === "owner" || channel.my_role === "admin";
  if (session.state === "unknown") return <div className="composer" />;
  if (session.state === "guest") {
    return (
      <div className="composer closed">
        <p>{texts.guest}</p>
        <button type="button" onClick={() => parley.entrance.set("login")}>
          {account.logIn}
        </button>
      </div>
    );
  }
  if (channel.post_policy === "admins" && !manages) return <p className="composer closed">{texts.readOnly}</p>;
  // The key discards the text when the user changes.
  return <Writing key={session.user.username} room={room} channel={channel} />;
}
