import { later } from "../session/lazy.tsx";
import { useLevel, useParley, useSelf } from "../session/parley-context.ts";
import { useStore } from "../state/store.ts";

const Profile = later(async () => (await import("../profile/profile-window.tsx")).ProfileWindow);
const Agents = later(async () => (await import("../agents/agents-window.tsx")).AgentsWindow);
const Admin = later(async () => (await import("../admin/admin-window.tsx")).AdminWindow);
const NewPacket = later(async () => (await import("../red-packets/new-packet.tsx")).NewPacket);
const Packet = later(async () => (await import("../red-packets/packet-window.tsx")).PacketWindow);

/** The window that is open over the page, if any. */
export function Windows() {
  const parley = useParley();
  const self = useSelf();
  const level = useLevel();
  const opened = useStore(parley.opened);
  const close = () => parley.opened.set(null);
  if (opened?.window === "packet") {
    return <Packet key={opened.packetId} self={self} packetId={opened.packetId} onClose={close} />;
  }
  if (self === null) return null;
  // The key resets the window when the user changes.
  switch (opened?.window) {
    case undefined:
      return null;
    case "profile":
      return <Profile key={self} self={self} onClose={close} />;
    case "agents":
      return <Agents key={self} onClose={close} />;
    case "admin":
      return level === 0 ? null : <Admin key={self} level={level} onClose={close} />;
    case "new packet":
      return <NewPacket key={self} self={self} channel={opened.channel} onClose={close} />;
  }
}
