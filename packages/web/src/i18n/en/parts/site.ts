/** English texts of the settings of the site. `i18n/site/zh.ts` has the same keys. */
export const EN_SITE = {
  name: "Name of the site",
  registration: "Who may register",
  policies: { open: "Everybody", invite: "People with an invitation", closed: "Nobody" },
  locked: (variable: string) => `${variable} in the server's environment sets this.`,
  save: "Save",
  saved: "The settings are saved.",
  logo: "Logo",
  logoHint: "A picture of at least 192 × 192 pixels. Pages that are open show it when they are loaded again.",
  chooseLogo: "Choose a logo",
  removeLogo: "Remove the logo",
  notAPicture: "This file is not a picture that the browser can read.",
};
