/** What stands in a field of a form, as it was typed; `""` when it has no such field. */
export const valueIn = (form: HTMLFormElement, name: string): string => String(new FormData(form).get(name) ?? "");
