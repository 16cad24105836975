import { useState } from "react";
import { useTexts } from "../i18n/use-texts.ts";
import { lazy } from "../session/lazy.tsx";
import type { OpenCard } from "../session/open-dialog.ts";
import { useSelf } from "../session/parley-context.ts";
import { Avatar, Name } from "./avatar.tsx";
import { PresenceDot } from "./presence-dot.tsx";
import { StatusLine } from "./status.ts";
import { talksWith } from "./talks-with.ts";

const PersonMenu = lazy(async () => (await import("./person-menu.tsx")).PersonMenu);
const Facts = lazy(async () => (await import("./card-facts.tsx")).CardFacts);

/** The card of a person or agent, with the actions available. */
export function PersonCard({ card, close }: { card: OpenCard; close(): void }) {
  const { people: texts } = useTexts();
  const self = useSelf();
  const { kind, name, member } = card;
  const [talks, setTalks] = useState(kind === "user");
  const isAgent = kind === "agent";
  return (
    <div className="person-card">
      <div className="card-head">
        <span className="pictured">
          <Avatar name={name} isAgent={isAgent} />
          {!isAgent && <PresenceDot name={name} />}
        </span>
        <span className="person-info">
          <Name name={name} isAgent={isAgent} />
          {!isAgent && name === self && <span className="muted">({texts.you})</span>}
          {!isAgent && <StatusLine name={name} />}
          {member !== undefined && member.role !== "member" && <span className="role">{texts.roles[member.role]}</span>}
        </span>
      </div>
      <Facts key={`${kind} ${name}`} kind={kind} name={name} onAgent={(agent) => setTalks(talksWith(agent, self))} />
      {self !== null && name !== self && <PersonMenu card={card} talks={talks} close={close} />}
    </div>
  );
}
