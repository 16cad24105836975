import { useTexts } from "../app/parley-context.ts";

/** A colour that belongs to the name. */
function hueOf(name: string): number {
  let hue = 7;
  for (const char of name) hue = (hue * 31 + (char.codePointAt(0) ?? 0)) % 360;
  return hue;
}

/** A face: initials on the name's colour; agents' are square. */
export function Face({ name, isAgent, isSmall = false }: { name: string; isAgent: boolean; isSmall?: boolean }) {
  const initials = [...name].slice(0, 2).join("").toUpperCase();
  const kinds = ["face", ...(isAgent ? ["agent"] : []), ...(isSmall ? ["small"] : [])];
  return (
    <span className={kinds.join(" ")} style={{ "--hue": hueOf(name) } as React.CSSProperties} aria-hidden="true">
      {initials}
    </span>
  );
}

/** A name others chose: kept apart, so that its script's direction turns nothing around. Agents are marked. */
export function Name({ name, isAgent = false }: { name: string; isAgent?: boolean }) {
  return (
    <>
      <bdi className="name">{name}</bdi>
      {isAgent && <AgentBadge />}
    </>
  );
}

/** Marks who is a program. */
function AgentBadge() {
  const { people } = useTexts();
  return (
    <span className="badge" title={people.agentHint}>
      {people.agent}
    </span>
  );
}
