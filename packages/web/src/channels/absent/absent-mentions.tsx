import type { Channel } from "@parley/protocol/models";
import { fieldIdOf } from "../../composer/field-id.ts";
import { useWritingTexts } from "../../i18n/hooks/use-writing-texts.ts";
import { useTexts } from "../../i18n/use-texts.ts";
import type { Conversation } from "../../model/conversation.ts";
import { ADMINISTRATOR, useLevel, useParley } from "../../session/parley-context.ts";
import { CloseIcon } from "../../ui/icons.tsx";
import { useAction } from "../../ui/use-action.ts";
import type { Absent } from "./find-absent.ts";
import { useAbsent } from "./use-absent.ts";

/** Says above the composer whom the message that was just sent mentions in vain, with the way to add them for admins. */
export function AbsentMentions({ channel, conversation }: { channel: Channel; conversation: Conversation }) {
  const parley = useParley();
  const texts = useWritingTexts();
  const { app } = useTexts();
  const level = useLevel();
  const action = useAction();
  const isAdmin = channel.my_role === "owner" || channel.my_role === "admin" || level >= ADMINISTRATOR;
  const manages = isAdmin && !channel.is_direct;
  const { absent, forget } = useAbsent(channel, conversation, manages);
  const isOpen = !channel.is_private && channel.price === null;
  const add = async (one: Absent) => {
    if (!(await action.run(() => parley.client.channels.setMember(channel.id, one.name)))) return;
    forget(one);
    parley.notices.say(texts.added(one.name));
    // The button that was pressed is gone.
    document.getElementById(fieldIdOf(conversation.rootId))?.focus();
  };
  const names = absent.map(({ name }) => name);
  return (
    // Mounted before it has content, so that screen readers announce it.
    <div className="absent-mentions" role="status">
      {names.length > 0 && (
        <p>
          <bdi>
            {isOpen
              ? texts.banned(names)
              : channel.is_direct
                ? texts.notInConversation(names)
                : texts.notInChannel(names)}
          </bdi>
          {manages &&
            !isOpen &&
            absent.map((one) => (
              <button
                key={`${one.kind} ${one.name}`}
                type="button"
                className="link"
                disabled={action.isBusy}
                onClick={() => void add(one)}
              >
                {texts.addToChannel(one.name)}
              </button>
            ))}
          <button
            type="button"
            className="icon-button"
            aria-label={app.close}
            title={app.close}
            onClick={() => forget()}
          >
            <CloseIcon />
          </button>
          {action.error !== null && <span className="error">{action.error}</span>}
        </p>
      )}
    </div>
  );
}
