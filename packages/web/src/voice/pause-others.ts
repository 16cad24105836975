/** Pauses all sound and video of the page except for one element. */
export function pauseOthers(except: HTMLMediaElement | null): void {
  for (const element of document.querySelectorAll<HTMLMediaElement>("audio, video"))
    if (element !== except) element.pause();
}
