import { useEffect, useState } from "react";
import { usePanelTexts } from "../../i18n/hooks/use-panel-texts.ts";
import { useLevel, useParley } from "../../session/parley-context.ts";

/** Leads moderators to the open reports, as long as there are any. */
export function ReportsButton() {
  const parley = useParley();
  const texts = usePanelTexts();
  const isStaff = useLevel() > 0;
  const [count, setCount] = useState(0);
  useEffect(() => {
    if (!isStaff) return;
    let run = 0;
    const read = async () => {
      run += 1;
      const mine = run;
      const { open_count = 0 } = await parley.client.admin.reports({ status: "open", limit: 1 });
      if (mine === run) setCount(open_count);
    };
    // Without an answer the last count stays, until the next event or connection.
    const again = () => void read().catch(() => {});
    again();
    const end = parley.live.onEvent(({ event }) => {
      if (event === "reports:update" || event === "session:ready") again();
    });
    return () => {
      run = -1;
      end();
      setCount(0);
    };
  }, [parley, isStaff]);
  if (count === 0) return null;
  return (
    <button type="button" className="reports-button" onClick={() => parley.openDialog.set({ window: "admin" })}>
      <span>{texts.reports}</span>
      <span className="count mentioned" aria-hidden="true">
        {count > 99 ? "99+" : count}
      </span>
      <span className="visually-hidden">{texts.openCount(count)}</span>
    </button>
  );
}
