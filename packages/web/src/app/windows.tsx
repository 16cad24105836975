import { lazy } from "../session/lazy.tsx";
import type { OpenDialog } from "../session/open-dialog.ts";
import { ADMINISTRATOR, useLevel, useParley, useSelf } from "../session/parley-context.ts";
import { useStore } from "../state/store.ts";
import { DialogBoundary } from "../ui/dialog-boundary.tsx";

const Profile = lazy(async () => (await import("../profile/profile-window.tsx")).ProfileWindow);
const Agents = lazy(async () => (await import("../agents/agents-window.tsx")).AgentsWindow);
const NewAgent = lazy(async () => (await import("../agents/new-agent-dialog.tsx")).NewAgentDialog);
const SetUpAgent = lazy(async () => (await import("../agents/set-up-agent-dialog.tsx")).SetUpAgentDialog);
const Setup = lazy(async () => (await import("../agents/setup-page.tsx")).SetupPage);
const Admin = lazy(async () => (await import("../admin/admin-window.tsx")).AdminWindow);
const NewPacket = lazy(async () => (await import("../red-packets/new-packet.tsx")).NewPacket);
const Packet = lazy(async () => (await import("../red-packets/packet-window.tsx")).PacketWindow);
const Help = lazy(async () => (await import("../navigation/shortcut-help.tsx")).ShortcutHelp);
const Switcher = lazy(async () => (await import("../navigation/switcher.tsx")).Switcher);
const CreateChannel = lazy(async () => (await import("../channels/create-channel.tsx")).CreateChannel);
const Invite = lazy(async () => (await import("../welcome/invite-dialog.tsx")).InviteDialog);
const Link = lazy(async () => (await import("../welcome/link-dialog.tsx")).LinkDialog);
const Reactors = lazy(async () => (await import("../messages/reactors-dialog.tsx")).ReactorsDialog);
const Lightbox = lazy(async () => (await import("../files/lightbox.tsx")).Lightbox);
const Webhooks = lazy(async () => (await import("../webhooks/webhooks-window.tsx")).WebhooksWindow);
const ServerEmoji = lazy(async () => (await import("../emoji/emoji-window.tsx")).EmojiWindow);
const Saved = lazy(async () => (await import("../saved/saved-window.tsx")).SavedWindow);
const Forward = lazy(async () => (await import("../forwards/forward-window.tsx")).ForwardWindow);
const NewPoll = lazy(async () => (await import("../polls/new-poll.tsx")).NewPoll);
const Recorder = lazy(async () => (await import("../voice/recorder.tsx")).Recorder);
const Words = lazy(async () => (await import("../voice/write-transcript.tsx")).WriteTranscript);
const Scheduled = lazy(async () => (await import("../scheduled/scheduled-window.tsx")).ScheduledWindow);
const Reminders = lazy(async () => (await import("../reminders/reminders-windows.tsx")).RemindersWindows);
const Report = lazy(async () => (await import("../messages/report-dialog.tsx")).ReportDialog);

/** The window that is open over the page, if any. */
export function Windows() {
  const parley = useParley();
  const openDialog = useStore(parley.openDialog);
  const close = () => parley.openDialog.set(null);
  if (openDialog === null) return null;
  return (
    <DialogBoundary key={openDialog.window} onClose={close}>
      <Window openDialog={openDialog} close={close} />
    </DialogBoundary>
  );
}

function Window({ openDialog, close }: { openDialog: OpenDialog; close(): void }) {
  const self = useSelf();
  const level = useLevel();
  if (openDialog.window === "packet") {
    return <Packet key={openDialog.packetId} self={self} packetId={openDialog.packetId} onClose={close} />;
  }
  if (openDialog.window === "shortcuts") return <Help onClose={close} />;
  if (openDialog.window === "switcher") return <Switcher onClose={close} />;
  if (openDialog.window === "reactions") {
    return <Reactors message={openDialog.message} first={openDialog.reaction} onClose={close} />;
  }
  if (openDialog.window === "pictures") {
    return <Lightbox pictures={openDialog.pictures} at={openDialog.at} onClose={close} />;
  }
  if (openDialog.window === "link") return <Link link={openDialog} onClose={close} />;
  if (openDialog.window === "setup") return <Setup code={openDialog.code} onClose={close} />;
  if (self === null) return null;
  // The key resets the window when the user changes.
  switch (openDialog.window) {
    case "profile":
      return <Profile key={self} self={self} at={openDialog.tab} onClose={close} />;
    case "agents":
      return <Agents key={self} show={openDialog.show} onClose={close} />;
    case "new agent":
      return level < ADMINISTRATOR ? null : <NewAgent key={self} onClose={close} />;
    case "set up agent":
      return <SetUpAgent key={self} onClose={close} />;
    case "webhooks":
      return <Webhooks key={self} owner={openDialog.owner} onClose={close} />;
    case "admin":
      return level === 0 ? null : <Admin key={self} level={level} onClose={close} />;
    case "new direct":
      return <Switcher isDirect onClose={close} />;
    case "invite":
      return <Invite key={self} self={self} onClose={close} />;
    case "scheduled":
      return <Scheduled key={self} onClose={close} />;
    case "emoji":
      return <ServerEmoji key={self} onClose={close} />;
    case "saved":
      return <Saved key={self} onClose={close} />;
    case "forward":
      return <Forward key={self} message={openDialog.message} onClose={close} />;
    case "reminders":
      return <Reminders key={self} of={openDialog.of} onClose={close} />;
    case "new channel":
      return <CreateChannel onClose={close} />;
    case "report":
      return <Report message={openDialog.message} onClose={close} />;
    case "new poll":
      return <NewPoll channelId={openDialog.channelId} onClose={close} />;
    case "voice note":
      // Another user may have logged in.
      return openDialog.by === self ? <Recorder onSend={openDialog.onSend} onClose={close} /> : null;
    case "transcript":
      return <Words key={self} fileId={openDialog.fileId} transcript={openDialog.transcript} onClose={close} />;
    case "new packet":
      return <NewPacket key={self} self={self} channel={openDialog.channel} onClose={close} />;
  }
}
