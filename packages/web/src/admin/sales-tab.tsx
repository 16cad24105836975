import type { PaidResource } from "@parley/protocol/payments";
import { useCallback, useState } from "react";
import { momentOf } from "../i18n/date-format.ts";
import { useWindowTexts } from "../i18n/hooks/use-window-texts.ts";
import { useTexts } from "../i18n/use-texts.ts";
import { coinsFor } from "../model/chains.ts";
import { CopyField } from "../session/copy-field.tsx";
import { useParley } from "../session/parley-context.ts";
import { useList } from "../session/use-list.ts";
import { Dialog } from "../ui/dialog.tsx";
import { DialogBoundary } from "../ui/dialog-boundary.tsx";
import { ListEnd } from "../ui/list-end.tsx";
import { ErrorLine } from "../ui/submit.tsx";
import { useAction } from "../ui/use-action.ts";
import { useChains } from "../wallets/use-chains.ts";
import { chainName, priceText } from "../wallets/wallet-texts.ts";
import { SaleForm } from "./sale-form.tsx";

/** The items sold under /api/paid; adds and removes them. */
export function SalesTab() {
  const parley = useParley();
  const { app } = useTexts();
  const { admin: texts } = useWindowTexts();
  const chains = useChains();
  const [isSelling, setSelling] = useState(false);
  const { payments } = parley.client;
  const load = useCallback(async () => ({ items: (await payments.resources()).resources, next: null }), [payments]);
  const list = useList<PaidResource>(load);
  if (chains === null) return <p className="hint">{app.loading}</p>;
  const coins = coinsFor(chains, "payments");
  return (
    <>
      <p className="hint">{coins.length === 0 ? texts.noCoins : texts.salesHint}</p>
      {coins.length > 0 && (
        <div className="row">
          <button type="button" onClick={() => setSelling(true)}>
            {texts.sell}
          </button>
        </div>
      )}
      <ul className="cards" aria-label={texts.tabs.sales}>
        {list.items?.map((resource) => (
          <SaleCard key={resource.slug} resource={resource} onGone={list.reload} />
        ))}
      </ul>
      <ListEnd list={list} none={texts.noSales} />
      {isSelling && (
        <DialogBoundary onClose={() => setSelling(false)}>
          <Dialog title={texts.sell} onClose={() => setSelling(false)}>
            <SaleForm
              coins={coins}
              onDone={() => {
                setSelling(false);
                list.reload();
              }}
            />
          </Dialog>
        </DialogBoundary>
      )}
    </>
  );
}

function SaleCard({ resource, onGone }: { resource: PaidResource; onGone(): void }) {
  const parley = useParley();
  const windowTexts = useWindowTexts();
  const { admin: texts, money } = windowTexts;
  const chains = useChains() ?? [];
  const action = useAction();
  const { slug, url, description, price, media_type, size_bytes, sold, created_by, created_at } = resource;
  const remove = async () => {
    const question = { title: slug, text: texts.unsellSure(slug), action: texts.unsell };
    if (!(await parley.confirm.ask(question))) return;
    if (await action.run(() => parley.client.payments.unsell(slug))) onGone();
  };
  return (
    <li className="card">
      <p className="split-row">
        <strong className="name">{slug}</strong>
        <span>{money.on(priceText(windowTexts, price, chains), chainName(windowTexts, price.chain_id))}</span>
      </p>
      {description !== null && <p dir="auto">{description}</p>}
      <p className="hint">
        {[
          texts.sold(sold),
          `${media_type}, ${texts.bytes(size_bytes)}`,
          texts.putUp(created_by, momentOf(created_at)),
        ].join(" · ")}
      </p>
      <CopyField label={texts.address} value={new URL(url, location.href).href} />
      <ErrorLine text={action.error} />
      <div className="row">
        <button
          type="button"
          className="secondary danger"
          disabled={action.isBusy}
          aria-label={`${texts.unsell}: ${slug}`}
          onClick={() => void remove()}
        >
          {texts.unsell}
        </button>
      </div>
    </li>
  );
}
