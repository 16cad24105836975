import { useState } from "react";
import { useWindowTexts } from "../i18n/hooks/use-window-texts.ts";
import { useTexts } from "../i18n/use-texts.ts";
import { useValue } from "../session/use-site.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Tabs } from "../ui/tabs.tsx";
import { AgentsTab } from "./agents-tab.tsx";
import { AuditTab } from "./audit-tab.tsx";
import { ChannelsTab } from "./channels-tab.tsx";
import { HealthTab } from "./health-tab.tsx";
import { ImportsTab } from "./imports-tab.tsx";
import { PaymentsTab } from "./payments-tab.tsx";
import { PayoutsTab } from "./payouts-tab.tsx";
import { ReportsTab } from "./reports-tab.tsx";
import { SalesTab } from "./sales-tab.tsx";
import { SiteTab } from "./site-tab.tsx";
import { UsersTab } from "./users-tab.tsx";

/** Tabs by the site level they need: moderators (1) and administrators (2). The server enforces the permissions. */
const TABS = {
  reports: { level: 1, Shown: ReportsTab },
  users: { level: 2, Shown: UsersTab },
  agents: { level: 2, Shown: AgentsTab },
  channels: { level: 2, Shown: ChannelsTab },
  imports: { level: 2, Shown: ImportsTab },
  audit: { level: 2, Shown: AuditTab },
  sales: { level: 2, Shown: SalesTab },
  payments: { level: 2, Shown: PaymentsTab },
  payouts: { level: 2, Shown: PayoutsTab },
  health: { level: 2, Shown: HealthTab },
  site: { level: 2, Shown: SiteTab },
} as const;
type Tab = keyof typeof TABS;
/** The tabs that a server without payments and red packets does not have. */
const OF_VALUE: readonly Tab[] = ["sales", "payments", "payouts"];

/** The administration window of the site. */
export function AdminWindow({ level, onClose }: { level: number; onClose(): void }) {
  const { account } = useTexts();
  const { admin: texts } = useWindowTexts();
  const [tab, setTab] = useState<Tab>("reports");
  const hasValue = useValue() !== false;
  const open = (Object.keys(TABS) as Tab[]).filter(
    (each) => level >= TABS[each].level && (hasValue || !OF_VALUE.includes(each)),
  );
  const { Shown } = TABS[tab];
  return (
    <Dialog title={account.administration} onClose={onClose}>
      <Tabs<Tab>
        label={account.administration}
        tabs={open.map((each) => ({ tab: each, name: texts.tabs[each] }))}
        shown={tab}
        isWide
        onShow={setTab}
      >
        <Shown />
      </Tabs>
    </Dialog>
  );
}
