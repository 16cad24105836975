import type { ChatMessage } from "@parley/protocol/models";
import { useCallback, useState } from "react";
import { useTexts } from "../i18n/use-texts.ts";
import { Avatar, Name } from "../people/avatar.tsx";
import { useParley } from "../session/parley-context.ts";
import { useList } from "../session/use-list.ts";
import { Dialog } from "../ui/dialog.tsx";
import { ListEnd } from "../ui/list-end.tsx";
import { pictureOf } from "./reaction-picture.ts";
import { ReactionPicture } from "./reactions.tsx";

interface Props {
  message: ChatMessage;
  /** The reaction that is shown first. */
  first: string;
  onClose(): void;
}

/** Everyone who reacted to a message, one reaction at a time. */
export function ReactorsDialog({ message, first, onClose }: Props) {
  const { finding: texts, messages } = useTexts();
  const [reaction, setReaction] = useState(first);
  return (
    <Dialog title={texts.reactions} kind="sheet" onClose={onClose}>
      <div className="choice">
        {message.reactions.map(({ reaction: each, count }) => (
          <button
            key={each}
            type="button"
            aria-pressed={each === reaction}
            aria-label={messages.reaction(pictureOf(each), count)}
            onClick={() => setReaction(each)}
          >
            <ReactionPicture reaction={each} /> {count}
          </button>
        ))}
      </div>
      <Reactors key={reaction} messageId={message.id} reaction={reaction} />
    </Dialog>
  );
}

function Reactors({ messageId, reaction }: { messageId: number; reaction: string }) {
  const parley = useParley();
  const { finding: texts } = useTexts();
  const list = useList(
    useCallback(
      async (offset: number | undefined) => {
        const page = await parley.client.messages.reactors(messageId, reaction, offset === undefined ? {} : { offset });
        return { items: page.actors, next: page.next_offset };
      },
      [parley, messageId, reaction],
    ),
  );
  return (
    <>
      <ul className="people">
        {list.items?.map(({ kind, name }) => (
          <li key={`${kind} ${name}`} className="person">
            <Avatar name={name} isAgent={kind === "agent"} isSmall />
            <Name name={name} isAgent={kind === "agent"} />
          </li>
        ))}
      </ul>
      <ListEnd list={list} none={texts.noReactions} />
    </>
  );
}
