/** Returns the value of a form field as typed; `""` if there is no such field. */
export const formValue = (form: HTMLFormElement, name: string): string => String(new FormData(form).get(name) ?? "");
