import { NotificationOffer } from "./notification-offer.tsx";
import { ReportsButton } from "./reports-button.tsx";

/** The notes below the list of channels: reports that wait for staff, and the offer of notifications. */
export function SidebarNotes() {
  return (
    <>
      <ReportsButton />
      <NotificationOffer />
    </>
  );
}
