import { useTexts } from "../i18n/use-texts.ts";

/** Shown in place of the application if it fails to render. */
export function FailedPage() {
  const { failures } = useTexts();
  return (
    <main className="failed-page">
      <p role="alert">{failures.page}</p>
      <button type="button" onClick={() => location.reload()}>
        {failures.reload}
      </button>
    </main>
  );
}
