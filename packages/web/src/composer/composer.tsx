import type { Channel } from "@parley/protocol/models";
import { useTexts } from "../i18n/use-texts.ts";
import type { Conversation } from "../model/conversation.ts";
import { useParley } from "../session/parley-context.ts";
import { useStore } from "../state/store.ts";
import { ComposerForm } from "./composer-form.tsx";

/** The composer, or the reason why the user cannot write. */
export function Composer({ channelSession, channel }: { channelSession: Conversation; channel: Channel }) {
  const parley = useParley();
  const { composer: texts, account } = useTexts();
  const session = useStore(parley.session);
  const manages = channel.my_role === "owner" || channel.my_role === "admin";
  if (session.state === "unknown") return <div className="composer" />;
  if (session.state === "guest") {
    return (
      <div className="composer closed">
        <p>{texts.guest}</p>
        <button type="button" onClick={() => parley.loginDialog.set("login")}>
          {account.logIn}
        </button>
      </div>
    );
  }
  if (channel.post_policy === "admins" && !manages) return <p className="composer closed">{texts.readOnly}</p>;
  // The key discards the text when the user changes.
  return <ComposerForm key={session.user.username} channelSession={channelSession} channel={channel} />;
}
