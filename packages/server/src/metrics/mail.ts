import type { Registry } from "prom-client";
import { counters, gauges, type Sample } from "./instruments.ts";
import type { MailNumbers, Numbers } from "./numbers.ts";

/** Adds the metrics of the outbox of mails. A server that sends no mail has none. */
export function mailMetrics(registry: Registry, numbers: Numbers): void {
  const read = (value: (of: MailNumbers) => number) => (): Sample[] => {
    const found = numbers.mail();
    return found === null ? [] : [[{}, value(found)]];
  };
  const add = (name: string, help: string, value: (of: MailNumbers) => number) =>
    gauges(registry, name, help, [], read(value));
  add("parley_mail_waiting", "Mails that wait.", ({ waiting }) => waiting);
  add("parley_mail_oldest_seconds", "For how long the oldest waiting mail has been due.", (of) => of.oldestSeconds);
  add("parley_mail_unsure", "Mails of which nobody knows whether they were sent.", ({ unsure }) => unsure);
  add("parley_mail_stopped_addresses", "Addresses that refused three mails and get no more.", ({ stopped }) => stopped);
  const held = "1: nothing can be sent, because the mail server is away or refuses this server.";
  add("parley_mail_held", held, ({ isHeld }) => (isHeld ? 1 : 0));
  counters(registry, "parley_mail_tries_total", "Tries to send a mail, by outcome.", ["outcome"], () =>
    [...(numbers.mail()?.outcomes ?? [])].map(([outcome, count]) => [{ outcome }, count]),
  );
}
