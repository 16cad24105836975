import { NotificationOffer } from "./notification-offer.tsx";
import { ReportsButton } from "./reports-button.tsx";

/** What the list of channels says below them: reports that wait for staff, and the offer of notifications. */
export function SidebarNotes() {
  return (
    <>
      <ReportsButton />
      <NotificationOffer />
    </>
  );
}
